//! A command in the background wakes the session up after its first result.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::stories::submitted;
use crate::workshop::Workshop;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_last_result_counts() {
    let workshop = Workshop::with_plugin();
    // A second Stop hook tells the command that the session has stopped once.
    let tell = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "touch ~/stopped"}
    ]}]}});
    let until_stopped = "until [ -e ~/stopped ]; do sleep 0.05; done; echo built >build-result";
    let submit = workshop.stories().work("cat build-result", 0, submitted());
    let model = model([vec![
        Turn::bash_in_background(until_stopped),
        Turn::text("The build runs."),
        submit,
        Turn::text("Submitted."),
    ]]);
    let settings = tell.to_string();
    let args = ["-n", "1", "--agent-arg=--settings", "--agent-arg", &settings];
    let told = workshop.run(&model, &args);

    let folder = told.each("iteration-started", "folder")[0];
    let stream = workshop.read(format!("{folder}/stream.jsonl"));
    let results = stream.lines().filter(|line| line.contains("\"type\":\"result\"")).count();
    assert_eq!(results, 2, "{stream}");
    assert_eq!(told.all("session-started").len(), 1, "{told}");
    assert_eq!(told.each("agent-text", "text").last(), Some(&"Submitted."), "{told}");
    assert_eq!(told.each("agent-ended", "outcome"), ["answered"], "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"], "{told}");
    assert_eq!(told.all("hook-missing").len(), 0, "{told}");
    assert_eq!(model.requests().len(), 4, "{told}");
}
