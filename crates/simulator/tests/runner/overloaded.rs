//! A model that is overloaded: Claude Code goes on with the other one that the loop names.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::stories::submitted;
use crate::workshop::Workshop;

/// So often in a row Claude Code takes it that a model is overloaded.
const PATIENCE: usize = 3;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_session_goes_on_with_the_fallback_model() {
    let workshop = Workshop::with_plugin();
    // These tests allow fewer retries than it takes.
    let settings = json!({"env": {"CLAUDE_CODE_MAX_RETRIES": "4"}});
    workshop.put(".ralph/settings.json", &settings.to_string());
    let overloaded = std::iter::repeat_with(|| Turn::refused(529)).take(PATIENCE);
    let submit = workshop.stories().work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let turns = overloaded.chain([submit, Turn::text("Submitted.")]);
    let model = model([turns.collect()]);
    let args = ["--model", "claude-opus-5-5", "--fallback-model", "claude-sonnet-5", "-n", "1"];
    let told = workshop.run(&model, &args);

    let requests = model.requests();
    let asked: Vec<&str> = requests.iter().map(|request| request.model()).collect();
    let expected = [["claude-opus-5-5"; PATIENCE].as_slice(), &["claude-sonnet-5"; 2]].concat();
    assert_eq!(asked, expected, "{told}");
    let command = told.each("agent-called", "command");
    assert!(command[0].contains("--fallback-model claude-sonnet-5"), "{command:?}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"], "{told}");
}
