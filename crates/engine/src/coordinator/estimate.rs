//! Estimates the remaining iterations, time and cost of a task list.

use std::collections::BTreeSet;

use events::{Estimate, EstimateBasis, Figures};
use tasks::{ReviewPolicy, Scope, Story, StoryId, TaskList};

use crate::coordinator::core::Coordinator;
use crate::options::StoryOptions;

/// Implementation and review, with every second story fixed and reviewed once more.
const WITH_REVIEW: f64 = 3.0;
const WITHOUT_REVIEW: f64 = 1.0;

/// With fewer finished stories the usual values are used.
const ENOUGH_STORIES: u64 = 2;

impl Coordinator<'_> {
    /// What the open stories need, against what this run may still use.
    pub(crate) fn estimate(&self, list: &TaskList) -> Option<Estimate> {
        let StoryOptions { run, review, so_far, .. } = self.options;
        let counters = self.state.counters;
        let left = RemainingBudget {
            iterations: run.policy.max_iterations.saturating_sub(counters.iterations),
            cost_usd: run.policy.max_cost_usd.map(|most| most - counters.cost_usd),
        };
        estimate(list, &self.state.given_up(), &self.state.scope, *review, so_far, left)
    }
}

/// Remaining budget of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RemainingBudget {
    iterations: u64,
    cost_usd: Option<f64>,
}

/// `None` if nothing is left to do.
fn estimate(
    list: &TaskList,
    given_up: &BTreeSet<StoryId>,
    scope: &Scope,
    review: ReviewPolicy,
    so_far: &Figures,
    left: RemainingBudget,
) -> Option<Estimate> {
    let is_open =
        |story: &Story| !story.passes && !given_up.contains(&story.id) && scope.contains(&story.id);
    let open = list.stories.iter().filter(|story| is_open(story));
    // A submitted story is already implemented.
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
    let (basis, per_story) = per_story(review, so_far);
    let iterations = (parts.iter().sum::<f64>() * per_story).ceil();
    let cost_each = so_far.cost_per_iteration();
    Some(Estimate {
        stories: parts.len() as u64,
        iterations_per_story: per_story,
        basis,
        iterations: iterations as u64,
        seconds: so_far.seconds_per_iteration().map(|each| each * iterations),
        cost_per_iteration_usd: cost_each,
        cost_usd: cost_each.map(|each| each * iterations),
        iterations_left: left.iterations,
        cost_left_usd: left.cost_usd,
    })
}

fn per_story(review: ReviewPolicy, so_far: &Figures) -> (EstimateBasis, f64) {
    let usual = match review {
        ReviewPolicy::Required { .. } => WITH_REVIEW,
        ReviewPolicy::Skipped => WITHOUT_REVIEW,
    };
    match so_far.iterations_per_story().filter(|_| so_far.stories_done >= ENOUGH_STORIES) {
        Some(each) => (EstimateBasis::SoFar, each.max(1.0)),
        None => (EstimateBasis::Usual, usual),
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

    fn of(states: &[&str], review: ReviewPolicy, so_far: Figures) -> Option<Estimate> {
        let left = RemainingBudget { iterations: 10, cost_usd: Some(4.0) };
        estimate(&list(states), &BTreeSet::new(), &Scope::default(), review, &so_far, left)
    }

    fn so_far(iterations: u64, stories_done: u64, usd: f64) -> Figures {
        let seconds = 60.0 * iterations as f64;
        Figures { iterations, stories_done, seconds, cost_usd: Some(usd), ..Figures::default() }
    }

    #[test]
    fn without_earlier_runs_the_usual_iterations_are_used() {
        let estimate = of(&["new", "new", "approved"], REVIEW, Figures::default()).unwrap();
        assert_eq!((estimate.stories, estimate.iterations), (2, 6));
        assert_eq!((estimate.basis, estimate.cost_usd), (EstimateBasis::Usual, None));
        assert_eq!(estimate.seconds, None);
        let skipped = of(&["new", "new"], ReviewPolicy::Skipped, Figures::default()).unwrap();
        assert_eq!(skipped.iterations, 2);
    }

    #[test]
    fn a_submitted_story_needs_two_thirds() {
        for state in ["needs_review", "changes_requested"] {
            let estimate = of(&[state], REVIEW, Figures::default()).unwrap();
            assert_eq!((estimate.stories, estimate.iterations), (1, 2), "{state}");
        }
    }

    #[test]
    fn earlier_stories_count_once_there_are_enough() {
        let took = |stories_done| so_far(9, stories_done, 4.5);
        let estimate = of(&["new", "new"], REVIEW, took(2)).unwrap();
        assert_eq!((estimate.basis, estimate.iterations_per_story), (EstimateBasis::SoFar, 4.5));
        assert_eq!((estimate.iterations, estimate.cost_usd), (9, Some(4.5)));
        assert_eq!(estimate.seconds, Some(540.0));
        let one = of(&["new", "new"], REVIEW, took(1)).unwrap();
        assert_eq!((one.basis, one.iterations), (EstimateBasis::Usual, 6));
        assert_eq!(one.cost_per_iteration_usd, Some(0.5), "the cost is known anyway");
    }

    #[test]
    fn missing_iterations_and_money_are_detected() {
        let took = so_far(12, 3, 12.0);
        let estimate = of(&["new", "new"], REVIEW, took).unwrap();
        assert!(!estimate.is_short_of_iterations() && estimate.is_short_of_money());
        let more = of(&["new", "new", "new"], REVIEW, took).unwrap();
        assert!(more.is_short_of_iterations());
    }

    #[test]
    fn done_and_given_up_stories_need_nothing() {
        assert_eq!(of(&["approved"], REVIEW, Figures::default()), None);
        let given_up = BTreeSet::from([StoryId::new("US-0").unwrap()]);
        let left = RemainingBudget { iterations: 1, cost_usd: None };
        let of = |list: &TaskList, given_up: &BTreeSet<StoryId>, scope: &Scope| {
            estimate(list, given_up, scope, REVIEW, &Figures::default(), left)
        };
        assert_eq!(of(&list(&["new"]), &given_up, &Scope::default()), None);
        let only = Scope::of(StoryId::new("US-1").unwrap());
        let limited = of(&list(&["new", "new", "new"]), &BTreeSet::new(), &only).unwrap();
        assert_eq!((limited.stories, limited.iterations), (1, 3));
    }
}
