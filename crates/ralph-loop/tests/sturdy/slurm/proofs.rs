//! A story with a proof: its sessions as jobs, then its checks and tests.

use events::{LoopEvent, ProofPhase};
use serde_json::{Value, json};
use simulator::{Mode, Scenario, When};
use slurm_cluster::Cluster;

use super::{jobs, on_slurm, queue};
use crate::harness::{Finished, Project};
use crate::lanes::assert_complete;
use crate::proofs::{self, assert_proven_in_lanes, honest, specify};

/// Runs the project to its end. Returns the phases of the proof, and whether each was accepted.
#[track_caller]
fn proven(project: &Project, cluster: &Cluster, settings: Value) -> Vec<(ProofPhase, bool)> {
    on_slurm(project, cluster, settings);
    let run = project.run(&["--proof"]);
    run.assert_exit(0);
    assert_proven_in_lanes(project);
    assert_complete(project);
    assert_eq!(queue(cluster), Vec::<String>::new());
    let commits = test_repo::git(project.root(), &["log", "--all", "--format=%s"]);
    assert!(!commits.contains("files for the tests"), "{commits}");
    phases(&run)
}

fn phases(run: &Finished) -> Vec<(ProofPhase, bool)> {
    let phase = |event: &LoopEvent| match event {
        LoopEvent::ProofRan(ran) => Some((ran.phase, ran.accepted)),
        _ => None,
    };
    run.events.iter().filter_map(phase).collect()
}

/// The last runs are those after the review and after the merge.
const PROVEN: [(ProofPhase, bool); 5] = [
    (ProofPhase::Red, true),
    (ProofPhase::Green, true),
    (ProofPhase::WithoutWork, true),
    (ProofPhase::Green, true),
    (ProofPhase::Green, true),
];

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_sessions_of_a_proof_are_jobs() {
    let cluster = Cluster::start();
    let project = proofs::project(1, "self.assertNotIn('SLURMD_NODENAME', os.environ)");
    assert_eq!(proven(&project, &cluster, json!({})), PROVEN);
    assert_eq!(jobs(&cluster).len(), 3, "one for each session");
}

/// The first test changes the task list, which it must not do on a node either.
#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_tests_of_a_proof_are_jobs() {
    let cluster = Cluster::start();
    let on_node = "self.assertIn('SLURMD_NODENAME', os.environ)";
    // Nodes have another folder for temporary files.
    let project = proofs::project(1, "pass");
    let temporary = project.beside("tmp");
    let elsewhere = format!(
        "{on_node}\n        self.assertFalse([it for it in os.listdir('{}') if 'proof' in it])",
        temporary.display()
    );
    let changes = "open('ralph/tasks.json', 'a').write(' ')";
    let first = Scenario::new().rule(When::mode(Mode::Specify).visit(1), specify("US-1", changes));
    project.scenario(&honest(first, 1, &elsewhere));
    let found = proven(&project, &cluster, json!({"on": "local", "checks": {"on": "slurm"}}));
    assert_eq!(found, [&[(ProofPhase::Red, false)], &PROVEN[..]].concat());
    let names = jobs(&cluster);
    assert!(names.iter().all(|name| name.contains("-checks-")), "{names:?}");
}
