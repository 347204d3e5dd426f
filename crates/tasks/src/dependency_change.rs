//! Reports changes of `dependsOn`. They are allowed after a split, or when review is skipped. The
//! user is warned, because a story could be made to wait for one that never passes.

use std::fmt;

use crate::StoryId;
use crate::list::{Story, TaskList};

/// A change to a story that existed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyChange {
    pub story: StoryId,
    pub added: Vec<StoryId>,
    pub removed: Vec<StoryId>,
}

/// In the order of `after`.
pub fn dependency_changes(before: &TaskList, after: &TaskList) -> Vec<DependencyChange> {
    let pairs = after.stories.iter().filter_map(|new| Some((before.story(&new.id)?, new)));
    let changes = pairs.map(|(old, new)| DependencyChange {
        story: new.id.clone(),
        added: only_in(new, old),
        removed: only_in(old, new),
    });
    changes.filter(|change| !(change.added.is_empty() && change.removed.is_empty())).collect()
}

fn only_in(one: &Story, other: &Story) -> Vec<StoryId> {
    one.depends_on.iter().filter(|id| !other.depends_on.contains(id)).cloned().collect()
}

impl fmt::Display for DependencyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dependsOn of {}:", self.story)?;
        let parts = [("added", &self.added), ("removed", &self.removed)];
        let mut separator = " ";
        for (what, ids) in parts.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            let ids: Vec<&str> = ids.iter().map(StoryId::as_str).collect();
            write!(f, "{separator}{what} {}", ids.join(", "))?;
            separator = "; ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(stories: &[(&str, &str)]) -> TaskList {
        let stories: Vec<String> = stories
            .iter()
            .map(|(id, waits_for)| {
                format!(
                    r#"{{"id":"{id}","title":"t","acceptanceCriteria":["c"],"priority":1,
                    "passes":false,"reviewStatus":null,"reviewCount":0,"reviewFeedback":"",
                    "dependsOn":[{waits_for}]}}"#
                )
            })
            .collect();
        let text = format!(
            r#"{{"project":"p","branchName":"b","description":"d","userStories":[{}]}}"#,
            stories.join(",")
        );
        crate::inspect(text.as_bytes()).list.unwrap()
    }

    #[test]
    fn additions_and_removals_are_reported_per_story() {
        let before = list(&[("A", ""), ("B", "\"A\""), ("C", "\"A\"")]);
        let after = list(&[("A", ""), ("B", ""), ("C", "\"B\",\"D\""), ("D", "\"A\"")]);
        let messages: Vec<String> =
            dependency_changes(&before, &after).iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            ["dependsOn of B: removed A", "dependsOn of C: added B, D; removed A"]
        );
    }

    #[test]
    fn a_reordering_is_no_change() {
        let before = list(&[("A", ""), ("B", ""), ("C", "\"A\",\"B\"")]);
        let after = list(&[("C", "\"B\",\"A\""), ("B", ""), ("A", "")]);
        assert_eq!(dependency_changes(&before, &after), []);
    }
}
