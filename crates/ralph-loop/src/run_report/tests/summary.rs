//! The head of a report.

use super::*;

/// The first paragraph of a run with `done` of `all` stories and the rest not started.
fn first_paragraph(ended_as: RunEnd, why: &str, (done, all): (usize, usize)) -> String {
    let story = |number: usize| {
        let status = match number < done {
            true => tasks::ReviewStatus::Approved,
            false => tasks::ReviewStatus::NotSubmitted,
        };
        story(&format!("US-{number}"), "x", status, 0)
    };
    let mut ended = run_ended(ended_as);
    if let LoopEvent::RunEnded(events::RunEnded { stories, text, .. }) = &mut ended {
        (*stories, *text) = ((0..all).map(story).collect(), why.into());
    }
    let text = shown(&[a_run().swap_remove(0), stamped(60, ended)]);
    text.lines().nth(2).unwrap().to_owned()
}

#[test]
fn the_first_paragraph_counts_stories() {
    for (counted, expected) in [
        ((1, 1), "The one story is done."),
        ((0, 1), "The one story is not done."),
        ((0, 3), "None of 3 stories is done."),
        ((1, 3), "1 of 3 stories is done; US-1 and US-2 are not finished."),
        ((2, 3), "2 of 3 stories are done; US-2 is not finished."),
        ((2, 9), "2 of 9 stories are done; 7 are not finished."),
        ((3, 3), "All 3 stories are done."),
    ] {
        let text = first_paragraph(RunEnd::GitFailed, "no space", counted);
        assert_eq!(
            text,
            format!("**shop**: **git failed** (exit code 5): no space. **{expected}**")
        );
    }
    let none = first_paragraph(RunEnd::Blocked, "the task list has no stories", (0, 0));
    assert_eq!(none, "**shop**: **blocked** (exit code 1): the task list has no stories.");
}

#[test]
fn the_first_paragraph_repeats_nothing() {
    for (end, why) in [
        (RunEnd::Complete, "every story is done"),
        (RunEnd::IterationsUsed, "reached the limit of 15 iterations; continue with --resume"),
        (RunEnd::GitFailed, "git failed"),
    ] {
        let code = end.exit_code();
        let text = first_paragraph(end, why, (3, 3));
        let head = format!("**shop**: **{end}** (exit code {code}). ");
        assert_eq!(text, head + "**All 3 stories are done.**");
    }
}

#[test]
fn skipped_and_unmerged_stories_are_named_as_such() {
    let mut skipped = story("US-2", "x", tasks::ReviewStatus::NotSubmitted, 0);
    skipped.given_up = Some(given_up(events::GiveUpReason::Skipped, events::StoryCommits::Nothing));
    let done = story("US-1", "x", tasks::ReviewStatus::Approved, 1);
    let unmerged = StoryBrief { id: id("US-3"), passes: false, ..done.clone() };
    let report = |end, last| {
        let mut ended = run_ended(end);
        if let LoopEvent::RunEnded(events::RunEnded { stories, .. }) = &mut ended {
            *stories = vec![done.clone(), last];
        }
        shown(&[a_run().swap_remove(0), stamped(60, ended)])
    };
    let text = report(RunEnd::StoriesFailed, skipped);
    let head = "**shop**: **stories skipped** (exit code 1). **1 of 2 stories is done; US-2 was skipped.**";
    assert_eq!(text.lines().nth(2).unwrap(), head);
    let text = report(RunEnd::Interrupted, unmerged);
    assert!(text.contains("- US-3 x: approved, not merged, 1 review\n"), "{text}");
}

#[test]
fn more_iterations_than_allowed_are_shown_as_such() {
    let mut events = a_run_with_failures();
    let used = |events: &[Stamped]| {
        let text = shown(events);
        text.lines().find(|line| line.contains(" used")).unwrap().to_owned()
    };
    for (most, expected) in
        [(14, "- 14 of 14 iterations used"), (9, "- 14 iterations used, 9 allowed")]
    {
        if let LoopEvent::RunStarted { start, .. } = &mut events[0].event {
            start.max_iterations = most;
        }
        assert_eq!(used(&events), format!("{expected}, cost $11.27"));
    }
}

#[test]
fn the_isolation_of_agents_is_shown() {
    let (start, isolation) = (a_run().swap_remove(0), a_run().swap_remove(1));
    let text = shown(&[start.clone(), isolation.clone()]);
    assert!(text.contains("with claude, isolation: guard\n"), "{text}");
    let mut reviewer = isolation.clone();
    if let LoopEvent::IsolationChosen { agent, isolation, .. } = &mut reviewer.event {
        (*agent, *isolation) = ("codex".into(), ::isolation::Isolation::Open);
    }
    let text = shown(&[start, isolation, reviewer]);
    assert!(text.contains("isolation: claude guard, codex none\n"), "{text}");
}

#[test]
fn a_log_without_events_is_reported_as_such() {
    let empty = RunReport { run: RUN.into(), folder: format!(".ralph/runs/{RUN}"), ..report(&[]) };
    assert_eq!(
        markdown(&empty, Utc.fix()).split("\n## ").next().unwrap(),
        format!(
            "# Ralph Loop Execution Summary\n\n**{RUN}**: **no events recorded**.\n\n\
             - Files: `.ralph/runs/{RUN}/`\n- Event log: 0 events\n"
        )
    );
}

#[test]
fn paused_time_is_not_work() {
    let mut events = a_run_with_failures();
    events.pop();
    let last = events.last().unwrap().at;
    let before = report(&events).seconds;
    let later = last + chrono::TimeDelta::hours(6);
    let stamp = |at, event| Stamped { at, ..stamped(0, event) };
    events.extend([stamp(last, LoopEvent::Paused), stamp(later, LoopEvent::Resumed)]);
    assert_eq!(report(&events).seconds, before);
}

#[test]
fn an_altered_log_is_reported_with_what_the_runner_noticed() {
    let noticed = |text: &str| LoopEvent::LogAltered { line: 1, text: text.into() };
    let events = [
        a_run().swap_remove(0),
        stamped(1, noticed("the event log was altered: it was removed")),
        stamped(2, noticed("the event log was altered: it begins with event 2")),
    ];
    let cut = log(&events).split_inclusive('\n').skip(1).collect::<String>();
    let (chain, _) = run_logs::chain(cut.as_bytes(), None).unwrap();
    let report = RunReport { log: chain.check(), ..report(&events) };
    let text = markdown(&report, Utc.fix());
    let warnings: Vec<&str> = text.lines().filter(|line| line.contains("Warning")).collect();
    assert_eq!(
        warnings,
        [
            "**Warning**: the event log was altered: it begins with event 2.",
            "**Warning**: the event log was altered: it was removed.",
        ]
    );
    assert_eq!(report.log_alterations.len(), 2);
}
