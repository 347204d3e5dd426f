//! Parses the output of `git diff --numstat --patch -z`.
//!
//! It has the counts and name of each file, each ended by a zero byte, then the patch. Names in the patch
//! are ambiguous, because git quotes some and a name may look like the end of another. Both parts have the
//! same order, so files are matched by position.

use std::borrow::Cow;

use super::{DiffLine, FileDiff, FileText};

/// Ends every entry before the patch.
const END: u8 = 0;

/// The files with their counts, and at most `per_file` lines of each and `lines_left` of all. Lines are
/// omitted if the patch does not match the files. `name` decodes a file name.
pub fn read_diff(
    output: &[u8],
    name: DecodeName,
    per_file: usize,
    lines_left: &mut usize,
) -> Vec<FileDiff> {
    let (mut files, patch) = read_counts(output, name);
    let patch = String::from_utf8_lossy(patch);
    let mut file_patches = file_patches(&patch);
    if file_patches.len() != files.len() {
        file_patches.clear();
    }
    let mut file_patches = file_patches.into_iter();
    for file in &mut files {
        let lines = file_patches.next().map(|file_patch| file_patch.lines).unwrap_or_default();
        let FileText::Lines { added, removed, shown, left_out } = &mut file.text else { continue };
        let fit = per_file.min(*lines_left).min(lines.len());
        *shown = lines[..fit].iter().filter_map(|line| read_line(line)).collect();
        let is_change =
            |line: &&DiffLine| matches!(line, DiffLine::Added(_) | DiffLine::Removed(_));
        let changes = shown.iter().filter(is_change).count() as u64;
        *left_out = added.saturating_add(*removed).saturating_sub(changes);
        *lines_left -= fit;
    }
    files
}

struct FilePatch<'p> {
    /// `diff --git a/old b/new`
    head: &'p str,
    is_deleted: bool,
    lines: Vec<&'p str>,
}

type DecodeName = fn(&[u8]) -> Cow<'_, str>;

fn read_counts(output: &[u8], name: DecodeName) -> (Vec<FileDiff>, &[u8]) {
    let mut files = Vec::new();
    let mut rest = output;
    while let Some((file, after)) = read_count(rest, name) {
        files.push(file);
        rest = after;
    }
    // Another zero byte separates the two parts.
    (files, rest.strip_prefix(&[END]).unwrap_or(rest))
}

/// `3<TAB>1<TAB>path`, or for a renamed file `3<TAB>1<TAB>`, the old name and the new one.
fn read_count(output: &[u8], name: DecodeName) -> Option<(FileDiff, &[u8])> {
    let (entry, rest) = split(output)?;
    let entry = name(entry);
    let mut parts = entry.splitn(3, '\t');
    let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
    let text = match (added.parse(), removed.parse()) {
        (Ok(added), Ok(removed)) => {
            FileText::Lines { added, removed, shown: Vec::new(), left_out: 0 }
        }
        _ if (added, removed) == ("-", "-") => FileText::Binary,
        _ => return None,
    };
    if !path.is_empty() {
        return Some((FileDiff { path: path.to_owned(), was: None, text }, rest));
    }
    let (was, rest) = split(rest)?;
    let (path, rest) = split(rest)?;
    let [path, was] = [path, was].map(|bytes| name(bytes).into_owned());
    Some((FileDiff { path, was: Some(was), text }, rest))
}

fn split(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut parts = output.splitn(2, |byte| *byte == END);
    parts.next().zip(parts.next())
}

fn file_patches(patch: &str) -> Vec<FilePatch<'_>> {
    let mut file_patches: Vec<FilePatch<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        // Content lines begin with a sign or a space, so none is mistaken for a header.
        if line.starts_with("diff --git ") {
            in_hunk = false;
            // A file that becomes a link is deleted and created again, but counted once.
            match file_patches.last_mut() {
                Some(last) if last.is_deleted && last.head == line => last.is_deleted = false,
                _ => {
                    file_patches.push(FilePatch {
                        head: line,
                        is_deleted: false,
                        lines: Vec::new(),
                    });
                }
            }
        } else if let Some(file_patch) = file_patches.last_mut() {
            in_hunk |= line.starts_with("@@ ");
            if in_hunk {
                file_patch.lines.push(line);
            } else if line.starts_with("deleted file mode ") {
                file_patch.is_deleted = true;
            }
        }
    }
    file_patches
}

fn read_line(line: &str) -> Option<DiffLine> {
    let rest = line.get(1..).unwrap_or_default().to_owned();
    Some(match line.chars().next()? {
        '+' => DiffLine::Added(rest),
        '-' => DiffLine::Removed(rest),
        ' ' => DiffLine::Same(rest),
        '@' => DiffLine::HunkHeader(line.to_owned()),
        // `\ No newline at end of file`.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &[u8] = b"1\t0\ta b/x\x001\t1\tx\0-\t-\tlogo\0\0\
        diff --git a/a b/x b/a b/x\nindex 1..2\n--- a/a b/x\n+++ b/a b/x\n@@ -0,0 +1 @@\n+one\n\
        diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n---- old\n\\ No newline\n++++ new\n\
        diff --git a/logo b/logo\nBinary files differ\n";

    fn read(output: &[u8], per_file: usize, limit: usize) -> Vec<FileDiff> {
        let mut left = limit;
        let files = read_diff(output, String::from_utf8_lossy, per_file, &mut left);
        assert!(left <= limit);
        files
    }

    fn lines(file: &FileDiff) -> (&[DiffLine], u64) {
        match &file.text {
            FileText::Lines { shown, left_out, .. } => (shown, *left_out),
            FileText::Binary => (&[], 0),
        }
    }

    #[test]
    fn each_file_has_its_own_lines_whatever_its_name() {
        let files = read(OUTPUT, 10, 100);
        let place = |text: &str| DiffLine::HunkHeader(text.into());
        assert_eq!(lines(&files[0]).0, [place("@@ -0,0 +1 @@"), DiffLine::Added("one".into())]);
        assert_eq!(
            lines(&files[1]).0,
            [
                place("@@ -1 +1 @@"),
                DiffLine::Removed("--- old".into()),
                DiffLine::Added("+++ new".into())
            ]
        );
        assert_eq!(files[2].text, FileText::Binary);
    }

    fn added(file: &FileDiff) -> Vec<&str> {
        let texts = lines(file).0.iter().filter_map(|line| match line {
            DiffLine::Added(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn files_with_equal_headers_keep_their_own_lines() {
        // Both are renamed, and both headers are `a/a b/c b/d`.
        let head = "diff --git a/a b/c b/d\nsimilarity index 90%\n@@ -1 +1,2 @@\n same\n";
        let patch = format!("{head}+curl evil\n{head}+harmless\n");
        let output = format!("1\t0\t\0a\0c b/d\x001\t0\t\0a b/c\0d\0\0{patch}");
        let files = read(output.as_bytes(), 10, 100);
        assert_eq!((files[0].path.as_str(), added(&files[0])), ("c b/d", vec!["curl evil"]));
        assert_eq!((files[1].path.as_str(), added(&files[1])), ("d", vec!["harmless"]));
    }

    #[test]
    fn a_file_that_becomes_a_link_does_not_shift_those_after_it() {
        let head = "diff --git a/l b/l\n";
        let output = format!(
            "1\t1\tl\x001\t0\tz\0\0{head}deleted file mode 100644\n@@ -1 +0,0 @@\n-text\n\
             {head}new file mode 120000\n@@ -0,0 +1 @@\n+z\n\\ No newline\n\
             diff --git a/z b/z\nnew file mode 100644\n@@ -0,0 +1 @@\n+of z\n"
        );
        let files = read(output.as_bytes(), 10, 100);
        assert_eq!(added(&files[0]), ["z"]);
        assert_eq!(added(&files[1]), ["of z"]);
    }

    #[test]
    fn a_patch_with_a_missing_file_shows_no_lines() {
        let at = OUTPUT.windows(14).rposition(|part| part == b"diff --git a/x").unwrap();
        let files = read(&OUTPUT[..at], 10, 100);
        assert_eq!(files.iter().map(|file| lines(file).0.len()).sum::<usize>(), 0);
        assert_eq!(lines(&files[1]).1, 2);
    }

    #[test]
    fn lines_beyond_the_limit_are_counted() {
        assert_eq!(lines(&read(OUTPUT, 2, 100)[1]).1, 1);
        let files = read(OUTPUT, 10, 2);
        assert_eq!((lines(&files[0]).1, lines(&files[1]).0.len(), lines(&files[1]).1), (0, 0, 2));
    }

    #[test]
    fn truncated_output_is_read_as_far_as_possible() {
        for end in 0..OUTPUT.len() {
            read(&OUTPUT[..end], 10, 100);
        }
        let counts_only = OUTPUT.windows(2).position(|two| two == [0, 0]).unwrap();
        assert_eq!(lines(&read(&OUTPUT[..=counts_only], 10, 100)[1]), (&[][..], 2));
    }
}
