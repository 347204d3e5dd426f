//! A session that reaches its soft time limit.

use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

const WARNING: &str = "Time WARNING: this session has passed its soft time limit";

/// Waits until the time in the marker.
const LONG: &str = "soft=$(sed -n 's/.*\"softLimitAt\": *\\([0-9]*\\).*/\\1/p' .ralph-active); \
                    until [ \"$(date +%s)\" -gt \"$soft\" ]; do sleep 0.1; done";

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_next_request_contains_the_soft_limit_warning() {
    let setup = RunSetup::with_plugin();
    let limits = r#"{"timeLimits": {"iterationSoft": "1s", "iteration": "10m"}}"#;
    std::fs::write(setup.project().join(".ralph/settings.json"), limits).unwrap();
    test_repo::commit_all(&setup.project());
    let submit = setup.stories().work("true", 0, submitted());
    let model = model([vec![Turn::bash(LONG), submit, Turn::text("Submitted.")]]);
    let output = setup.run(&model, &["-n", "1"]);

    assert_eq!(output.each("iteration-ended", "status"), ["accepted"], "{output}");
    let mentions: Vec<usize> =
        model.requests().iter().map(|request| request.mentions(WARNING)).collect();
    assert_eq!(mentions, [0, 1, 1], "sent once, and kept: {output}");
    let left = format!("{WARNING} and is ended in about 9 min");
    assert_eq!(model.requests()[1].mentions(&left), 1, "{:?}", model.requests()[1].user_texts());
    assert_eq!(output.each("time-warning", "what"), ["implement"], "{output}");
    assert_eq!(output.each("agent-ended", "outcome"), ["answered"], "nothing ends: {output}");
}
