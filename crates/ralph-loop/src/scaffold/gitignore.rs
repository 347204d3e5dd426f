//! Adds missing lines to .gitignore for the files that runs leave in a project.

/// The same files as in `project::Layout::is_runtime`.
const ENTRIES: [&str; 11] = [
    ".ralph-active",
    ".ralph/lock",
    ".ralph/state.json",
    ".ralph/prompt-state.json",
    ".ralph/state.md",
    ".ralph/sync.json",
    ".ralph/runs/",
    ".ralph/memory/",
    ".ralph/orders/",
    ".ralph/settings.local.json",
    ".ralph-tmp-*",
];
const COMMENT: &str = "# Ralph: files of runs";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The file with the missing lines appended and its line endings kept; `None` if it is complete. Bytes, because file
/// names can have any encoding.
pub(crate) fn extended(old: &[u8]) -> Option<Vec<u8>> {
    let text = old.strip_prefix(BYTE_ORDER_MARK).unwrap_or(old);
    let present: Vec<&[u8]> = text.split(|byte| *byte == b'\n').map(pattern).collect();
    let missing: Vec<&str> =
        ENTRIES.into_iter().filter(|entry| !present.iter().any(|p| covers(p, entry))).collect();
    if missing.is_empty() {
        return None;
    }
    let newline = if text.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let mut new = old.to_vec();
    if !text.is_empty() && !text.ends_with(b"\n") {
        new.extend(newline.bytes());
    }
    if !text.is_empty() {
        new.extend(newline.bytes());
    }
    for line in [COMMENT].into_iter().chain(missing) {
        new.extend(line.bytes().chain(newline.bytes()));
    }
    Some(new)
}

/// A line without its end and its leading `/`, which makes no difference for these entries.
fn pattern(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    line.strip_prefix(b"/").unwrap_or(line)
}

/// `.ralph/runs` covers the folder `.ralph/runs/`; `.ralph/lock/` does not cover the file.
fn covers(pattern: &[u8], entry: &str) -> bool {
    pattern == entry.as_bytes() || entry.strip_suffix('/').map(str::as_bytes) == Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extend(old: &str) -> Option<String> {
        extended(old.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_new_file_gets_every_entry() {
        let new = extend("").unwrap();
        assert_eq!(new.lines().next(), Some(COMMENT));
        assert_eq!(new.lines().skip(1).collect::<Vec<_>>(), ENTRIES);
        assert!(new.ends_with('\n'));
        assert_eq!(extend(&new), None);
    }

    #[test]
    fn every_entry_is_one_of_the_programs_own_files() {
        let layout = project::Layout::new("/p");
        for entry in ENTRIES {
            let file = match entry.ends_with('/') {
                true => format!("{entry}x"),
                false => entry.replace('*', "x"),
            };
            assert!(layout.is_runtime(&file), "{entry}");
        }
    }

    #[test]
    fn only_missing_entries_are_added() {
        let old = "target/\n/.ralph-active\n.ralph/runs\n.ralph/lock/\n#.ralph/state.md\n";
        let new = extend(old).unwrap();
        let added: Vec<&str> = new.strip_prefix(old).unwrap().lines().collect();
        let expected = [
            "",
            COMMENT,
            ".ralph/lock",
            ".ralph/state.json",
            ".ralph/prompt-state.json",
            ".ralph/state.md",
            ".ralph/sync.json",
            ".ralph/memory/",
            ".ralph/orders/",
            ".ralph/settings.local.json",
            ".ralph-tmp-*",
        ];
        assert_eq!(added, expected);
    }

    #[test]
    fn the_files_own_line_ends_are_kept() {
        let new = extend("a\r\n.ralph-active\r\nlast").unwrap();
        assert!(new.starts_with("a\r\n.ralph-active\r\nlast\r\n\r\n# Ralph"), "{new:?}");
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        assert_eq!(new.matches(".ralph-active").count(), 1);
        assert_eq!(extend(&new), None);
    }

    #[test]
    fn invalid_utf8_and_a_byte_order_mark_are_kept() {
        let new = extended(b"\xef\xbb\xbf.ralph-active\ncaf\xe9\n").unwrap();
        assert!(new.starts_with(b"\xef\xbb\xbf.ralph-active\ncaf\xe9\n"));
        let text = String::from_utf8_lossy(&new);
        assert_eq!(text.matches(".ralph-active").count(), 1);
    }
}
