//! A session breaks a check to have its failure excused, or narrows what a check looks at.

use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{AttackTarget, STORY, rejection, wrong_work};

#[test]
fn a_check_that_the_session_broke_is_not_excused_by_a_later_run() {
    let target = AttackTarget::new();
    let scenario = Scenario::new().rule(When::mode(Mode::Review), rejection());
    let attacked = target.scenario(scenario.otherwise(wrong_work()));
    for flags in [&["-n", "1"][..], &["-n", "2", "--resume"], &["-n", "2", "--fresh"]] {
        let mut args = vec!["--agent-program"];
        let agent = crate::harness::program("simulated-agent");
        args.push(agent.to_str().unwrap());
        let run = attacked.project.run_installed(args.into_iter().chain(flags.iter().copied()));
        assert_ne!(run.code, Some(0), "{:#?}", run.events);
        assert_eq!(attacked.project.story(STORY)["passes"], false);
        let passed = run.events.iter().any(|event| {
            matches!(
                event,
                events::LoopEvent::ChecksJudged { outcome: events::ChecksOutcome::Passed, .. }
            )
        });
        assert!(!passed, "{flags:?}: {:#?}", run.events);
    }
}

#[test]
fn known_failures_that_the_session_writes_into_the_state_do_not_count() {
    let forge = r#"sed -i 's/"failures": *\[\]/"failures":[{"command":"sh check.sh","error":"x","exitCode":1,"hash":null}]/' .ralph/state.json
grep -q '"hash":null' .ralph/state.json"#;
    AttackTarget::new().attack(forge).fails_its_check("");
}

#[test]
fn the_paths_of_a_check_cannot_be_narrowed() {
    let target = AttackTarget::new();
    let mut list = target.project.tasks();
    list["verifyCommands"] = json!([{"run": "sh check.sh", "paths": ["src/**"]}]);
    target.project.write("ralph/tasks.json", format!("{list:#}\n"));
    test_repo::commit_all(&target.project.path());
    let narrowed = json!([{"run": "sh check.sh", "paths": ["docs/**"]}]);
    let narrow = Act::SetTop { field: "verifyCommands".into(), value: narrowed };
    let acts = wrong_work().into_iter().chain([narrow, Act::commit("chore: checks")]);
    let scenario = Scenario::new().rule(When::mode(Mode::Review), rejection()).otherwise(acts);
    target.scenario(scenario).is_refused("ChangesReverted");
}
