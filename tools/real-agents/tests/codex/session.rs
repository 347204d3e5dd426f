//! A successful session.

use agents::{AgentEvent, Ending, ToolOutcome};
use simulator::Turn;

use crate::codex_session::{CodexSession, ask};
use crate::codex_that_says;

/// The result of the only command.
fn command(asked: &CodexSession) -> (ToolOutcome, &str) {
    let started: Vec<_> = asked
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolStarted { id, summary, .. } => Some((id.as_str(), summary)),
            _ => None,
        })
        .collect();
    let [(started, summary)] = started[..] else { panic!("{asked}") };
    assert!(summary.contains("proof"), "{summary}");
    let ended = asked.events.iter().find_map(|event| match event {
        AgentEvent::ToolEnded { id, outcome, summary, .. } if id == started => {
            Some((*outcome, summary.as_str()))
        }
        _ => None,
    });
    ended.unwrap_or_else(|| panic!("{asked}"))
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn text_commands_and_usage_are_decoded() {
    let (codex, model) = codex_that_says([
        Turn::bash("printf made >proof; echo all is well").with_lead_in("Working."),
        Turn::text("Finished. <promise>COMPLETE</promise>"),
    ]);
    let asked = ask(&codex, "Make the proof.");

    assert_eq!(asked.outcome.exit_code, Some(0), "{asked}");
    assert_eq!(asked.noise, [""; 0], "{asked}");
    let last = "Finished. <promise>COMPLETE</promise>";
    assert_eq!(asked.texts(), ["Working.", last], "{asked}");
    assert_eq!(command(&asked), (ToolOutcome::Ok, "all is well"), "{asked}");
    assert_eq!(std::fs::read_to_string(codex.project().join("proof")).unwrap(), "made");

    let result = asked.result();
    assert_eq!(result.ending, Ending::Completed, "{asked}");
    assert_eq!(result.text, last, "{asked}");
    // Two answers of 1,700 tokens each, half of them from the cache.
    assert_eq!((result.tokens.input, result.tokens.cache_read), (1_700, 1_700), "{asked}");
    assert_eq!(result.tokens.output, 40, "{asked}");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].user_texts().last(), Some(&"Make the proof."));
    assert_eq!(requests[1].mentions("all is well"), 1, "the model hears of its command");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_failed_command_is_reported() {
    let (codex, _model) =
        codex_that_says([Turn::bash("echo no proof; exit 3"), Turn::text("It failed.")]);
    let asked = ask(&codex, "Go on.");
    let (outcome, summary) = command(&asked);
    assert_eq!(outcome, ToolOutcome::Failed, "{asked}");
    assert!(summary.contains("no proof"), "{summary}");
    assert_eq!(asked.result().ending, Ending::Completed, "{asked}");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn it_names_the_session() {
    let (codex, _model) = codex_that_says([Turn::text("Hello.")]);
    let asked = ask(&codex, "Go on.");
    let named = asked.events.iter().find_map(|event| match event {
        AgentEvent::SessionStarted { session_id, .. } => session_id.as_deref(),
        _ => None,
    });
    let named = named.unwrap_or_else(|| panic!("{asked}"));
    assert!(asked.outcome.stdout.contains(&format!("\"thread_id\":\"{named}\"")), "{asked}");
}
