//! Next steps, by the result of a run.

use events::{GiveUpReason, GivenUp, LoopEvent, Stamped};

use super::*;
use crate::report::test_events::*;
use crate::run_report::tests::report;

fn steps(events: &[Stamped]) -> Vec<NextStep> {
    report(events).next
}

/// The commands after a story run with this result and without failures.
fn after(ended_as: RunEnd) -> Vec<String> {
    let events = [a_run().swap_remove(0), stamped(60, run_ended(ended_as))];
    steps(&events).into_iter().flat_map(|step| step.commands).collect()
}

#[test]
fn every_result_has_its_command() {
    for (end, command) in [
        (RunEnd::IterationsUsed, "ralph-loop --resume -n 30"),
        (RunEnd::TimeUsed, "ralph-loop --resume --run-timeout 3h"),
        (RunEnd::CostCeiling, "ralph-loop --resume --max-cost-usd 5"),
        (RunEnd::QuotaCeiling, "ralph-loop --resume"),
        (RunEnd::AgentFailed, "ralph-loop --resume"),
        (RunEnd::ReviewerFailed, "ralph-loop --resume --review-agent …"),
        (RunEnd::Blocked, "ralph-loop status"),
        (RunEnd::GitFailed, "ralph-loop"),
        (RunEnd::DiskFailed, "ralph-loop"),
        (RunEnd::Interrupted, "ralph-loop"),
        (RunEnd::Terminated, "ralph-loop"),
        (RunEnd::HungUp, "ralph-loop"),
        (RunEnd::PlanMissing, "ralph-loop plan"),
    ] {
        assert_eq!(after(end), [command], "{end}");
    }
}

#[test]
fn finished_work_is_merged_into_the_base_branch() {
    let archive = "ralph-loop archive";
    assert_eq!(after(RunEnd::Complete), ["git switch main", "git merge ralph/shop", archive]);
    let mut first = a_run().swap_remove(0);
    let LoopEvent::RunStarted { start, .. } = &mut first.event else { unreachable!() };
    start.base = Some("a b".into());
    let events = |first: &Stamped| [first.clone(), stamped(60, run_ended(RunEnd::Complete))];
    assert_eq!(steps(&events(&first))[0].commands, ["git switch 'a b'", "git merge ralph/shop"]);
    let LoopEvent::RunStarted { start, .. } = &mut first.event else { unreachable!() };
    start.base = None;
    assert_eq!(steps(&events(&first))[0].commands, [archive]);
}

#[test]
fn an_agent_that_is_not_logged_in_needs_a_login() {
    let outcome = AgentOutcome::LoginNeeded;
    let events = [
        a_run().swap_remove(0),
        stamped(50, agent_ended(outcome, "", &[])),
        stamped(60, run_ended(RunEnd::AgentFailed)),
    ];
    assert_eq!(steps(&events)[0].text, "Log in: start claude once yourself. Then continue.");
}

#[test]
fn a_run_limited_to_a_story_continues_with_it_and_then_with_the_others() {
    let after = |ended_as| {
        let mut start = a_run().swap_remove(0);
        if let LoopEvent::RunStarted { start, .. } = &mut start.event {
            start.only_story = Some(id("US-002"));
        }
        let steps = steps(&[start, stamped(60, run_ended(ended_as))]).into_iter();
        steps.flat_map(|step| step.commands).collect::<Vec<_>>()
    };
    assert_eq!(after(RunEnd::Complete), ["ralph-loop"]);
    assert_eq!(after(RunEnd::Interrupted), ["ralph-loop run --story=US-002"]);
    let more = "ralph-loop run --story=US-002 --resume -n 30";
    assert_eq!(after(RunEnd::IterationsUsed), [more]);
}

#[test]
fn a_prompt_loop_continues_with_its_own_command() {
    let mut events = a_prompt_loop(LoopKind::Build, "main", 0.0);
    if let LoopEvent::RunEnded(events::RunEnded { end, .. }) = &mut events.last_mut().unwrap().event
    {
        *end = RunEnd::IterationsUsed;
    }
    assert_eq!(steps(&events)[0].commands, ["ralph-loop build --resume -n 20"]);
}

/// The next steps after a run with a failed story.
fn with_failed_story(ended_as: RunEnd) -> Vec<NextStep> {
    let mut events = a_run_with_failures();
    if let LoopEvent::RunEnded(events::RunEnded { end, stories, .. }) =
        &mut events.last_mut().unwrap().event
    {
        *end = ended_as;
        stories[3].passes = false;
    }
    steps(&events)
}

#[test]
fn an_unfinished_run_is_continued_first() {
    for (end, first) in [
        (RunEnd::IterationsUsed, "ralph-loop --resume -n 30"),
        (RunEnd::TimeUsed, "ralph-loop --resume --run-timeout 3h"),
        (RunEnd::Interrupted, "ralph-loop"),
    ] {
        let steps = with_failed_story(end);
        assert_eq!(steps[0].commands, [first], "{end}");
        let anew = steps.iter().find(|step| step.commands == ["ralph-loop --fresh"]).unwrap();
        let later = "After the rest, retry US-003 and US-005: make the stories smaller";
        assert!(anew.text.starts_with(later), "{}", anew.text);
    }
    let steps = steps(&a_run_with_failures());
    assert!(steps.iter().any(|step| step.text.starts_with("Or retry US-003 and US-005: ")));
}

/// The next steps for a failed story.
fn about(commits: StoryCommits, branch: Option<&str>) -> Vec<NextStep> {
    let given_up =
        GivenUp { branch: branch.map(Into::into), ..given_up(GiveUpReason::AttemptsUsed, commits) };
    let event = LoopEvent::StoryGivenUp { story: id("US-002"), given_up };
    let steps = steps(&[a_run().swap_remove(0), stamped(60, event)]);
    steps.into_iter().filter(|step| step.text.starts_with("US-002: ")).collect()
}

#[test]
fn work_is_shown_and_applied_unless_it_is_still_on_the_branch() {
    let commands = |steps: &[NextStep]| -> Vec<usize> {
        steps.iter().map(|step| step.commands.len()).collect()
    };
    assert_eq!(commands(&about(StoryCommits::Rewound, Some("wip/f"))), [1, 2]);
    let stays = about(StoryCommits::Kept { conflicts: vec![] }, Some("wip/f"));
    assert_eq!(commands(&stays), [1]);
    assert!(stays[0].text.contains("Its commits are still on the branch"), "{}", stays[0].text);
    assert_eq!(commands(&about(StoryCommits::Nothing, None)), [0]);
}

#[test]
fn shell_metacharacters_in_names_are_quoted() {
    let undone = StoryCommits::Reverted { commit: "abc".into(), checks: ChecksWithout::Passed };
    let steps = about(undone, Some("wip/$(reboot);`x`"));
    assert!(steps[1].commands[1].starts_with("git diff --binary abc 'wip/$(reboot);`x`' -- . "));
}

#[test]
fn a_check_that_fails_without_reverted_work_comes_first() {
    let failed = |approved: &[&str]| {
        let checks = ChecksWithout::Failed {
            command: "make test".into(),
            error: "no helper".into(),
            approved: approved.iter().map(|name| id(name)).collect(),
        };
        about(StoryCommits::Reverted { commit: "abc".into(), checks }, Some("wip/f")).swap_remove(0)
    };
    let step = failed(&["US-001", "US-003"]);
    assert!(step.text.ends_with("Check US-001 and US-003 first, approved after US-002 began."));
    assert_eq!(step.commands, ["make test"]);
    assert!(failed(&[]).text.ends_with("other code depends on it."));
}
