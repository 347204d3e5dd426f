//! Prompts that do not fit on a command line reach the model unchanged.

use simulator::Turn;

use crate::codex_session::ask;
use crate::codex_that_says;

#[track_caller]
fn assert_arrives(prompt: &str) {
    let (codex, model) = codex_that_says([Turn::text("I see.")]);
    let asked = ask(&codex, prompt);
    assert_eq!(asked.outcome.exit_code, Some(0), "{asked}");
    assert_eq!(asked.texts(), ["I see."], "{asked}");
    let requests = model.requests();
    let texts = requests[0].user_texts();
    assert!(texts.last() == Some(&prompt), "of {} texts none is the prompt", texts.len());
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_prompt_longer_than_an_argument() {
    let prompt = "Count the lines of this file.\n".repeat(5_000);
    assert!(prompt.len() > 131_071);
    assert_arrives(prompt.trim_end());
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_prompt_that_looks_like_an_option() {
    assert_arrives("--help\n- is how a list begins");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_prompt_with_shell_syntax() {
    assert_arrives("$HOME `id` \"quoted\" 'so' \\ ü 🙂\n\n\tend");
}
