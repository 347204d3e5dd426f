//! Jobs in a real Slurm cluster.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod jobs;

use job_engines::{Cancel, JobEnd, JobId, JobState};

use crate::jobs::Jobs;

/// Runs until it gets SIGTERM.
const UNTIL_TERMINATED: &str = "trap 'echo ended politely; exit 7' TERM; echo started; \
                                while true; do sleep 0.1; done";

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn a_job_runs_on_a_node_without_the_variables_of_its_submission() {
    let jobs = Jobs::start();
    // Cargo sets this one for tests.
    let script = "echo \"it's ${CARGO_MANIFEST_DIR:-not set}\"; echo on $SLURMD_NODENAME >&2";
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let id = jobs.submit(1, script, &[]);
    let ended = jobs.wait_for_end(&id);
    assert_eq!(ended.state, JobState::Ended(JobEnd::Completed));
    let node = ended.node.unwrap();
    assert_eq!(jobs.printed(1), format!("it's not set\non {node}\n"));
    assert_eq!(jobs.status(&JobId("9999".into())), None, "an unknown job");
    let failed = jobs.submit(2, "exit 3", &[]);
    let JobState::Ended(JobEnd::Failed(why)) = jobs.wait_for_end(&failed).state else {
        panic!("it did not fail")
    };
    assert_eq!(why, "FAILED, reason NonZeroExitCode, exit code 3:0");
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn jobs_are_found_by_name_and_cancelled() {
    let jobs = Jobs::start();
    let running = jobs.submit(1, UNTIL_TERMINATED, &[]);
    let waiting = jobs.submit(2, "echo started", &["--hold"]);
    jobs.wait_for_output(1, "started");
    assert_eq!(
        [1, 2, 3].map(|number| jobs.find(number)),
        [Some(running.clone()), Some(waiting.clone()), None]
    );
    assert_eq!(jobs.status(&running).unwrap().state, JobState::Running);
    let held = JobState::Waiting { reason: "JobHeldUser".into() };
    assert_eq!(jobs.status(&waiting).unwrap().state, held);

    for id in [&running, &waiting] {
        jobs.cancel(id, Cancel::Politely);
    }
    assert!(matches!(jobs.wait_for_end(&running).state, JobState::Ended(JobEnd::Failed(_))));
    assert!(jobs.printed(1).ends_with("ended politely\n"), "{}", jobs.printed(1));
    assert_eq!(jobs.wait_for_end(&waiting).state, JobState::Ended(JobEnd::Cancelled));
    assert_eq!((jobs.printed(2), jobs.find(1)), (String::new(), None));

    let stubborn = jobs.submit(3, "trap '' TERM; echo started; exec sleep 600", &[]);
    jobs.wait_for_output(3, "started");
    jobs.cancel(&stubborn, Cancel::Politely);
    assert_eq!(jobs.status(&stubborn).unwrap().state, JobState::Running);
    jobs.cancel(&stubborn, Cancel::Now);
    assert!(matches!(jobs.wait_for_end(&stubborn).state, JobState::Ended(_)));
    // Jobs that have ended, and one that never was.
    for id in [running, waiting, JobId("9999".into())] {
        jobs.cancel(&id, Cancel::Politely);
    }
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_job_of_a_lost_node_runs_again_on_another() {
    let mut jobs = Jobs::start();
    // The second start ends by itself.
    let script = "echo start ${SLURM_RESTART_COUNT:-0} on $SLURMD_NODENAME; \
                  [ -n \"$SLURM_RESTART_COUNT\" ] || exec sleep 600";
    let id = jobs.submit(1, script, &[]);
    jobs.wait_for_output(1, "start 0 on");
    let first = jobs.status(&id).unwrap();
    let lost = first.node.unwrap();
    jobs.cluster.lose_node(&lost);
    let ended = jobs.wait_for_end(&id);
    let other = if lost == "n1" { "n2" } else { "n1" };
    assert_eq!(ended.state, JobState::Ended(JobEnd::Completed));
    assert_eq!(ended.node.as_deref(), Some(other));
    assert!(jobs.printed(1).contains(&format!("start 1 on {other}\n")), "{}", jobs.printed(1));
}
