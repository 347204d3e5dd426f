//! How many git processes an iteration costs, counted by a `git` on PATH.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use events::RunEnd;

use crate::harness::Project;
use crate::stories::story;

/// Puts a `git` on PATH that records its caller and its arguments.
fn count_git(project: &Project) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let log = project.bin().join("git.log");
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s %s\\n' \"$(cat /proc/$PPID/comm)\" \"$*\" >>'{}'\nexec '{}' \"$@\"\n",
        log.display(),
        found.display()
    );
    let git = project.bin().join("git");
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, PermissionsExt::from_mode(0o755)).unwrap();
    log
}

/// The commands of git that processes of this name started, by how often.
fn commands(log: &Path, program: &str) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let Some(rest) = line.strip_prefix(program) else { continue };
        let mut words = rest.split_ascii_whitespace();
        let mut command = words.next();
        while command == Some("-c") {
            words.next();
            command = words.next();
        }
        *counted.entry(command.unwrap_or_default().to_owned()).or_default() += 1;
    }
    counted
}

#[test]
fn an_ordinary_iteration_starts_at_most_four() {
    let counted = |iterations: &'static str| {
        let project = Project::with_checks([story("US-001"), story("US-002")], ["true"]);
        let log = count_git(&project);
        let run = project.run(["-n", iterations]);
        run.assert_end(RunEnd::IterationsUsed);
        (commands(&log, "ralph-loop"), commands(&log, "stop-guard"))
    };
    let total = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    let (mut before, _) = counted("1");
    // A review, and work on another story.
    for (iterations, sessions) in [("2", 2), ("3", 3)] {
        let (runner, hook) = counted(iterations);
        let more = total(&runner) - total(&before);
        assert!(more <= 4, "iteration {iterations} started {more}: {before:?} and {runner:?}");
        assert_eq!(hook, BTreeMap::from([("status".to_owned(), sessions)]), "one a session");
        before = runner;
    }
}
