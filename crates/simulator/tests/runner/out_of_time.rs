//! A session that is told to come to an end.

use simulator::Turn;

use crate::model;
use crate::stories::submitted;
use crate::workshop::Workshop;

const WARNING: &str = "Time WARNING: this session has passed its soft time limit";

/// Until the time that the marker names is over.
const LONG: &str = "soft=$(sed -n 's/.*\"softLimitAt\": *\\([0-9]*\\).*/\\1/p' .ralph-active); \
                    until [ \"$(date +%s)\" -gt \"$soft\" ]; do sleep 0.1; done";

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_model_hears_of_its_soft_limit_with_the_next_request() {
    let workshop = Workshop::with_plugin();
    let limits = r#"{"timeLimits": {"iterationSoft": "1s", "iteration": "10m"}}"#;
    std::fs::write(workshop.project().join(".ralph/settings.json"), limits).unwrap();
    test_repo::commit_all(&workshop.project());
    let submit = workshop.stories().work("true", 0, submitted());
    let model = model([vec![Turn::bash(LONG), submit, Turn::text("Submitted.")]]);
    let told = workshop.run(&model, &["-n", "1"]);

    assert_eq!(told.each("iteration-ended", "status"), ["accepted"], "{told}");
    let heard: Vec<usize> =
        model.requests().iter().map(|request| request.mentions(WARNING)).collect();
    assert_eq!(heard, [0, 1, 1], "said once, and remembered: {told}");
    let left = format!("{WARNING} and is ended in about 9 min");
    assert_eq!(model.requests()[1].mentions(&left), 1, "{:?}", model.requests()[1].user_texts());
    assert_eq!(told.each("time-warning", "what"), ["implement"], "{told}");
    assert_eq!(told.each("agent-ended", "outcome"), ["answered"], "nothing ends: {told}");
}
