//! What is still to do, in iterations and money, as far as anybody can tell before it is done.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tasks::{ReviewPolicy, Scope, Story, StoryId, TaskList};

use crate::options::StoryOptions;
use crate::stories::run::Run;

/// Implemented, reviewed, and every other one sent back once and reviewed again.
const WITH_REVIEW: f64 = 3.0;
const WITHOUT_REVIEW: f64 = 1.0;

/// Fewer stories than this say nothing about the next.
const ENOUGH_STORIES: u64 = 2;

/// What earlier runs over this project's stories took, the one that goes on included.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Experience {
    pub iterations: u64,
    pub stories_done: u64,
    pub cost_usd: f64,
}

impl Run<'_> {
    /// What the list will take of what this run may still use.
    pub(crate) fn estimate(&self, list: &TaskList) -> Option<Estimate> {
        let StoryOptions { run, review, experience, .. } = self.options;
        let counters = self.state.counters;
        let left = Left {
            iterations: run.policy.max_iterations.saturating_sub(counters.iterations),
            cost_usd: run.policy.max_cost_usd.map(|most| most - counters.cost_usd),
        };
        estimate(list, &self.state.given_up(), &self.state.scope, *review, experience, left)
    }
}

/// What a run may still use.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Left {
    iterations: u64,
    cost_usd: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Those that are neither done nor set aside.
    pub stories: u64,
    pub iterations_per_story: f64,
    pub basis: Basis,
    pub iterations: u64,
    /// So far, where an agent told its cost.
    pub cost_per_iteration_usd: Option<f64>,
    pub cost_usd: Option<f64>,
    pub iterations_left: u64,
    pub cost_left_usd: Option<f64>,
}

/// Where the iterations a story come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// What is usual anywhere.
    Usual,
    /// What the stories of this project took.
    SoFar,
}

/// None if nothing is to do.
fn estimate(
    list: &TaskList,
    given_up: &BTreeSet<StoryId>,
    scope: &Scope,
    review: ReviewPolicy,
    experience: &Experience,
    left: Left,
) -> Option<Estimate> {
    let is_open =
        |story: &Story| !story.passes && !given_up.contains(&story.id) && scope.contains(&story.id);
    let open = list.stories.iter().filter(|story| is_open(story));
    // What is submitted has its implementation behind it.
    let parts: Vec<f64> = open
        .map(|story| match (review, story.next_mode()) {
            (ReviewPolicy::Required { .. }, Some(tasks::Mode::Review | tasks::Mode::ReviewFix)) => {
                2.0 / 3.0
            }
            _ => 1.0,
        })
        .collect();
    if parts.is_empty() {
        return None;
    }
    let (basis, per_story) = per_story(review, experience);
    let iterations = (parts.iter().sum::<f64>() * per_story).ceil();
    let cost_each = experience.cost_per_iteration();
    Some(Estimate {
        stories: parts.len() as u64,
        iterations_per_story: per_story,
        basis,
        iterations: iterations as u64,
        cost_per_iteration_usd: cost_each,
        cost_usd: cost_each.map(|each| each * iterations),
        iterations_left: left.iterations,
        cost_left_usd: left.cost_usd,
    })
}

fn per_story(review: ReviewPolicy, experience: &Experience) -> (Basis, f64) {
    let usual = match review {
        ReviewPolicy::Required { .. } => WITH_REVIEW,
        ReviewPolicy::Skipped => WITHOUT_REVIEW,
    };
    let Experience { iterations, stories_done, .. } = *experience;
    if stories_done < ENOUGH_STORIES {
        return (Basis::Usual, usual);
    }
    (Basis::SoFar, (iterations as f64 / stories_done as f64).max(1.0))
}

impl Experience {
    fn cost_per_iteration(&self) -> Option<f64> {
        let told = self.iterations > 0 && self.cost_usd > 0.0 && self.cost_usd.is_finite();
        told.then(|| self.cost_usd / self.iterations as f64)
    }
}

impl Estimate {
    pub fn is_short_of_iterations(&self) -> bool {
        self.iterations > self.iterations_left
    }

    pub fn is_short_of_money(&self) -> bool {
        self.cost_usd.zip(self.cost_left_usd).is_some_and(|(needed, left)| needed > left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: ReviewPolicy = ReviewPolicy::Required { cap: 5 };

    fn list(states: &[&str]) -> TaskList {
        let stories: Vec<serde_json::Value> = states
            .iter()
            .enumerate()
            .map(|(index, state)| {
                let status =
                    if *state == "new" { serde_json::Value::Null } else { (*state).into() };
                serde_json::json!({
                    "id": format!("US-{index}"), "title": "t", "acceptanceCriteria": ["c"],
                    "priority": 1, "passes": *state == "approved", "reviewStatus": status,
                    "reviewCount": 0, "reviewFeedback": "f", "notes": "n"
                })
            })
            .collect();
        let list = serde_json::json!({
            "project": "p", "branchName": "b", "description": "d", "userStories": stories
        });
        tasks::inspect(list.to_string().as_bytes()).list.unwrap()
    }

    fn of(states: &[&str], review: ReviewPolicy, experience: Experience) -> Option<Estimate> {
        let left = Left { iterations: 10, cost_usd: Some(4.0) };
        estimate(&list(states), &BTreeSet::new(), &Scope::default(), review, &experience, left)
    }

    #[test]
    fn stories_times_the_usual_iterations_where_nothing_is_known() {
        let estimate = of(&["new", "new", "approved"], REVIEW, Experience::default()).unwrap();
        assert_eq!((estimate.stories, estimate.iterations), (2, 6));
        assert_eq!((estimate.basis, estimate.cost_usd), (Basis::Usual, None));
        let skipped = of(&["new", "new"], ReviewPolicy::Skipped, Experience::default()).unwrap();
        assert_eq!(skipped.iterations, 2);
    }

    #[test]
    fn a_story_that_is_submitted_has_a_third_behind_it() {
        for state in ["needs_review", "changes_requested"] {
            let estimate = of(&[state], REVIEW, Experience::default()).unwrap();
            assert_eq!((estimate.stories, estimate.iterations), (1, 2), "{state}");
        }
    }

    #[test]
    fn what_earlier_stories_took_counts_once_there_are_enough() {
        let took = |stories_done| Experience { iterations: 9, stories_done, cost_usd: 4.5 };
        let estimate = of(&["new", "new"], REVIEW, took(2)).unwrap();
        assert_eq!((estimate.basis, estimate.iterations_per_story), (Basis::SoFar, 4.5));
        assert_eq!((estimate.iterations, estimate.cost_usd), (9, Some(4.5)));
        let one = of(&["new", "new"], REVIEW, took(1)).unwrap();
        assert_eq!((one.basis, one.iterations), (Basis::Usual, 6));
        assert_eq!(one.cost_per_iteration_usd, Some(0.5), "money is known all the same");
    }

    #[test]
    fn what_does_not_suffice_is_told() {
        let took = Experience { iterations: 12, stories_done: 3, cost_usd: 12.0 };
        let estimate = of(&["new", "new"], REVIEW, took).unwrap();
        assert!(!estimate.is_short_of_iterations() && estimate.is_short_of_money());
        let more = of(&["new", "new", "new"], REVIEW, took).unwrap();
        assert!(more.is_short_of_iterations());
    }

    #[test]
    fn what_is_done_or_set_aside_takes_nothing() {
        assert_eq!(of(&["approved"], REVIEW, Experience::default()), None);
        let given_up = BTreeSet::from([StoryId::new("US-0").unwrap()]);
        let left = Left { iterations: 1, cost_usd: None };
        let of = |list: &TaskList, given_up: &BTreeSet<StoryId>, scope: &Scope| {
            estimate(list, given_up, scope, REVIEW, &Experience::default(), left)
        };
        assert_eq!(of(&list(&["new"]), &given_up, &Scope::default()), None);
        let only = Scope::of(StoryId::new("US-1").unwrap());
        let limited = of(&list(&["new", "new", "new"]), &BTreeSet::new(), &only).unwrap();
        assert_eq!((limited.stories, limited.iterations), (1, 3));
    }
}
