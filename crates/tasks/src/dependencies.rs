//! Checks `dependsOn`: every id exists and there are no cycles.
//!
//! Iterative, because a list may chain thousands of stories.

use std::collections::BTreeMap;

use crate::StoryId;
use crate::list::Story;
use crate::problem::{Problem, ProblemPlace, Problems};

/// The number of cycles can be exponential; fixing these shows the next ones.
const MOST_CYCLES: usize = 20;

/// `positions` has every story with an id, readable or not.
pub(crate) fn check(
    stories: &[Story],
    positions: &BTreeMap<StoryId, usize>,
    problems: &mut Problems,
) {
    for story in stories {
        for (index, id) in story.depends_on.iter().enumerate() {
            if !positions.contains_key(id) {
                problems.push(|| Problem::UnknownDependency {
                    place: place(&story.id, positions),
                    index,
                    id: id.clone(),
                });
            }
        }
    }
    for cycle in cycles(stories) {
        problems.push(|| cycle_problem(&cycle, positions));
    }
}

fn cycle_problem(cycle: &[&Story], positions: &BTreeMap<StoryId, usize>) -> Problem {
    let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(|s| s.id.as_str()).collect();
    let shown = match names.as_slice() {
        [first, second, .., last] if names.len() > 10 => {
            format!("{first} → {second} → … → {last} ({} stories)", cycle.len())
        }
        _ => names.join(" → "),
    };
    let first = cycle.first().map(|story| place(&story.id, positions));
    Problem::DependencyCycle { place: first.unwrap_or(ProblemPlace::TopLevel), cycle: shown }
}

/// `positions` has the first position of each id, counted from 1.
pub(crate) fn place(id: &StoryId, positions: &BTreeMap<StoryId, usize>) -> ProblemPlace {
    let position = positions.get(id).copied().unwrap_or_default();
    ProblemPlace::Story { position, id: Some(id.clone()) }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    NotYet,
    OnPath,
    Done,
}

/// Each cycle once, by depth-first search with an explicit stack.
fn cycles(stories: &[Story]) -> Vec<Vec<&Story>> {
    let index: BTreeMap<&StoryId, usize> =
        stories.iter().enumerate().map(|(position, story)| (&story.id, position)).collect();
    let mut visits = vec![Visit::NotYet; stories.len()];
    let mut cycles = Vec::new();
    for start in 0..stories.len() {
        if visits[start] != Visit::NotYet {
            continue;
        }
        visits[start] = Visit::OnPath;
        let mut path = vec![(start, stories[start].depends_on.iter())];
        while let Some((at, waits_for)) = path.last_mut() {
            let at = *at;
            let Some(id) = waits_for.next() else {
                visits[at] = Visit::Done;
                path.pop();
                continue;
            };
            let Some(&next) = index.get(id) else { continue };
            match visits[next] {
                Visit::Done => {}
                Visit::NotYet => {
                    visits[next] = Visit::OnPath;
                    path.push((next, stories[next].depends_on.iter()));
                }
                Visit::OnPath => {
                    let from = path.iter().position(|(on_path, _)| *on_path == next);
                    let members = path.iter().skip(from.unwrap_or_default());
                    cycles.push(members.map(|(member, _)| &stories[*member]).collect());
                    if cycles.len() == MOST_CYCLES {
                        return cycles;
                    }
                }
            }
        }
    }
    cycles
}
