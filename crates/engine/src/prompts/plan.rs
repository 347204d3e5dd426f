//! The plan that `plan` writes and `build` works through: whether it is there, and what is open.

use std::path::Path;

/// As large as anybody writes one by hand.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Open items that are named.
const NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Not there, with nothing in it, or nothing that anybody can read.
    Missing,
    Written {
        /// Items whose box is not ticked: `- [ ] …`.
        open: Vec<String>,
    },
}

/// A fence that was opened, and what looks open behind it.
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
            // What holds NUL bytes is no UTF-8 that anybody wrote: its boxes would not be found.
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
        // A fence that is never closed hides nothing: one slip would end the work early.
        open.extend(fenced.into_iter().flat_map(|fenced| fenced.open));
        Self::Written { open }
    }

    /// Why the plan says that not everything is done, if it does.
    pub(crate) fn objection(&self, name: &str) -> Option<String> {
        match self {
            Self::Missing => Some(format!("{name} is missing, empty or not text in UTF-8")),
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
    let (item, List::Item) = content(line) else { return None };
    let (mark, text) = item.strip_prefix('[')?.split_once(']')?;
    let is_link = text.starts_with('(');
    (mark.trim().is_empty() && !is_link).then(|| text.trim().to_owned())
}

#[derive(Clone, Copy)]
enum List {
    Item,
    None,
}

/// A line without the quotations and lists that it is part of.
fn content(line: &str) -> (&str, List) {
    let (mut rest, mut list) = (line.trim(), List::None);
    loop {
        rest = if let Some(quoted) = rest.strip_prefix('>') {
            quoted
        } else if let Some(item) = after_bullet(rest) {
            list = List::Item;
            item
        } else {
            return (rest, list);
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
    fn boxes_that_are_not_ticked_are_open() {
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
    fn however_a_box_is_written() {
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
    fn what_is_no_open_box() {
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
    fn a_fence_that_is_no_fence_hides_nothing() {
        for text in ["```\n- [ ] b", "``` a ```\n- [ ] b", "``\n- [ ] b\n``", "~~~\n- [ ] b\n~~"] {
            assert_eq!(open(text), ["b"], "{text:?}");
        }
    }

    #[test]
    fn what_nobody_can_read_is_no_plan() {
        let folder = assert_fs::TempDir::new().unwrap();
        let path = folder.path().join("plan.md");
        let utf_16: Vec<u8> = "- [ ] b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(&path, utf_16).unwrap();
        assert_eq!(Plan::read(&path), Plan::Missing);
        std::fs::write(&path, b"\xef\xbb\xbf- [ ] \xff\n").unwrap();
        assert_eq!(Plan::read(&path), Plan::Written { open: vec!["\u{fffd}".into()] });
    }

    #[test]
    fn a_plan_without_words_is_none() {
        assert_eq!(Plan::of(" \n"), Plan::Missing);
        assert_eq!(Plan::of("\u{feff}\r\n"), Plan::Missing);
        assert_eq!(Plan::read(Path::new("/nowhere/plan.md")), Plan::Missing);
    }

    #[test]
    fn what_is_open_is_named_and_not_endlessly() {
        assert_eq!(Plan::of("- [x] a").objection("p.md"), None);
        assert_eq!(Plan::of("prose").objection("p.md"), None);
        assert_eq!(
            Plan::Missing.objection("p.md").unwrap(),
            "p.md is missing, empty or not text in UTF-8"
        );
        let many = "- [ ] x\n".repeat(7);
        let told = Plan::of(&many).objection("p.md").unwrap();
        assert!(told.ends_with("- x\n- … and 2 more"), "{told}");
    }
}
