//! The mark of a draft in the title, where a forge has no other.

use crate::ForgeKind;

/// Of Forgejo.
const WIP: &str = "WIP: ";
/// Of GitLab.
const DRAFT: &str = "Draft: ";

const MARKS: [&str; 5] = ["wip:", "[wip]", "draft:", "[draft]", "(draft)"];

pub(super) fn marked(kind: ForgeKind, title: &str, draft: bool) -> String {
    let mark = match kind {
        ForgeKind::Forgejo if draft => WIP,
        ForgeKind::GitLab if draft => DRAFT,
        _ => "",
    };
    format!("{mark}{title}")
}

/// `None` if it has no mark.
pub(super) fn unmarked(title: &str) -> Option<&str> {
    let starts = |mark: &&&str| {
        title.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
    };
    let mark = MARKS.iter().find(starts)?;
    Some(title[mark.len()..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_added_and_removed() {
        assert_eq!(marked(ForgeKind::GitHub, "x", true), "x");
        for kind in [ForgeKind::Forgejo, ForgeKind::GitLab] {
            assert_eq!(unmarked(&marked(kind, "x", true)), Some("x"));
            assert_eq!(marked(kind, "x", false), "x");
        }
        assert_eq!(unmarked("[WIP] x"), Some("x"));
        assert_eq!(unmarked("wipe"), None);
        assert_eq!(unmarked("é"), None);
    }
}
