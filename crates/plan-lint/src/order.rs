//! Checks whether priorities contradict dependencies.

use std::collections::BTreeMap;

use tasks::{FieldPath, StoryId};

use crate::{Code, Finding, StorySpot};

/// A dependency wins, so nothing breaks, but the order differs from the priorities.
pub(crate) fn findings(spots: &[StorySpot<'_>]) -> Vec<Finding> {
    let open = spots.iter().filter(|spot| !spot.story.passes);
    let priorities: BTreeMap<&StoryId, f64> =
        open.clone().map(|spot| (&spot.story.id, spot.story.priority)).collect();
    let against = open.flat_map(|spot| {
        let waits_for = spot.story.depends_on.iter().enumerate();
        let later = waits_for.filter_map(|(index, id)| {
            let theirs = *priorities.get(id)?;
            (theirs > spot.story.priority).then_some((index, id, theirs))
        });
        later.map(|(index, id, theirs)| {
            let own = spot.story.priority;
            spot.finding(
                Code::PriorityAgainstDependency,
                FieldPath::Item("dependsOn", index),
                format!("has priority {own} and depends on {id} with priority {theirs}"),
                format!("Give {id} a priority of {own} or less, or remove it from dependsOn."),
            )
        })
    });
    against.collect()
}
