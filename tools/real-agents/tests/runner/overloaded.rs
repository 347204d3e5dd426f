//! An overloaded model: Claude Code continues with the fallback model of the loop.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

/// Overload errors in a row after which Claude Code switches.
const PATIENCE: usize = 3;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_session_continues_with_the_fallback_model() {
    let setup = RunSetup::with_plugin();
    // The default of these tests is too few retries.
    let settings = json!({"env": {"CLAUDE_CODE_MAX_RETRIES": "4"}});
    setup.put(".ralph/settings.json", &settings.to_string());
    let overloaded = std::iter::repeat_with(|| Turn::refused(529)).take(PATIENCE);
    let submit = setup.stories().work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let turns = overloaded.chain([submit, Turn::text("Submitted.")]);
    let model = model([turns.collect()]);
    let args = ["--model", "claude-opus-5-5", "--fallback-model", "claude-sonnet-5", "-n", "1"];
    let output = setup.run(&model, &args);

    let requests = model.requests();
    let asked: Vec<&str> = requests.iter().map(|request| request.model()).collect();
    let expected = [["claude-opus-5-5"; PATIENCE].as_slice(), &["claude-sonnet-5"; 2]].concat();
    assert_eq!(asked, expected, "{output}");
    let command = output.each("agent-called", "command");
    assert!(command[0].contains("--fallback-model claude-sonnet-5"), "{command:?}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"], "{output}");
}
