//! A model that answers with an error.

use std::time::{Duration, SystemTime};

use agents::{AgentEvent, Ending};
use simulator::{Script, Turn};

use crate::codex;
use crate::codex_session::{CodexSession, ask};

/// A session with a model that always answers with this error.
fn refused(refusal: Turn) -> CodexSession {
    let (codex, _model) = codex(Script::new([]).afterwards(refusal));
    let asked = ask(&codex, "Go on.");
    assert_eq!(asked.outcome.exit_code, Some(1), "{asked}");
    assert_eq!(asked.texts(), [""; 0], "{asked}");
    assert_eq!(asked.result().text, "", "{asked}");
    asked
}

#[track_caller]
fn assert_api_error(asked: &CodexSession, expected: Option<u16>) {
    let Ending::ApiError { status, message } = &asked.result().ending else { panic!("{asked}") };
    assert_eq!(*status, expected, "{asked}");
    assert_ne!(message, "", "{asked}");
}

/// The reported status of each retry.
fn retries(asked: &CodexSession) -> Vec<Option<u16>> {
    let retries = asked.events.iter().filter_map(|event| match event {
        AgentEvent::Retry { attempt: 1, of: 1, status, .. } => Some(*status),
        _ => None,
    });
    retries.collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_key_that_is_not_accepted() {
    let asked = refused(Turn::refused(401));
    assert_api_error(&asked, Some(401));
    assert_eq!(retries(&asked), [Some(401)], "{asked}");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn too_many_requests() {
    let asked = refused(Turn::refused(429));
    assert_api_error(&asked, Some(429));
    assert_eq!(retries(&asked), [], "{asked}");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_server_error() {
    let asked = refused(Turn::refused(500));
    // Codex prints a general message instead of the status.
    assert_api_error(&asked, None);
    assert_eq!(retries(&asked), [None], "{asked}");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn an_account_that_is_used_up_names_the_hour() {
    let in_two_days = SystemTime::now() + Duration::from_secs(48 * 60 * 60);
    let in_two_days = in_two_days.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let asked = refused(Turn::used_up_until(in_two_days));
    let Ending::UsageLimit { resets_at: Some(output) } = asked.result().ending else {
        panic!("{asked}")
    };
    // The time is rounded to a minute.
    assert!(
        in_two_days - 60 < output && output <= in_two_days,
        "{output} for {in_two_days}: {asked}"
    );
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_temporary_error_is_only_a_retry() {
    let (codex, _model) = codex(Script::new([Turn::refused(500), Turn::text("Hello.")]));
    let asked = ask(&codex, "Go on.");
    assert_eq!(asked.outcome.exit_code, Some(0), "{asked}");
    assert_eq!(asked.texts(), ["Hello."], "{asked}");
    assert_eq!(asked.result().ending, Ending::Completed, "{asked}");
}
