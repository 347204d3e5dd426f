//! The latest run: running, ended, killed; its orders and its log.

use project::orders::Order;

use super::*;
use crate::report::test_events::{a_run_with_lanes, a_run_with_lanes_to_its_end, id, stamped};

#[test]
fn a_run_that_works() {
    let run = run(&until(|event| matches!(event, LoopEvent::Context { .. })));
    let status = running_status(70, task_list(), run);
    assert_eq!(status.run.as_ref().unwrap().state, RunState::Running);
    assert_eq!(
        shown(&status, Some(80)),
        "\
shop · branch ralph/shop

  Story   Title                                 State      Reviews  Failed  Cost
  US-001  A cart that keeps its items           approved         1       0     -
  US-002  Sums with tax                         in review        1       0     -
  US-003  Receipts in the customer's own lang…  open             1       0     -

  1 of 3 done · 3 iterations · $1.50

● running · for 1m 10s · pid 4711
  iteration 3/15 · review · US-002 Sums with tax · 1m 08s · context 42%
  last activity 1m 03s ago: Bash(cargo test -p cart)
  files: .ralph/runs/20261115-010000-ab12/
  event log: 57 events, sha256 9f86

next: review US-002 Sums with tax
"
    );
}

#[test]
fn each_lane_has_a_line_and_then_the_stories_to_merge() {
    let status = running_status(810, task_list(), run(&a_run_with_lanes()));
    let text = shown(&status, None);
    let lanes = "
● running · for 13m 30s · pid 4711
  lane 1 US-005 · implement · 1m 18s · context 20% · Bash(cargo test US-005)
  lane 2 US-004 · waiting for merge · 9s
  lane 3 US-003 · merging · 30s · check 1/1, 29s: cargo test
  waiting to be merged: US-004
  last activity 9s ago: US-004 is approved and waits to be merged
";
    assert!(text.contains(lanes), "{text}");
    let json = serde_json::to_value(&status).unwrap();
    assert_eq!(json["run"]["lanes"][2]["story"], "US-003");
    assert_eq!(json["run"]["mergeQueue"][0]["lane"], 2);
    let over = status_of_ended();
    assert!(!over.contains("lane "), "{over}");
}

#[test]
fn stories_in_lanes_are_in_work_and_not_next() {
    let events = a_run_with_lanes();
    let of = |seconds| {
        let events: Vec<_> =
            events.iter().take_while(|one| one.at <= at(seconds)).cloned().collect();
        let text = shown(&running_status(seconds, task_list(), run(&events)), None);
        let state = |id: &str| {
            let row = text.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
            row.split("  ").filter(|cell| !cell.is_empty()).nth(2).unwrap().trim().to_owned()
        };
        let next = text.lines().find_map(|line| line.strip_prefix("next: ")).unwrap().to_owned();
        (state("US-002"), state("US-003"), next, text.contains(" 3 iterations "))
    };
    let (second, third, next, counts_running) = of(150);
    assert_eq!((second.as_str(), third.as_str()), ("in progress", "in progress"));
    assert_eq!(next, "nothing until a story in work is merged");
    assert!(counts_running);
    assert_eq!(of(430).0, "awaits review", "no lane has it any more");
}

#[test]
fn an_instruction_for_a_story_names_it() {
    let mut events = a_run_with_lanes();
    let steer = Order::steer("use sqlite").unwrap().for_story(Some(id("US-005")));
    events.push(stamped(805, LoopEvent::OrderAccepted { order: steer }));
    let text = shown(&running_status(810, task_list(), run(&events)), None);
    assert!(
        text.contains("\n  instruction for the next session of US-005: use sqlite\n"),
        "{text}"
    );
}

#[test]
fn work_that_is_done_is_to_be_merged() {
    let run = run(&a_run_with_lanes_to_its_end());
    let mut status = status(2000, task_list(), run);
    let commands = ["git switch main", "git merge ralph/shop"].map(str::to_owned);
    (status.next, status.merge) = (Next::Complete, Some(commands));
    let text = shown(&status, None);
    let next = "next: all stories are done; merge them with `git switch main` and `git merge ralph/shop`\n";
    assert!(text.ends_with(next), "{text}");
}

fn status_of_ended() -> String {
    let ended = run(&a_run_with_lanes_to_its_end());
    shown(&status(2000, task_list(), ended), None)
}

#[test]
fn a_run_that_waits_shows_when_it_resumes() {
    let run = run(&until(|event| matches!(event, LoopEvent::Waiting { .. })));
    let text = shown(&running_status(300, task_list(), run), None);
    let rest = "\n  ⏸ the usage limit is reached; resuming at 02:30 (in 1h 25m)\n";
    assert!(text.contains(rest), "{text}");
}

#[test]
fn a_run_that_ended_shows_its_result() {
    let text = shown(&status(6000, task_list(), run(&a_run())), Some(40));
    assert_eq!(
        text,
        "\
shop · branch ralph/shop

  Story   Title     State           Cost
  US-001  A cart…   approved       $0.00
  US-002  Sums wi…  awaits review  $0.84
  US-003  Receipt…  open           $0.00

  1 of 3 done · 4 iterations · 3 accepted, 1 failed · $2.34 · 24 turns

▲ interrupted  ended 5m 48s ago, worked 8m 27s, exit code 130
  Ctrl-C was pressed; run the same command to resume.
  story US-003 waits for US-002
  files: .ralph/runs/20261115-010000-ab12/
  event log: 57 events, sha256 9f86

next: review US-002 Sums with tax
"
    );
}

#[test]
fn a_run_without_a_result_shows_its_last_activity() {
    let run = run(&until(|event| matches!(event, LoopEvent::CheckStarted { .. })));
    let status = status(9999, task_list(), run);
    assert_eq!(status.run.as_ref().unwrap().state, RunState::Died);
    let text = shown(&status, None);
    let died = "\n❌ the last run ended without a result: it was killed, or the machine went down\n  \
        last activity 2h 42m ago: check 1/2  cargo test\n";
    assert!(text.contains(died), "{text}");
}

/// The beginning of a prompt loop, with the first iteration under way.
fn a_prompt_loop() -> Vec<Stamped> {
    let mut events = until(|event| matches!(event, LoopEvent::IterationStarted { .. }));
    for Stamped { event, .. } in &mut events {
        match event {
            LoopEvent::RunStarted { start, stories, .. } => {
                (start.kind, start.review_cap) = (LoopKind::Prompt, None);
                (start.name, start.branch) = ("Tidy up".into(), "main".into());
                start.agent = "codex".into();
                stories.clear();
            }
            LoopEvent::IterationStarted(events::IterationStarted {
                mode, story, title, ..
            }) => {
                (*mode, *story, *title) = (events::IterationMode::Prompt, None, "Tidy up".into());
            }
            _ => {}
        }
    }
    events
}

#[test]
fn a_prompt_loop_that_runs_is_shown_without_a_task_list() {
    let status = running_status(9, TaskFile::Missing, run(&a_prompt_loop()));
    let text = shown(&status, None);
    let expected = "\
Tidy up · branch main

● running · for 9s · pid 4711
  prompt loop with codex · 3 iterations · $1.50
  iteration 3/15 · prompt · Tidy up · 7s
";
    assert!(text.starts_with(expected), "{text}");
    let end = "files: .ralph/runs/20261115-010000-ab12/\n  event log: 57 events, sha256 9f86\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn only_a_story_run_has_a_review_policy() {
    assert_eq!(run(&a_prompt_loop()).unwrap().review_policy(), None);
    let cap = ReviewPolicy::Required { cap: 5 };
    assert_eq!(run(&a_run()).unwrap().review_policy(), Some(cap));
}

#[test]
fn accepted_orders_are_shown_until_they_are_applied() {
    let accepted = |order| LoopEvent::OrderAccepted { order };
    let mut events = a_run();
    let last = |s: &Stamped| matches!(s.event, LoopEvent::IterationStarted { .. });
    events.truncate(events.iter().position(last).unwrap() + 1);
    events.push(stamped(
        400,
        accepted(Order::Steer { text: "use\x1b[2J sqlite".into(), story: None }),
    ));
    events.push(stamped(401, accepted(Order::Skip { story: Some(id("US-003")) })));
    events.push(stamped(402, accepted(Order::Pause)));
    let text = shown(&running_status(462, task_list(), run(&events)), None);
    let lines = "\n  pausing after this iteration\n  skipping US-003\n  \
                 instruction for the next session: use sqlite\n";
    assert!(text.contains(lines), "{text}");
    events.push(stamped(402, LoopEvent::Paused));
    let text = shown(&running_status(462, task_list(), run(&events)), None);
    assert!(
        text.contains("\n  ⏸ paused for 1m 00s; run `ralph-loop resume` to continue\n"),
        "{text}"
    );
}

#[test]
fn a_log_of_a_newer_version_is_mentioned() {
    let log = RunStatus { unread_lines: 3, newer_lines: 3, ..run(&a_run()).unwrap() };
    let text = shown(&status(6000, task_list(), Some(log)), None);
    let note = "  ▲ 3 lines of its log are unreadable; written by a newer ralph-loop\n";
    assert!(text.contains(note), "{text}");
}

#[test]
fn an_altered_log_and_an_unchained_log_are_shown() {
    let with = |text: &str| {
        let (chain, _) = events::run_logs::chain(text.as_bytes(), None).unwrap();
        let log = RunStatus { log: chain.check(), ..run(&a_run()).unwrap() };
        status(6000, task_list(), Some(log))
    };
    let whole = log(&a_run());
    let altered = with(&whole.replacen("opus", "0pus", 1));
    let warning = "  ▲ the event log was altered: line 2 (event 2) does not follow line 1\n";
    assert!(shown(&altered, None).contains(warning), "{}", shown(&altered, None));
    let json = serde_json::to_value(&altered).unwrap();
    assert_eq!(json["run"]["log"]["state"], "altered");
    assert_eq!(json["run"]["log"]["line"], 2);
    let old: String = a_run().iter().take(3).map(|event| event.to_line() + "\n").collect();
    let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width: None };
    let text = render(&with(&old), &look, Utc.fix());
    assert!(text.contains("  event log: 3 events, not chained\n"), "{text}");
}
