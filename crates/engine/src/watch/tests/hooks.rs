//! What hooks answer in a session: blocks, denials, and a guard that is missed.

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
fn a_guard_that_did_not_answer_is_missed_where_it_had_its_chance() {
    let done = || result(Ending::Completed, "Done.");
    let ran = stop_hook(HookVerdict::Silent, "stop-guard: allowed: nothing to object to\n");
    assert!(conclude([ran, done()], How::ByItself).guard_missing.is_empty());

    let absent = conclude([done()], How::ByItself).guard_missing.join("");
    assert!(absent.contains("no Stop hook"), "{absent}");
    let failed = stop_hook(HookVerdict::Failed { why: "exit code 127".into() }, "not found");
    let missing = conclude([failed, done()], How::ByItself).guard_missing.join("");
    assert!(missing.contains("exit code 127"), "{missing}");
    let someone_elses = stop_hook(HookVerdict::Silent, "other-hook: fine");
    assert!(conclude([someone_elses, done()], How::ByItself).guard_missing.len() == 1);

    assert!(conclude([], How::Stopped).guard_missing.is_empty(), "it never came to a stop");
}

#[test]
fn a_guard_that_waited_in_vain_is_missed() {
    let waits = stop_hook(HookVerdict::Silent, WAITS);
    let missing = conclude([waits, result(Ending::Completed, "Done.")], How::ByItself);
    let missing = missing.guard_missing.join("");
    assert!(missing.contains("never woke the session"), "{missing}");
}

#[test]
fn silent_hooks_are_not_told_and_blocks_are() {
    let mut watch = Watch::default();
    assert_eq!(watch.event(stop_hook(HookVerdict::Silent, "")), None);
    let blocked = watch.event(stop_hook(HookVerdict::Blocked { reason: "no".into() }, ""));
    let told = LoopEvent::HookAnswered {
        hook: "Stop".into(),
        answer: HookAnswerKind::Blocked,
        text: "no".into(),
    };
    assert_eq!(blocked, Some(told));
}

#[test]
fn an_answer_that_was_denied_is_told_like_a_blocked_stop() {
    let mut watch = Watch::default();
    let denied = HookVerdict::Blocked { reason: "not yet".into() };
    let told = watch.event(answer_hook(denied, "stop-guard: blocked (1 of 4): 1 findings\n"));
    let expected = LoopEvent::HookAnswered {
        hook: "PreToolUse:StructuredOutput".into(),
        answer: HookAnswerKind::Blocked,
        text: "not yet".into(),
    };
    assert_eq!(told, Some(expected));
    assert_eq!(watch.seen(), Seen::MoreToCome);
}

#[test]
fn a_session_that_ends_by_its_answer_is_guarded_by_what_its_last_stop_hook_said() {
    let done = || result(Ending::Completed, "{}");
    let allowed = "stop-guard: allowed: nothing to object to\n";
    let passed = || answer_hook(HookVerdict::Silent, allowed);
    let stopped = stop_hook(HookVerdict::Silent, allowed);
    assert!(conclude([passed(), stopped, done()], How::ByItself).guard_missing.is_empty());
    let only_before = conclude([passed(), done()], How::ByItself).guard_missing;
    assert!(only_before.join("").contains("no Stop hook"));
    let waits = conclude([passed(), stop_hook(HookVerdict::Silent, WAITS), done()], How::ByItself);
    assert!(waits.guard_missing.join("").contains("never woke the session"));
}

#[test]
fn a_hook_of_the_users_before_a_tool_is_neither_the_guard_nor_its_failure() {
    let failed = answer_hook(HookVerdict::Failed { why: "exit code 1".into() }, "no such file");
    let denied = answer_hook(HookVerdict::Blocked { reason: "no".into() }, "my-hook: no");
    let done = result(Ending::Completed, "{}");
    let missing = conclude([failed, denied, done], How::ByItself).guard_missing.join("");
    assert_eq!(missing, "no Stop hook of Ralph answered in this session");
}
