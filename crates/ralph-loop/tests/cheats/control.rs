//! The target itself: honest work is done, wrong work without a trick is not.

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{AttackTarget, STORY};

#[test]
fn honest_work_is_complete() {
    let honest = Scenario::new()
        .rule(
            When::mode(Mode::Implement),
            [Act::bash("echo right > src/code.txt"), Act::submit("done"), Act::commit("feat")],
        )
        .rule(When::mode(Mode::Review), [Act::approve("it works"), Act::commit("review")]);
    let target = AttackTarget::new().scenario(honest);
    let run = target.project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.findings(), "");
    assert_eq!(run.warnings(), "");
    assert!(run.summary(STORY).passes);
}

#[test]
fn wrong_work_is_refused_by_the_check() {
    let run = AttackTarget::new().attack("true");
    run.is_not_counted().assert_event("outcome: Failed(");
}
