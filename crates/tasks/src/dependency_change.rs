//! Reports changes of `dependsOn`. They are allowed after a split, or when review is skipped. The
//! user is warned, because a story could be made to wait for one that never passes.

use itertools::Itertools;

use crate::list::{Story, TaskList};

/// A line for each story that existed before and has changed, in the order of `after`.
pub fn dependency_changes(before: &TaskList, after: &TaskList) -> Vec<String> {
    let pairs = after.stories.iter().filter_map(|new| Some((before.story(&new.id)?, new)));
    let changes = pairs.filter_map(|(old, new)| {
        let added = only_in(new, old).map(|ids| format!("added {ids}"));
        let removed = only_in(old, new).map(|ids| format!("removed {ids}"));
        let changes = added.into_iter().chain(removed).join("; ");
        (!changes.is_empty()).then(|| format!("dependsOn of {}: {changes}", new.id))
    });
    changes.collect()
}

fn only_in(one: &Story, other: &Story) -> Option<String> {
    let ids = one.depends_on.iter().filter(|id| !other.depends_on.contains(id)).join(", ");
    (!ids.is_empty()).then_some(ids)
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
        assert_eq!(
            dependency_changes(&before, &after),
            ["dependsOn of B: removed A", "dependsOn of C: added B, D; removed A"]
        );
    }

    #[test]
    fn a_reordering_is_no_change() {
        let before = list(&[("A", ""), ("B", ""), ("C", "\"A\",\"B\"")]);
        let after = list(&[("C", "\"B\",\"A\""), ("B", ""), ("A", "")]);
        assert_eq!(dependency_changes(&before, &after), [""; 0]);
    }
}
