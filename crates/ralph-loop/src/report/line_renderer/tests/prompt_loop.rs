//! Output of a loop without stories.

use events::*;

use super::{rendered, renderer};
use crate::report::test_events::a_prompt_loop;

fn all(kind: LoopKind, branch: &str, cost: f64) -> String {
    rendered(&renderer(None), &a_prompt_loop(kind, branch, cost))
}

#[test]
fn it_shows_the_prompt_and_counts_iterations() {
    let expected = "PROMPT.md · branch main · codex · ralph-loop 0.1.0
  prompt loop · up to 10 iterations

━━ iteration 1/10 · prompt · PROMPT.md
  ✅ accepted · 4m 12s (agent 3m 50s, checks 20s) · $0.42 · so far $0.42

━━ ✅ complete

  3 iterations · 2 accepted, 1 failed · 12s · $0.42

  ralph-loop report                  results and next steps
  .ralph/runs/20261115-010000-ab12/  report.md, session.log, and all events, prompts and answers
  ralph-loop status                  current state
  git log main                       commits of the run
";
    assert_eq!(all(LoopKind::Prompt, "main", 0.42), expected);
}

#[test]
fn without_git_there_is_no_branch_and_a_cost_that_is_not_reported_is_unknown() {
    let text = all(LoopKind::Build, "", 0.0);
    assert!(
        text.starts_with("PROMPT.md · codex · ralph-loop 0.1.0\n  build loop · up to 10"),
        "{text}"
    );
    assert!(!text.contains("git") && !text.contains('$') && !text.contains("so far"), "{text}");
    assert!(text.contains(" failed · 12s · cost unknown\n"), "{text}");
    assert!(all(LoopKind::Plan, "", 0.0).contains("\n  plan loop · "));
}

#[test]
fn a_story_loop_shows_that_reviews_are_off() {
    let mut events = crate::report::test_events::a_run();
    if let LoopEvent::RunStarted { start, .. } = &mut events[0].event {
        start.review_cap = None;
    }
    let text = rendered(&renderer(None), &events[..1]);
    assert!(text.contains(" · no reviews · "), "{text}");
}

#[test]
fn a_run_shows_the_story_that_it_is_limited_to() {
    let mut events = crate::report::test_events::a_run();
    if let LoopEvent::RunStarted { start, .. } = &mut events[0].event {
        start.only_story = Some(crate::report::test_events::id("US-002"));
    }
    let text = rendered(&renderer(None), &events[..1]);
    assert!(text.contains("done · limited to US-002 · up to 15 iterations"), "{text}");
}
