//! Random changes of git's control files between a session and its judgement: wrong code never passes, no
//! change goes unreported, and nothing of the agent's is executed.

use std::collections::BTreeMap;
use std::time::Duration;

use events::{ChecksOutcome, LoopEvent, RunEnd};
use test_repo::control_file_changes::{Numbers, random_change};

use crate::attack_target::{AttackTarget, CHECK, FAKE_CHECK, runner_text};
use crate::harness::program;
use crate::outcome::Outcome;

/// Of one run; two of them make a thousand changes.
const ITERATIONS: usize = 25;
/// In each of them.
const CHANGES: usize = 20;

/// On a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Changes of one session, by the names that the report must contain.
fn changes(numbers: &mut Numbers) -> BTreeMap<String, String> {
    let mut changes = BTreeMap::new();
    while changes.len() < CHANGES {
        let (name, change) = random_change(numbers);
        changes.insert(name, change);
    }
    changes
}

/// An agent without hooks. It commits and submits wrong code, puts a check there that passes on everything
/// and that git does not look at, and makes the changes of its session.
const AGENT: &str = r#"#!/bin/sh
cat > /dev/null
echo wrong > src/code.txt
sed -i 's/"reviewStatus": null/"reviewStatus": "needs_review"/' ralph/tasks.json
git add -A && git commit -q -m 'feat: done' || exit 1
session=$(($(cat ../session) + 1)); echo $session > ../session
git update-index --assume-unchanged check.sh && cat ../fake > check.sh || exit 1
sh ../changes-$session
echo Done.
"#;

/// The events of each iteration.
fn by_iteration(run: Outcome<'_>) -> Vec<Outcome<'_>> {
    let mut all: Vec<Outcome<'_>> = Vec::new();
    for event in run.events {
        if matches!(event, LoopEvent::IterationStarted { .. }) {
            let (project, code, stderr) = (run.project, run.code, String::new());
            all.push(Outcome { project, code, events: Vec::new(), stderr });
        }
        all.last_mut().into_iter().for_each(|iteration| iteration.events.push(event.clone()));
    }
    all
}

#[test]
fn no_change_lets_wrong_code_pass_or_goes_unreported_1() {
    survives(1);
}

#[test]
fn no_change_lets_wrong_code_pass_or_goes_unreported_2() {
    survives(2);
}

fn survives(seed: u64) {
    let AttackTarget { project } = AttackTarget::new();
    let canary = project.bin().join("canary");
    let executed = project.bin().join("executed");
    let record = format!("#!/bin/sh\necho x >> '{}'\n", executed.display());
    for (path, script) in [(&canary, record.as_str()), (&project.bin().join("fuzz-agent"), AGENT)] {
        std::fs::write(path, script).unwrap();
        let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, runs).unwrap();
    }
    project.write("../session", "0");
    project.write("../fake", FAKE_CHECK);
    let mut numbers = Numbers(seed);
    let all: Vec<BTreeMap<String, String>> =
        (0..ITERATIONS).map(|_| changes(&mut numbers)).collect();
    for (number, changes) in all.iter().enumerate() {
        let script = changes.values().map(|change| change.to_owned() + "\n").collect::<String>();
        let script = script.replace("CANARY", &canary.display().to_string());
        project.write(&format!("../changes-{}", number + 1), script);
    }
    let most = ITERATIONS.to_string();
    let args = [
        "run",
        "--output",
        "json",
        "--agent",
        "fuzz-agent",
        "--max-attempts",
        "1000",
        "--sandbox=guard",
    ];
    let mut command = project.command(&program("ralph-loop"));
    let output = command.args(args).args(["-n", &most]).timeout(PATIENCE).output().unwrap();
    let run = Outcome::of_run(&project, &output);
    assert!(
        matches!(
            run.events.last(),
            Some(LoopEvent::RunEnded(events::RunEnded { end: RunEnd::IterationsUsed, .. }))
        ),
        "seed {seed}: {:?} {}\n{:#?}",
        run.code,
        run.stderr,
        run.events.iter().rev().take(20).collect::<Vec<_>>()
    );
    let iterations = by_iteration(run);
    assert_eq!(iterations.len(), ITERATIONS, "seed {seed}");
    for (number, (changes, iteration)) in all.iter().zip(&iterations).enumerate() {
        let printed = runner_text(iteration).to_lowercase();
        for (name, change) in changes {
            assert!(
                printed.contains(name),
                "seed {seed}, iteration {}: {change}\n{printed}",
                number + 1
            );
        }
        let passed = |event: &LoopEvent| {
            matches!(
                event,
                LoopEvent::ChecksJudged { outcome: ChecksOutcome::Passed, .. }
                    | LoopEvent::StoryStatusChanged { passes: true, .. }
            )
        };
        assert!(!iteration.events.iter().any(passed), "seed {seed}: {:#?}", iteration.events);
    }
    assert!(!executed.exists(), "seed {seed}: a program of the agent's was executed");
    assert_eq!(project.git(&["show", "HEAD:check.sh"]).trim_end(), CHECK.trim_end());
}
