//! A background command wakes the session after its first result.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_last_result_counts() {
    let setup = RunSetup::with_plugin();
    // A second Stop hook signals the command after the first stop.
    let stop_hook = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "touch ~/stopped"}
    ]}]}});
    let until_stopped = "until [ -e ~/stopped ]; do sleep 0.05; done; echo built >build-result";
    let submit = setup.stories().work("cat build-result", 0, submitted());
    let model = model([vec![
        Turn::bash_in_background(until_stopped),
        Turn::text("The build runs."),
        submit,
        Turn::text("Submitted."),
    ]]);
    let settings = stop_hook.to_string();
    let args = ["-n", "1", "--agent-arg=--settings", "--agent-arg", &settings];
    let output = setup.run(&model, &args);

    let folder = output.each("iteration-started", "folder")[0];
    let stream = setup.read(format!("{folder}/stream.jsonl"));
    let results = stream.lines().filter(|line| line.contains("\"type\":\"result\"")).count();
    assert_eq!(results, 2, "{stream}");
    assert_eq!(output.all("session-started").len(), 1, "{output}");
    assert_eq!(output.each("agent-text", "text").last(), Some(&"Submitted."), "{output}");
    assert_eq!(output.each("agent-ended", "outcome"), ["answered"], "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"], "{output}");
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    assert_eq!(model.requests().len(), 4, "{output}");
}
