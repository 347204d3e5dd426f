//! A thousand random changes of control files, each with a changed file that git is made to
//! consider unchanged. The file is found, the change is reported and restored, and no program of
//! the agent runs.

use std::time::{Duration, SystemTime};

use test_repo::control_file_changes::{Numbers, random_change};
use vcs::{AllowedChanges, Proofs, WorkTree};

use crate::repository::{Repository, soon};

/// Cases per test; four tests make a thousand.
const CASES: usize = 250;

const CHECK: &str = "#!/bin/sh\ngrep -qx right src/code.txt\n";

const FAKE_CHECK: &str = "#!/bin/sh\n: ep -qx right src/code.txt\n";

const _: () = assert!(CHECK.len() == FAKE_CHECK.len());

/// Ways to make git ignore the file; the last one relies on the change itself.
const WAYS_TO_HIDE: [&str; 4] = [
    "git update-index --assume-unchanged check.sh",
    "git update-index --skip-worktree check.sh",
    "git -c core.trustctime=false -c core.checkStat=minimal update-index -q --refresh",
    ":",
];

struct Attacked {
    repository: Repository,
    tree: WorkTree,
    proofs: Proofs,
    written: SystemTime,
}

impl Attacked {
    fn new() -> Self {
        let repository = Repository::new();
        repository.write("check.sh", CHECK);
        let written = SystemTime::now() - Duration::from_secs(3600);
        let mut attacked =
            Self { tree: repository.tree(), repository, proofs: Proofs::default(), written };
        attacked.put(CHECK);
        attacked.repository.commit_all();
        attacked.tree.guard_control_files(AllowedChanges::default()).unwrap();
        attacked
    }

    /// With an unchanged modification time.
    fn put(&self, check: &str) {
        let place = self.repository.at("check.sh");
        std::fs::write(&place, check).unwrap();
        let file = std::fs::File::options().write(true).open(place).unwrap();
        file.set_modified(self.written).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that runs an attack")]
    fn shell(&self, script: &str) {
        let mut shell = std::process::Command::new("sh");
        // A setting that breaks git hides nothing.
        let _ = shell.args(["-c", script]).current_dir(self.repository.path()).output().unwrap();
    }

    /// Sorted and in lower case: a restored key is in normal form, last in its section.
    fn settings(&self) -> Vec<String> {
        let text = self.repository.read(".git/config");
        let mut lines: Vec<String> = text.to_lowercase().lines().map(String::from).collect();
        lines.sort();
        lines
    }

    fn unproven(&mut self) -> Vec<String> {
        let head = self.tree.head(soon()).unwrap().unwrap();
        let found = self.tree.unproven_files(&mut self.proofs, &head, &|_| false, soon()).unwrap();
        found.files
    }
}

fn survives(seed: u64) {
    let mut attacked = Attacked::new();
    let canary = attacked.repository.script(".git/canary", "echo x >> .git/executed");
    let settings = attacked.settings();
    let mut numbers = Numbers(seed);
    for case in 0..CASES {
        let (name, change) = random_change(&mut numbers);
        let hide = WAYS_TO_HIDE[numbers.below(WAYS_TO_HIDE.len())];
        let shown = format!("seed {seed}, case {case}: {hide}; {change}");
        attacked.put(FAKE_CHECK);
        attacked.shell(&format!("{hide}\n{}", change.replace("CANARY", &canary)));
        // The attack's own git may have run it.
        let _ = std::fs::remove_file(attacked.repository.at(".git/executed"));

        let changes = attacked.tree.restore_control_files().unwrap();
        let named = changes.iter().any(|found| found.name.to_lowercase() == name);
        assert!(named, "{shown}: {changes:?}");
        assert_eq!(attacked.unproven(), ["check.sh"], "{shown}");
        assert_eq!(attacked.settings(), settings, "{shown}");

        attacked.put(CHECK);
        attacked.shell("git update-index --no-assume-unchanged --no-skip-worktree check.sh");
        assert_eq!(attacked.unproven(), [""; 0], "{shown}: as it was committed");
        assert!(!attacked.repository.at(".git/executed").exists(), "{shown}: executed");
    }
}

#[test]
fn no_change_hides_a_file_1() {
    survives(1);
}

#[test]
fn no_change_hides_a_file_2() {
    survives(2);
}

#[test]
fn no_change_hides_a_file_3() {
    survives(3);
}

#[test]
fn no_change_hides_a_file_4() {
    survives(4);
}
