//! The plan file that `plan` writes and `build` works through: whether it exists, and its open items.

use std::path::Path;

const LARGEST: u64 = 16 * 1024 * 1024;

/// Open items named in a message.
const NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Missing, empty or not UTF-8 text.
    Missing,
    Written {
        /// Items whose box is not ticked: `- [ ] …`.
        open: Vec<String>,
    },
}

/// A fence that was opened, with the open items inside it.
struct Fenced {
    fence: Fence,
    open: Vec<String>,
}

#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Plan {
    pub(crate) fn read(path: &Path) -> Self {
        match bounded_read::read_file(path, LARGEST) {
            // NUL bytes mean an encoding other than UTF-8, in which no box would be found.
            Ok(bytes) if !bytes.contains(&0) => Self::of(&String::from_utf8_lossy(&bytes)),
            _ => Self::Missing,
        }
    }

    fn of(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Self::Missing;
        }
        let mut open = Vec::new();
        let mut fenced: Option<Fenced> = None;
        for line in text.split(['\n', '\r']) {
            match &mut fenced {
                Some(Fenced { fence, .. }) if fence.ends_with(line) => fenced = None,
                Some(Fenced { open, .. }) => open.extend(open_item(line)),
                None => match Fence::begun_by(line) {
                    Some(fence) => fenced = Some(Fenced { fence, open: Vec::new() }),
                    None => open.extend(open_item(line)),
                },
            }
        }
        // A fence that is never closed is no fence: a typo must not hide open items.
        open.extend(fenced.into_iter().flat_map(|fenced| fenced.open));
        Self::Written { open }
    }

    /// The missing plan or its open items, if any.
    pub(crate) fn objection(&self, name: &str) -> Option<String> {
        match self {
            Self::Missing => Some(format!("{name} is missing, empty or not UTF-8 text")),
            Self::Written { open } if open.is_empty() => None,
            Self::Written { open } => {
                let mut lines: Vec<String> =
                    open.iter().take(NAMED).map(|item| format!("- {item}")).collect();
                if open.len() > NAMED {
                    lines.push(format!("- … and {} more", open.len() - NAMED));
                }
                Some(format!("{name} still has open items:\n{}", lines.join("\n")))
            }
        }
    }
}

fn open_item(line: &str) -> Option<String> {
    let (item, true) = content(line) else { return None };
    let (mark, text) = item.strip_prefix('[')?.split_once(']')?;
    let is_link = text.starts_with('(');
    (mark.trim().is_empty() && !is_link).then(|| text.trim().to_owned())
}

/// A line without its quotation and list markers, and whether it is a list item.
fn content(line: &str) -> (&str, bool) {
    let (mut rest, mut is_item) = (line.trim(), false);
    loop {
        rest = if let Some(quoted) = rest.strip_prefix('>') {
            quoted
        } else if let Some(item) = after_bullet(rest) {
            is_item = true;
            item
        } else {
            return (rest, is_item);
        }
        .trim_start();
    }
}

fn after_bullet(text: &str) -> Option<&str> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = match number.len() < text.len() {
        true => number.strip_prefix(['.', ')']),
        false => text.strip_prefix(['-', '*', '+']),
    }?;
    after.starts_with(char::is_whitespace).then_some(after)
}

impl Fence {
    fn begun_by(line: &str) -> Option<Self> {
        let (text, _) = content(line);
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        (length >= 3 && !info.contains('`')).then_some(Self { mark, length })
    }

    fn ends_with(self, line: &str) -> bool {
        let text = line.trim_start_matches(|c: char| c == '>' || c.is_whitespace()).trim_end();
        text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_without_a_tick_are_open() {
        let text = "# Plan\n- [x] a\n  - [ ] b\n* [X] c\n1. [ ] d\n[ ] f\n- x [ ] g\n";
        assert_eq!(Plan::of(text), Plan::Written { open: vec!["b".into(), "d".into()] });
    }

    fn open(text: &str) -> Vec<String> {
        match Plan::of(text) {
            Plan::Written { open } => open,
            Plan::Missing => panic!("missing: {text:?}"),
        }
    }

    #[test]
    fn every_way_to_write_a_box_is_recognized() {
        for text in [
            "-\t[ ] b",
            "1) [ ] b",
            "12. [ ] b",
            "> - [ ] b",
            "> > * [ ] b",
            "- - [ ] b",
            "- 1. [ ] b",
            "- > - [ ] b",
            "\u{feff}- [ ] b",
            "# Plan\r- [x] a\r- [ ] b\r",
            "# Plan\r\n\r\n- [ ] b\r\n",
            "- [] b",
            "- [  ] b",
            "- [\u{a0}] b",
            "-\u{a0}[\t] b",
        ] {
            assert_eq!(open(text), ["b"], "{text:?}");
        }
        assert_eq!(open("- [ ] (later) [x](y)"), ["(later) [x](y)"]);
    }

    #[test]
    fn text_that_is_not_an_open_box() {
        for text in [
            "- [x] a",
            "- [](url)",
            "- [ ](url)",
            "Tick [ ] when done",
            "- a line with [ ] within",
            "[ ] no list",
            "1 [ ] b",
            ". [ ] b",
            "--- [ ] b",
            "- [",
            ">",
        ] {
            assert!(open(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn code_has_no_boxes() {
        for code in [
            "```\n- [ ] a\n```",
            "~~~md\n- [ ] a\n```\n- [ ] a\n~~~~",
            "````\n```\n- [ ] a\n```\n- [ ] a\n````",
            "- ```\n  - [ ] a\n  - ```\n  - [ ] a\n  ```",
            "> ```\n> - [ ] a\n> ```",
        ] {
            assert_eq!(open(&format!("{code}\n- [ ] b")), ["b"], "{code}");
        }
    }

    #[test]
    fn an_unclosed_fence_hides_no_box() {
        for text in ["```\n- [ ] b", "``` a ```\n- [ ] b", "``\n- [ ] b\n``", "~~~\n- [ ] b\n~~"] {
            assert_eq!(open(text), ["b"], "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_no_plan() {
        let folder = assert_fs::TempDir::new().unwrap();
        let path = folder.path().join("plan.md");
        let utf_16: Vec<u8> = "- [ ] b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(&path, utf_16).unwrap();
        assert_eq!(Plan::read(&path), Plan::Missing);
        std::fs::write(&path, b"\xef\xbb\xbf- [ ] \xff\n").unwrap();
        assert_eq!(Plan::read(&path), Plan::Written { open: vec!["\u{fffd}".into()] });
    }

    #[test]
    fn an_empty_plan_counts_as_missing() {
        assert_eq!(Plan::of(" \n"), Plan::Missing);
        assert_eq!(Plan::of("\u{feff}\r\n"), Plan::Missing);
        assert_eq!(Plan::read(Path::new("/nowhere/plan.md")), Plan::Missing);
    }

    #[test]
    fn open_items_are_named_up_to_a_limit() {
        assert_eq!(Plan::of("- [x] a").objection("p.md"), None);
        assert_eq!(Plan::of("prose").objection("p.md"), None);
        assert_eq!(
            Plan::Missing.objection("p.md").unwrap(),
            "p.md is missing, empty or not UTF-8 text"
        );
        let many = "- [ ] x\n".repeat(7);
        let objection = Plan::of(&many).objection("p.md").unwrap();
        assert!(objection.ends_with("- x\n- … and 2 more"), "{objection}");
    }
}
