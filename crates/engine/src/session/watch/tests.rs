//! Endings of a session, and the events on the way.

use std::time::Duration;

use agents::{Completion, Ending, QuotaState, TokenCount};
use supervise::{EndReason, Ended, Exit};

mod hooks;

use super::*;

use events::AgentOutcome;

const COMPLETION_TAG: &str = "<promise>COMPLETE</promise>";

fn result(ending: Ending, text: &str) -> AgentEvent {
    AgentEvent::Result(AgentResult {
        ending,
        text: text.into(),
        cost_usd: Some(0.5),
        tokens: TokenCount::default(),
        turns: Some(3),
        duration: None,
        context_window: Some(200_000),
        model: None,
        session_id: None,
        structured: None,
    })
}

fn ended(how: EndReason, code: i32) -> Ended {
    Ended {
        how,
        exit: Some(Exit::Code(code)),
        leftovers: supervise::Leftovers::default(),
        elapsed: Duration::ZERO,
    }
}

fn stop_hook(verdict: HookVerdict, stderr: &str) -> AgentEvent {
    AgentEvent::Hook(HookAnswer {
        event: "Stop".into(),
        name: "Stop".into(),
        exit_code: Some(0),
        verdict,
        stderr: stderr.into(),
    })
}

fn conclude(events: impl IntoIterator<Item = AgentEvent>, how: EndReason) -> Conclusion {
    conclude_with(events, how, 0)
}

fn conclude_with(
    events: impl IntoIterator<Item = AgentEvent>,
    how: EndReason,
    code: i32,
) -> Conclusion {
    let mut watch = SessionWatch::default();
    for event in events {
        watch.event(event);
    }
    watch.conclude(
        &ended(how, code),
        Some(&Completion::promise("COMPLETE")),
        ExpectedHooks::CommandsAndEnd,
    )
}

#[test]
fn each_ending_has_its_outcome() {
    let api = |status, message: &str| Ending::ApiError { status, message: message.into() };
    for (ending, outcome) in [
        (Ending::Completed, AgentOutcome::Answered),
        (Ending::TurnLimit, AgentOutcome::TurnLimit),
        (Ending::BudgetExhausted, AgentOutcome::BudgetExhausted),
        (Ending::UsageLimit { resets_at: None }, AgentOutcome::UsageLimit),
        (Ending::PromptTooLong, AgentOutcome::PromptTooLong),
        (api(Some(529), "overloaded"), AgentOutcome::ApiError),
        (api(Some(401), "no"), AgentOutcome::LoginNeeded),
        (api(None, "Invalid API key · Please run /login"), AgentOutcome::LoginNeeded),
    ] {
        let conclusion = conclude([result(ending.clone(), "text")], EndReason::ByItself);
        assert_eq!(conclusion.outcome, outcome, "{ending:?}");
    }
    let empty = conclude([result(Ending::Completed, " \n")], EndReason::ByItself);
    assert_eq!(empty.outcome, AgentOutcome::EmptyAnswer);
}

#[test]
fn an_empty_result_is_explained_by_the_last_warning() {
    let notice = |text: &str| AgentEvent::Notice { text: text.into() };
    let detail = |ending: Ending, text: &str| {
        let events = [notice("careful"), notice("used up"), result(ending, text)];
        conclude(events, EndReason::ByItself).detail
    };
    let limit = Ending::UsageLimit { resets_at: None };
    assert_eq!(detail(limit.clone(), " "), "used up");
    assert_eq!(detail(limit, "its own words"), "its own words");
    assert_eq!(detail(Ending::PromptTooLong, ""), "used up");
    assert_eq!(detail(Ending::Completed, "Done."), "");
}

/// Recorded streams of the real programs, rejected by the server.
#[test]
fn every_rejected_agent_needs_a_login() {
    let (codex, gemini) = (agents::Agent::Codex, agents::Agent::Gemini);
    for (agent, stream, code) in [
        (codex, "codex/unauthorized.jsonl", 1),
        (codex, "codex/unauthorized-after-reconnecting.jsonl", 1),
        (agents::Agent::Cline, "cline/unauthorized.jsonl", 1),
        (agents::Agent::OpenCode, "opencode/unauthorized.jsonl", 1),
        (gemini, "gemini/unauthorized.jsonl", 145),
        (agents::Agent::Copilot, "copilot/unauthorized.jsonl", 1),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/tests/streams");
        let lines = std::fs::read(root.join(stream)).unwrap();
        let mut decoder = agent.decoder("");
        let mut events = Vec::new();
        for line in lines.split(|byte| *byte == b'\n') {
            decoder.line(line, &mut |event| events.push(event));
        }
        decoder.ended(agents::ProcessExit::Code(code), &mut |event| events.push(event));
        let conclusion = conclude(events, EndReason::ByItself);
        assert_eq!(conclusion.outcome, AgentOutcome::LoginNeeded, "{stream}");
        assert!(!conclusion.detail.is_empty(), "{stream}");
    }
    let mut decoder = gemini.decoder("");
    let mut events = Vec::new();
    decoder.ended(agents::ProcessExit::Code(41), &mut |event| events.push(event));
    assert_eq!(conclude(events, EndReason::ByItself).outcome, AgentOutcome::LoginNeeded);
}

#[test]
fn a_result_counts_even_if_the_runner_ended_the_process() {
    for how in
        [EndReason::Lingered, EndReason::TotalLimit, EndReason::IdleLimit, EndReason::Stopped]
    {
        let conclusion = conclude([result(Ending::Completed, "Done.")], how);
        assert_eq!(conclusion.outcome, AgentOutcome::Answered, "{how:?}");
    }
}

#[test]
fn an_error_after_a_stop_request_is_no_failure_of_the_agent() {
    let outcome = |how| {
        let ending = Ending::Other { reason: "aborted".into(), message: String::new() };
        conclude([result(ending, "")], how).outcome
    };
    assert_eq!(outcome(EndReason::Stopped), AgentOutcome::Stopped);
    assert_eq!(outcome(EndReason::TotalLimit), AgentOutcome::TimedOut);
    assert_eq!(outcome(EndReason::ByItself), AgentOutcome::Crashed);
}

#[test]
fn without_a_result_the_exit_decides() {
    assert_eq!(conclude([], EndReason::TotalLimit).outcome, AgentOutcome::TimedOut);
    assert_eq!(conclude([], EndReason::IdleLimit).outcome, AgentOutcome::TimedOut);
    assert_eq!(conclude([], EndReason::Stopped).outcome, AgentOutcome::Stopped);
    let mut watch = SessionWatch::default();
    watch.error_line(b"  ");
    watch.error_line(b"error: out of cheese");
    let crashed = watch.conclude(
        &ended(EndReason::ByItself, 3),
        Some(&Completion::promise("COMPLETE")),
        ExpectedHooks::CommandsAndEnd,
    );
    assert_eq!(crashed.outcome, AgentOutcome::Crashed);
    assert_eq!(crashed.detail, "it ended with exit code 3 and no result: error: out of cheese");
}

#[test]
fn the_last_result_counts() {
    let events = [result(Ending::Completed, "Waiting."), result(Ending::Completed, "")];
    assert_eq!(conclude(events, EndReason::ByItself).outcome, AgentOutcome::EmptyAnswer);
}

#[test]
fn only_the_final_message_can_claim_completion() {
    let tag = format!("All done.\n{COMPLETION_TAG}");
    assert!(conclude([result(Ending::Completed, &tag)], EndReason::ByItself).claims_completion());
    let echoed = [
        AgentEvent::ToolEnded {
            id: "t".into(),
            outcome: agents::ToolOutcome::Ok,
            summary: COMPLETION_TAG.into(),
            output: agents::ToolOutput::of(COMPLETION_TAG),
        },
        AgentEvent::Text { text: tag },
        result(Ending::Completed, "Not finished yet."),
    ];
    assert!(!conclude(echoed, EndReason::ByItself).claims_completion());
}

#[test]
fn a_usage_limit_brings_its_reset_along() {
    let limit = |state, resets_at, utilization| {
        AgentEvent::Limit(UsageLimit {
            state,
            resets_at,
            window: "five_hour".into(),
            utilization: Some(utilization),
        })
    };
    let events = [
        limit(QuotaState::Warning, Some(1_700_000_000), 0.9),
        limit(QuotaState::Rejected, Some(1_800_000_000), 1.0),
        result(Ending::UsageLimit { resets_at: None }, "limit reached"),
    ];
    let conclusion = conclude(events, EndReason::ByItself);
    assert_eq!(conclusion.resets_at.map(|at| at.timestamp()), Some(1_800_000_000));
    assert_eq!(conclusion.quota, Some(1.0));
}

const WAITS: &str = "stop-guard: allowed: background tasks still run (1) and will wake the session";

#[test]
fn a_woken_session_is_reported_once_and_has_not_answered_yet() {
    let started = || AgentEvent::SessionStarted {
        session_id: None,
        model: None,
        version: None,
        plugins: Vec::new(),
    };
    let mut watch = SessionWatch::default();
    assert!(watch.event(started()).is_some());
    watch.event(stop_hook(HookVerdict::Silent, WAITS));
    watch.event(result(Ending::Completed, "The build runs."));
    assert_eq!(watch.event(started()), None);
    let blocked = HookVerdict::Blocked { reason: "no".into() };
    watch.event(stop_hook(blocked, "stop-guard: blocked: 1 of 6"));
    assert_eq!(watch.reaction(), Reaction::MoreToCome, "it may continue silently");
    let conclusion = watch.conclude(
        &ended(EndReason::TotalLimit, 1),
        Some(&Completion::promise("COMPLETE")),
        ExpectedHooks::CommandsAndEnd,
    );
    assert_eq!(conclusion.outcome, AgentOutcome::TimedOut);
    assert!(conclusion.result.is_some(), "what it cost until then");
}

#[test]
fn a_result_during_background_work_is_not_final() {
    let mut watch = SessionWatch::default();
    assert_eq!(watch.reaction(), Reaction::MoreToCome);
    watch.event(stop_hook(HookVerdict::Silent, WAITS));
    watch.event(result(Ending::Completed, "Waiting for the build."));
    assert_eq!(watch.reaction(), Reaction::MoreToCome);
    watch.event(stop_hook(HookVerdict::Silent, "stop-guard: allowed: no findings"));
    watch.event(result(Ending::Completed, "Done."));
    assert_eq!(watch.reaction(), Reaction::Result);
}

#[test]
fn context_is_reported_with_the_known_window() {
    let mut watch = SessionWatch::new(Path::new("/p"), Some(1_000_000));
    let reported = watch.event(AgentEvent::Context { tokens: 5 });
    assert_eq!(reported, Some(LoopEvent::Context { tokens: 5, window: Some(1_000_000) }));
}

#[test]
fn files_of_the_project_are_named_from_its_root() {
    let mut watch = SessionWatch::new(Path::new("/home/me/app"), None);
    let reported = watch.event(AgentEvent::ToolStarted {
        id: "t".into(),
        name: "Read".into(),
        summary: "/home/me/app/src/a.rs /home/me/apple".into(),
        thread: Thread::Main,
    });
    let Some(LoopEvent::ToolStarted { summary, .. }) = reported else { panic!("{reported:?}") };
    assert_eq!(summary, "src/a.rs /home/me/apple");
}

#[test]
fn a_flood_of_text_is_limited_and_its_result_counts() {
    let mut watch = SessionWatch::default();
    let text = || AgentEvent::Text { text: "x".repeat(1024 * 1024) };
    let reported: Vec<LoopEvent> = (0..100).filter_map(|_| watch.event(text())).collect();
    assert_eq!(reported.len(), 9);
    assert!(matches!(reported[7], LoopEvent::AgentText { .. }));
    assert!(matches!(reported[8], LoopEvent::Warning { .. }));
    let context = watch.event(AgentEvent::Context { tokens: 5 });
    assert!(matches!(context, Some(LoopEvent::Context { .. })), "figures are small");
    watch.event(result(Ending::Completed, "Done."));
    assert_eq!(
        watch
            .conclude(
                &ended(EndReason::ByItself, 0),
                Some(&Completion::promise("COMPLETE")),
                ExpectedHooks::CommandsAndEnd
            )
            .outcome,
        AgentOutcome::Answered
    );
}

#[test]
fn a_result_does_not_count_if_the_session_continues_or_fails() {
    let done = || result(Ending::Completed, COMPLETION_TAG);
    let text = || AgentEvent::Text { text: "tests fail, I keep working".into() };
    let tool = || AgentEvent::ToolStarted {
        id: "t".into(),
        name: "Bash".into(),
        summary: String::new(),
        thread: Thread::Main,
    };
    for events in [vec![done(), text()], vec![done(), tool()]] {
        let conclusion = conclude(events, EndReason::ByItself);
        assert_eq!(conclusion.outcome, AgentOutcome::Crashed);
        assert!(!conclusion.claims_completion());
    }
    assert!(conclude([done(), text(), done()], EndReason::ByItself).claims_completion());
    let failed = conclude_with([done()], EndReason::ByItself, 1);
    assert_eq!(failed.outcome, AgentOutcome::Crashed);
    assert_eq!(failed.detail, "it ended with exit code 1 after its result");
    assert!(
        conclude_with([done()], EndReason::Lingered, 1).claims_completion(),
        "the runner ended it"
    );
}

#[test]
fn error_output_explains_a_failure() {
    let mut watch = SessionWatch::default();
    watch.error_line(b"oh no");
    let (reason, message) = ("exit code 3".into(), String::new());
    watch.event(result(Ending::Other { reason, message }, ""));
    let conclusion = watch.conclude(&ended(EndReason::ByItself, 3), None, ExpectedHooks::No);
    assert_eq!(conclusion.detail, "exit code 3: oh no");
}

#[test]
fn a_tag_that_is_almost_given_is_a_near_miss() {
    let check =
        |text: &str| conclude([result(Ending::Completed, text)], EndReason::ByItself).completion;
    let given = check(&format!("All done. {COMPLETION_TAG}\n")).unwrap();
    assert!(given.is_given && given.near_miss.is_none());
    let bare = check("COMPLETE").unwrap();
    assert!(!bare.is_given);
    assert_eq!(bare.near_miss, Some(events::NearMiss::NoTag));
    assert_eq!(check("Two tests still fail.").unwrap().near_miss, None);
}

#[test]
fn an_answer_is_kept_when_the_session_is_woken_again() {
    let given = serde_json::json!({ "a": 1 });
    let AgentEvent::Result(first) = result(Ending::Completed, "{}") else { return };
    let first = AgentEvent::Result(AgentResult { structured: Some(given.clone()), ..first });
    let conclusion = conclude([first, result(Ending::Completed, "woken")], EndReason::ByItself);
    let kept = conclusion.result.unwrap();
    assert_eq!((kept.structured, kept.text.as_str()), (Some(given), "woken"));
}

#[test]
fn work_without_an_answer_of_the_right_shape_is_judged_like_any_other() {
    let conclusion =
        conclude_with([result(Ending::NoStructuredAnswer, "")], EndReason::ByItself, 1);
    assert_eq!(conclusion.outcome, AgentOutcome::TurnLimit);
}

#[test]
fn lists_of_steps_do_not_fill_the_disk() {
    let item = agents::TodoItem { text: "x".repeat(10_000), state: agents::TodoState::Pending };
    let mut watch = SessionWatch::default();
    let next = || watch.event(AgentEvent::Todo { items: vec![item.clone(); 125] });
    let reported: Vec<LoopEvent> = std::iter::from_fn(next).take(20).collect();
    // Six lists of 1.25 megabytes, and a warning instead of the next one.
    assert_eq!(reported.len(), 7);
    assert!(matches!(reported.last(), Some(LoopEvent::Warning { .. })));
}

#[test]
fn stderr_has_its_own_limit() {
    let mut watch = SessionWatch::default();
    assert_eq!(watch.stderr(b" \n"), None);
    let reported = watch.stderr(b"npm warn\n");
    assert_eq!(reported, Some(LoopEvent::AgentStderr { text: "npm warn".into() }));
    let long = "x".repeat(100_000);
    let reported: Vec<LoopEvent> =
        (0..1000).filter_map(|_| watch.stderr(long.as_bytes())).collect();
    assert!(reported.len() < 600 && matches!(reported.last(), Some(LoopEvent::Warning { .. })));
    let text = watch.event(AgentEvent::Text { text: "words".into() });
    assert!(matches!(text, Some(LoopEvent::AgentText { .. })));
}
