//! Hook answers in a session: blocks, denials, and a hook that did not run.

use super::*;

fn answer_hook(verdict: HookVerdict, stderr: &str) -> AgentEvent {
    AgentEvent::Hook(HookAnswer {
        event: "PreToolUse".into(),
        name: "PreToolUse:StructuredOutput".into(),
        exit_code: Some(0),
        verdict,
        stderr: stderr.into(),
    })
}

#[test]
fn a_hook_that_did_not_run_is_reported_missing() {
    let done = || result(Ending::Completed, "Done.");
    let ran = stop_hook(HookVerdict::Silent, "stop-guard: allowed: no findings\n");
    assert!(conclude([ran, done()], EndReason::ByItself).guard_missing.is_empty());

    let absent = conclude([done()], EndReason::ByItself).guard_missing.join("");
    assert!(absent.contains("the Stop hook did not run"), "{absent}");
    let failed = stop_hook(HookVerdict::Failed { why: "exit code 127".into() }, "not found");
    let missing = conclude([failed, done()], EndReason::ByItself).guard_missing.join("");
    assert!(missing.contains("exit code 127"), "{missing}");
    let someone_elses = stop_hook(HookVerdict::Silent, "other-hook: fine");
    assert!(conclude([someone_elses, done()], EndReason::ByItself).guard_missing.len() == 1);

    assert!(conclude([], EndReason::Stopped).guard_missing.is_empty(), "it never came to a stop");
}

#[test]
fn a_hook_that_waited_in_vain_is_reported_missing() {
    let waits = stop_hook(HookVerdict::Silent, WAITS);
    let missing = conclude([waits, result(Ending::Completed, "Done.")], EndReason::ByItself);
    let missing = missing.guard_missing.join("");
    assert!(missing.contains("never woke the session"), "{missing}");
}

#[test]
fn silent_hooks_are_not_reported_and_blocks_are() {
    let mut watch = SessionWatch::default();
    assert_eq!(watch.event(stop_hook(HookVerdict::Silent, "")), None);
    let blocked = watch.event(stop_hook(HookVerdict::Blocked { reason: "no".into() }, ""));
    let event = LoopEvent::HookAnswered {
        hook: "Stop".into(),
        answer: HookAnswerKind::Blocked,
        text: "no".into(),
    };
    assert_eq!(blocked, Some(event));
}

#[test]
fn a_denied_answer_is_reported_like_a_blocked_stop() {
    let mut watch = SessionWatch::default();
    let denied = HookVerdict::Blocked { reason: "not yet".into() };
    let event = watch.event(answer_hook(denied, "stop-guard: blocked (1 of 4): 1 findings\n"));
    let expected = LoopEvent::HookAnswered {
        hook: "PreToolUse:StructuredOutput".into(),
        answer: HookAnswerKind::Blocked,
        text: "not yet".into(),
    };
    assert_eq!(event, Some(expected));
    assert_eq!(watch.reaction(), Reaction::MoreToCome);
}

#[test]
fn a_session_that_ends_with_its_answer_is_guarded_by_its_last_stop_hook() {
    let done = || result(Ending::Completed, "{}");
    let allowed = "stop-guard: allowed: no findings\n";
    let passed = || answer_hook(HookVerdict::Silent, allowed);
    let stopped = stop_hook(HookVerdict::Silent, allowed);
    assert!(conclude([passed(), stopped, done()], EndReason::ByItself).guard_missing.is_empty());
    let only_before = conclude([passed(), done()], EndReason::ByItself).guard_missing;
    assert!(only_before.join("").contains("the Stop hook did not run"));
    let waits =
        conclude([passed(), stop_hook(HookVerdict::Silent, WAITS), done()], EndReason::ByItself);
    assert!(waits.guard_missing.join("").contains("never woke the session"));
}

#[test]
fn a_hook_of_the_users_before_a_tool_is_neither_the_guard_nor_its_failure() {
    let failed = answer_hook(HookVerdict::Failed { why: "exit code 1".into() }, "no such file");
    let denied = answer_hook(HookVerdict::Blocked { reason: "no".into() }, "my-hook: no");
    let done = result(Ending::Completed, "{}");
    let missing = conclude([failed, denied, done], EndReason::ByItself).guard_missing.join("");
    assert_eq!(missing, "the Stop hook did not run in this session");
}
