//! Reports of complete runs.

use chrono::Offset;
use events::run_logs;
use events::{LoopEvent, QualityOutcome, Stamped, WaitingStory};

use super::*;
use crate::report::test_events::*;
use crate::status::RunStatus;

mod memory;
mod proofs;
mod summary;

fn report_of(events: &[Stamped], is_alive: bool) -> RunReport {
    let (chain, _) = run_logs::chain(log(events).as_bytes(), None).unwrap();
    let view = events::RunView::of(events);
    RunReport::of(&RunStatus {
        state: RunState::of(view.end.as_ref(), is_alive),
        folder: format!(".ralph/runs/{}", view.id),
        view,
        unread_lines: 0,
        newer_lines: 0,
        log: chain.check(),
    })
}

/// The report of a run with these events, whose runner is not alive.
pub(super) fn report(events: &[Stamped]) -> RunReport {
    report_of(events, false)
}

fn running_report(events: &[Stamped]) -> RunReport {
    report_of(events, true)
}

fn shown(events: &[Stamped]) -> String {
    let report = report(events);
    // The figures change with the samples.
    markdown(&report, Utc.fix()).replace(&report.log.figures(), "57 events, sha256 9f86")
}

#[test]
fn the_report_of_a_run_with_failures() {
    assert_eq!(shown(&a_run_with_failures()), include_str!("a_run_with_failures.md"));
}

#[test]
fn a_story_of_a_lane_names_when_it_was_merged() {
    let events = a_run_with_lanes_to_its_end();
    let text = shown(&events);
    for line in [
        "| Story | Title | Reviews | Failed attempts | Cost | Merged |",
        "| US-001 | A cart that keeps its items | 1 | 1 | $1.00 | 2026-11-15 01:12, lane 1 |",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let json = serde_json::to_value(report(&events)).unwrap();
    let merged = &json["completed"][1]["merged"];
    assert_eq!((&merged["lane"], &merged["at"]), (&2.into(), &"2026-11-15T01:07:01Z".into()));
    let alone = serde_json::to_value(report(&a_run_with_failures())).unwrap();
    assert!(alone["completed"][0].get("merged").is_none());
}

/// The log of a run that was interrupted and resumed.
fn resumed() -> Vec<Stamped> {
    let mut events = a_run_with_failures();
    let given_up =
        events.iter().position(|s| matches!(s.event, LoopEvent::StoryGivenUp { .. })).unwrap();
    let mut again = events[0].clone();
    let stories_before = {
        let mut view = crate::report::RunView::default();
        events[..given_up].iter().for_each(|stamped| view.apply(stamped));
        view.stories
    };
    if let LoopEvent::RunStarted { stories, resumed, .. } = &mut again.event {
        let so_far = events::Resumed { iterations: 8, cost_usd: 5.0, seconds: None };
        (*stories, *resumed) = (stories_before, Some(so_far));
    }
    let mut end = stamped(0, run_ended(RunEnd::Interrupted));
    end.at = events[given_up].at;
    again.at = events[given_up].at + chrono::TimeDelta::hours(8);
    events.splice(given_up..given_up, [end, again]);
    events
}

#[test]
fn a_run_that_was_resumed_is_one_run() {
    let whole = report(&resumed());
    let once = report(&a_run_with_failures());
    assert_eq!((whole.starts, once.starts), (2, 1));
    assert_eq!(whole.failed[0].history.len(), 5);
    assert_eq!((&whole.completed, &whole.failed), (&once.completed, &once.failed));
    // Both parts of the run, without the time between them.
    assert_eq!(whole.seconds, 5652.0 + 4800.0);
    assert_eq!(whole.started, once.started);
    let text = markdown(&whole, Utc.fix());
    assert!(text.contains(", 2h 54m of work in 2 starts\n"), "{text}");
    assert!(text.contains("**stories failed** (exit code 1). "), "{text}");
}

#[test]
fn events_repeated_after_a_kill_count_once() {
    let mut events = a_run_with_failures();
    let of = |event: &LoopEvent| {
        matches!(event, LoopEvent::AttemptFailed { .. } | LoopEvent::Escalated { .. })
    };
    let again: Vec<_> = events.iter().filter(|stamped| of(&stamped.event)).cloned().collect();
    for twice in again.into_iter().rev() {
        let at = events.iter().position(|stamped| *stamped == twice).unwrap();
        events.insert(at, twice);
    }
    assert_eq!(report(&events).failed, report(&a_run_with_failures()).failed);
}

#[test]
fn a_resumed_run_has_not_ended() {
    let events = resumed();
    let until = events.iter().rposition(|s| matches!(s.event, LoopEvent::RunStarted { .. }));
    let going = running_report(&events[..=until.unwrap()]);
    assert_eq!((going.state, going.end.is_none()), (RunState::Running, true));
}

#[test]
fn a_killed_run_is_reported_up_to_its_last_event() {
    let events = a_run_with_failures();
    let until = events.iter().rposition(|s| matches!(s.event, LoopEvent::StoryGivenUp { .. }));
    let killed = report(&events[..=until.unwrap()]);
    assert_eq!(killed.state, RunState::Died);
    let text = markdown(&killed, Utc.fix());
    let first = "**ended without a result**: it was killed, or the machine went down. \
        **3 of 6 stories are done; US-003 and US-005 failed, US-006 is blocked.**\n";
    assert!(text.contains(first), "{text}");
    assert!(text.contains("- From 2026-11-15 01:00 to last event at "), "{text}");
    // Dependants are recorded when a story is given up, and again at the end, which is missing here.
    assert_eq!(killed.blocked[0].waits_for, [id("US-003")]);
    assert_eq!(killed.next[0].commands, ["ralph-loop"]);
    let running = running_report(&events[..=until.unwrap()]);
    let text = markdown(&running, Utc.fix());
    assert!(text.contains("**still running**. **3 of 6"), "{text}");
    assert!(!text.contains("--fresh") && text.contains("ralph-loop status"), "{text}");
}

#[test]
fn indirect_dependants_are_blocked_and_other_stories_unfinished() {
    let mut events = a_run_with_failures();
    let Some(LoopEvent::RunEnded(events::RunEnded { stories, waiting, .. })) =
        events.last_mut().map(|stamped| &mut stamped.event)
    else {
        unreachable!()
    };
    for name in ["US-007", "US-008", "US-009"] {
        stories.push(story(name, "x", tasks::ReviewStatus::NotSubmitted, 0));
    }
    for (name, for_) in [("US-007", "US-006"), ("US-009", "US-008")] {
        waiting.insert(0, WaitingStory { story: id(name), waits_for: vec![id(for_)] });
    }
    let report = report(&events);
    let ids = |facts: Vec<&StoryFacts>| facts.iter().map(|f| f.id.to_string()).collect::<Vec<_>>();
    let blocked = ids(report.blocked.iter().map(|story| &story.facts).collect());
    assert_eq!(blocked, ["US-006", "US-007"]);
    let unfinished = ids(report.unfinished.iter().map(|story| &story.facts).collect());
    assert_eq!(unfinished, ["US-008", "US-009"]);
}

#[test]
fn unfinished_stories_show_their_state() {
    let events = a_run_with_failures();
    let until = events.iter().position(|s| matches!(s.event, LoopEvent::StoryGivenUp { .. }));
    let text = shown(&events[..until.unwrap()]);
    let line = "- US-003 Add \\*authentication\\* \\| tokens: open, 5 of 5 attempts failed, the last at \
        tests: ``assertion `left == right` failed | src/auth.rs`` (cost $2.10)\n";
    assert!(text.contains("\n## Not finished\n"), "{text}");
    assert!(text.contains(line), "{text}");
    assert!(!text.contains("## Failed") && !text.contains("## Blocked"), "{text}");
}

#[test]
fn a_failed_quality_check_of_a_failed_story_is_unknown() {
    let quality_line = |outcome| {
        let mut events = a_run_with_failures();
        let mut checked = quality(outcome, &[]);
        if let LoopEvent::QualityChecked { story, .. } = &mut checked {
            *story = id("US-003");
        }
        events.insert(1, stamped(1, checked));
        let text = shown(&events);
        text.lines().find(|line| line.starts_with("- Quality warnings: ")).unwrap().to_owned()
    };
    assert_eq!(quality_line(QualityOutcome::Checked), "- Quality warnings: 0");
    assert_eq!(
        quality_line(QualityOutcome::TimedOut),
        "- Quality warnings: unknown: the quality check timed out"
    );
}

#[test]
fn the_cost_of_a_blocked_story_is_shown() {
    let mut events = a_run_with_failures();
    if let LoopEvent::RunEnded(events::RunEnded { stories, .. }) =
        &mut events.last_mut().unwrap().event
    {
        stories[5].cost_usd = 0.3;
    }
    let text = shown(&events);
    assert!(text.contains(": waits for US-003 (cost $0.30)\n"), "{text}");
}

#[test]
fn a_prompt_loop_has_a_short_report() {
    let text = shown(&a_prompt_loop(events::LoopKind::Build, "main", 0.0));
    assert_eq!(
        text,
        "\
# Ralph Loop Execution Summary

**PROMPT.md**: **complete** (exit code 0).

- Branch `main`, the build loop with codex
- From 2026-11-15 01:00 to 01:04 (UTC+00:00), 12s of work
- 3 of 10 iterations used, cost unknown
- Files: `.ralph/runs/20261115-010000-ab12/`
- Event log: 57 events, sha256 9f86
"
    );
}

#[test]
fn an_unknown_cost_is_not_shown_as_zero() {
    let mut events = a_run_with_failures();
    for stamped in &mut events {
        match &mut stamped.event {
            LoopEvent::IterationEnded(events::IterationEnded {
                cost_usd, total_cost_usd, ..
            }) => {
                (*cost_usd, *total_cost_usd) = (0.0, 0.0);
            }
            LoopEvent::RunEnded(events::RunEnded { cost_usd, stories, .. }) => {
                *cost_usd = 0.0;
                stories.iter_mut().for_each(|story| story.cost_usd = 0.0);
            }
            _ => {}
        }
    }
    let text = shown(&events);
    assert!(!text.contains('$') && text.contains("- Cost: unknown\n"), "{text}");
}

/// Untrusted text never becomes Markdown structure.
#[test]
fn untrusted_text_is_escaped() {
    let evil = "x\n\n# evil\n| a | b |\n```\n- y\x1b[2J\u{202e}<img>`";
    let json = serde_json::to_string(evil).unwrap();
    let json = &json[1..json.len() - 1];
    let mut events = Vec::new();
    for stamped in a_run_with_failures() {
        let line = stamped.to_line();
        let mut line = line.replace("Rounding", json).replace("Add *auth", json);
        for text in ["assertion", "a3f2b7c1", "ralph-fail-US-003", "login() does", "ralph/shop"] {
            line = line.replace(text, json);
        }
        for text in ["test_expired", "tests/test_auth.py", "All is done", "fedcba98"] {
            line = line.replace(text, json);
        }
        events.push(Stamped::from_line(line.as_bytes()).unwrap());
    }
    let (calm, text) = (shown(&a_run_with_failures()), shown(&events));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'));
    assert_eq!(text.lines().count(), calm.lines().count(), "{text}");
    let headings = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(headings(&text), headings(&calm));
    for row in text.lines().filter(|line| line.starts_with("| US-")) {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
    for row in text.lines().filter(|line| line.starts_with("| 1 | 4 |")) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 7, "{row}");
    }
}

/// Parsers keep only one of two equal keys.
#[test]
fn the_json_form_has_no_duplicate_keys() {
    let written = report(&a_run_with_failures()).to_json();
    let read: serde_json::Value = serde_json::from_str(&written).unwrap();
    let again = serde_json::to_string_pretty(&read).unwrap();
    assert_eq!(written.lines().count(), again.lines().count());
}

#[test]
fn the_json_form_keeps_its_names() {
    let json: serde_json::Value =
        serde_json::from_str(&report(&a_run_with_failures()).to_json()).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!((&json["state"], &json["loop"]), (&"ended".into(), &"stories".into()));
    assert_eq!(
        (&json["end"]["end"], &json["end"]["exitCode"]),
        (&"stories-failed".into(), &1.into())
    );
    assert_eq!(json["completed"][1]["autoApproved"], "Rounding | *still* off");
    assert_eq!(json["completed"][0]["autoApproved"], serde_json::Value::Null);
    let failed = &json["failed"][0];
    assert_eq!(failed["id"], "US-003");
    let given_up = &failed["givenUp"];
    assert_eq!((&given_up["attempts"], &given_up["of"]), (&5.into(), &5.into()));
    assert_eq!(
        (&given_up["lastGate"], &given_up["errorHash"]),
        (&"tests".into(), &"a3f2b7c1".into())
    );
    assert_eq!(given_up["givenUpAt"], "2026-11-15T02:06:40Z");
    assert_eq!(given_up["stuck"]["strategyShifts"], 2);
    assert_eq!(given_up["commits"]["kind"], "rewound");
    assert_eq!(failed["history"][4]["given"][1], "context-expansion");
    assert_eq!(json["blocked"][0]["waitsFor"][0], "US-003");
    assert_eq!(json["weakenedTests"][0]["path"], "tests/test_auth.py");
    assert_eq!(json["quality"][0]["warnings"][0], "login() does two things");
    assert_eq!(json["timeLimits"][0]["limit"], "hard");
    assert_eq!(json["next"][1]["commands"].as_array().unwrap().len(), 2);
}

/// A plan loop in which the same check fails `times` times, with varying output.
fn a_plan_loop_that_fails(times: u64) -> Vec<Stamped> {
    let mut events = a_prompt_loop(events::LoopKind::Plan, "main", 0.0);
    let mut end = events.pop().unwrap();
    if let LoopEvent::RunEnded(events::RunEnded { end, exit_code, .. }) = &mut end.event {
        (*end, *exit_code) = (events::RunEnd::IterationsUsed, 1);
    }
    let (started, ended) = (events[1].clone(), events[2].clone());
    events.truncate(1);
    for iteration in 1..=times {
        let gate = LoopEvent::CheckEnded(events::CheckRecord {
            command: "./check plan".into(),
            outcome: events::CheckOutcome::Failed(Some(1)),
            seconds: iteration as f64,
            fail_action: events::FailAction::default(),
            log: format!(".ralph/runs/r/{iteration:03}/guardrail_check.log"),
            tail: vec![format!("error: no section Risks (took 0.{iteration}s)")],
        });
        let mut ended = ended.clone();
        if let LoopEvent::IterationEnded(events::IterationEnded { status, .. }) = &mut ended.event {
            *status = events::IterationStatus::ChecksFailed;
        }
        events.extend([started.clone(), stamped(60, gate), ended]);
    }
    events.push(end);
    events
}

#[test]
fn a_repeated_failure_is_shown_first() {
    let events = a_plan_loop_that_fails(10);
    let text = shown(&events);
    let named = "**10 of 10 iterations failed in the same way**: check `./check plan` failed (exit code 1): \
                 error: no section Risks";
    let at = text.find(named).unwrap_or_else(|| panic!("{text}"));
    assert!(at < text.find("- Branch").unwrap(), "{text}");
    let next = text.split("## What to do next").nth(1).unwrap();
    assert!(next.starts_with("\n\nFix the repeated failure first"), "{text}");
    assert!(next.contains("\nless .ralph/runs/r/010/guardrail_check.log\n"), "{text}");
    assert!(!shown(&a_plan_loop_that_fails(1)).contains("in the same way"));
}

#[test]
fn a_repeatedly_refused_completion_is_a_repeated_failure() {
    let mut events = a_prompt_loop(events::LoopKind::Plan, "main", 0.0);
    let why = Some("implementation_plan.md is not there".to_owned());
    events.insert(
        2,
        stamped(
            200,
            LoopEvent::CompletionClaimed {
                accepted: false,
                basis: events::ClaimBasis::Checks,
                why,
            },
        ),
    );
    let again = events[1..4].to_vec();
    events.splice(4..4, again);
    let text = shown(&events);
    let named = "**2 of 2 iterations failed in the same way**: the agent reported completion, \
                 but implementation\\_plan.md is not there.";
    assert!(text.contains(&named.replace("\\_", "_")), "{text}");
}

/// Regardless of restarts and waits.
#[test]
fn report_closing_screen_and_status_show_the_same_duration() {
    for events in [resumed(), a_run(), a_run_with_failures()] {
        let report = report(&events);
        let worked = crate::report::duration(report.seconds);
        assert!(shown(&events).contains(&format!(", {worked} of work")), "{worked}");
        let closing = closing_screen(&events);
        let mut lines = closing.lines();
        assert!(lines.any(|line| line.contains(" done ") && line.contains(&worked)), "{closing}");
        let mut view = crate::report::RunView::default();
        events.iter().for_each(|stamped| view.apply(stamped));
        assert_eq!(view.end.unwrap().seconds, report.seconds);
    }
}

fn closing_screen(events: &[Stamped]) -> String {
    use crate::report::{LineRenderer, Marks, Plain, Reporter};
    let mut out = Vec::new();
    let mut plain = Plain::new(&mut out, LineRenderer::plain(Marks::EMOJI));
    events.iter().for_each(|stamped| plain.event(stamped).unwrap());
    drop(plain);
    String::from_utf8(out).unwrap()
}
