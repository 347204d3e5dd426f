//! From what git writes to files with their lines.
//!
//! Input is what `git diff --numstat --patch -z` prints: for each file the counts and its name, each
//! ended by a zero byte, then the patch. Names in the patch are no help: git quotes some, and a name may
//! look like the end of another. But git writes both in the same order, and that is what counts here.

use std::borrow::Cow;

use super::{FileDiff, FileText, Line};

/// A zero byte ends everything but the patch.
const END: u8 = 0;

/// The files with their counts, and of their lines as many as `room` has left for all and `per_file` for
/// one. Of a patch that is not of these files, one by one, nothing is shown. `name` gives the text of a
/// file's name.
pub fn read_diff(output: &[u8], name: Name, per_file: usize, room: &mut usize) -> Vec<FileDiff> {
    let (mut files, patch) = counted(output, name);
    let patch = String::from_utf8_lossy(patch);
    let mut bodies = bodies(&patch);
    if bodies.len() != files.len() {
        bodies.clear();
    }
    let mut bodies = bodies.into_iter();
    for file in &mut files {
        let lines = bodies.next().map(|body| body.lines).unwrap_or_default();
        let FileText::Lines { added, removed, shown, left_out } = &mut file.text else { continue };
        let fit = per_file.min(*room).min(lines.len());
        *shown = lines[..fit].iter().filter_map(|line| read_line(line)).collect();
        let is_told = |line: &&Line| matches!(line, Line::Added(_) | Line::Removed(_));
        let told = shown.iter().filter(is_told).count() as u64;
        *left_out = added.saturating_add(*removed).saturating_sub(told);
        *room -= fit;
    }
    files
}

struct Body<'p> {
    /// `diff --git a/old b/new`
    head: &'p str,
    fate: Fate,
    lines: Vec<&'p str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Deleted,
    Other,
}

type Name = fn(&[u8]) -> Cow<'_, str>;

fn counted(output: &[u8], name: Name) -> (Vec<FileDiff>, &[u8]) {
    let mut files = Vec::new();
    let mut rest = output;
    while let Some((file, after)) = one_counted(rest, name) {
        files.push(file);
        rest = after;
    }
    // Between the two is a zero byte as well.
    (files, rest.strip_prefix(&[END]).unwrap_or(rest))
}

/// `3<TAB>1<TAB>path`, or of a file with another name `3<TAB>1<TAB>`, the old name and the new one.
fn one_counted(output: &[u8], name: Name) -> Option<(FileDiff, &[u8])> {
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
    let at = output.iter().position(|byte| *byte == END)?;
    Some((&output[..at], &output[at + 1..]))
}

fn bodies(patch: &str) -> Vec<Body<'_>> {
    let mut bodies: Vec<Body<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in patch.lines() {
        // Lines of a file begin with a sign or a blank, so none of them is taken for a head.
        if line.starts_with("diff --git ") {
            in_hunk = false;
            // A file that becomes a link is deleted and made anew, and counted once.
            let goes_on = bodies.last_mut().filter(|last| last.is_deleted_as(line));
            match goes_on {
                Some(last) => last.fate = Fate::Other,
                None => bodies.push(Body { head: line, fate: Fate::Other, lines: Vec::new() }),
            }
        } else if let Some(body) = bodies.last_mut() {
            in_hunk |= line.starts_with("@@ ");
            if in_hunk {
                body.lines.push(line);
            } else if line.starts_with("deleted file mode ") {
                body.fate = Fate::Deleted;
            }
        }
    }
    bodies
}

impl Body<'_> {
    fn is_deleted_as(&self, head: &str) -> bool {
        self.fate == Fate::Deleted && self.head == head
    }
}

fn read_line(line: &str) -> Option<Line> {
    let rest = line.get(1..).unwrap_or_default().to_owned();
    Some(match line.chars().next()? {
        '+' => Line::Added(rest),
        '-' => Line::Removed(rest),
        ' ' => Line::Same(rest),
        '@' => Line::Place(line.to_owned()),
        // That there is no newline at the end of a file.
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

    fn read(output: &[u8], per_file: usize, room: usize) -> Vec<FileDiff> {
        let mut left = room;
        let files = read_diff(output, String::from_utf8_lossy, per_file, &mut left);
        assert!(left <= room);
        files
    }

    fn lines(file: &FileDiff) -> (&[Line], u64) {
        match &file.text {
            FileText::Lines { shown, left_out, .. } => (shown, *left_out),
            FileText::Binary => (&[], 0),
        }
    }

    #[test]
    fn each_file_has_its_own_lines_whatever_it_is_called() {
        let files = read(OUTPUT, 10, 100);
        let place = |text: &str| Line::Place(text.into());
        assert_eq!(lines(&files[0]).0, [place("@@ -0,0 +1 @@"), Line::Added("one".into())]);
        assert_eq!(
            lines(&files[1]).0,
            [place("@@ -1 +1 @@"), Line::Removed("--- old".into()), Line::Added("+++ new".into())]
        );
        assert_eq!(files[2].text, FileText::Binary);
    }

    fn added(file: &FileDiff) -> Vec<&str> {
        let texts = lines(file).0.iter().filter_map(|line| match line {
            Line::Added(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn files_whose_heads_read_alike_keep_their_own_lines() {
        // Both are renamed, and both heads are `a/a b/c b/d`.
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
    fn a_patch_with_a_file_too_few_shows_nothing_rather_than_what_is_another_files() {
        let at = OUTPUT.windows(14).rposition(|part| part == b"diff --git a/x").unwrap();
        let files = read(&OUTPUT[..at], 10, 100);
        assert_eq!(files.iter().map(|file| lines(file).0.len()).sum::<usize>(), 0);
        assert_eq!(lines(&files[1]).1, 2);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        assert_eq!(lines(&read(OUTPUT, 2, 100)[1]).1, 1);
        let files = read(OUTPUT, 10, 2);
        assert_eq!((lines(&files[0]).1, lines(&files[1]).0.len(), lines(&files[1]).1), (0, 0, 2));
    }

    #[test]
    fn what_is_cut_off_is_counted_as_far_as_it_goes() {
        for end in 0..OUTPUT.len() {
            read(&OUTPUT[..end], 10, 100);
        }
        let counts_only = OUTPUT.windows(2).position(|two| two == [0, 0]).unwrap();
        assert_eq!(lines(&read(&OUTPUT[..=counts_only], 10, 100)[1]), (&[][..], 2));
    }
}
