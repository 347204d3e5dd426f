//! Random changes of git's control files between a session and its judgement: wrong code never passes, no
//! change goes unreported, and nothing of the agent's is executed.

use std::collections::BTreeMap;

use engine::{GatesOutcome, LoopEvent, RunEnd};
use simulator::{Act, Mode, Scenario, When};

use crate::ground::{CHECK, FAKE_CHECK, Ground, said_by_the_runner, wrong_work};
use crate::outcome::Outcome;

const ITERATIONS: usize = 100;
/// In each of them.
const CHANGES: usize = 10;

/// Settings that are guarded.
const KEYS: [&str; 44] = [
    "alias.status",
    "commit.gpgSign",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.attributesFile",
    "core.autocrlf",
    "core.bare",
    "core.checkStat",
    "core.editor",
    "core.eol",
    "core.excludesFile",
    "core.fileMode",
    "core.fsmonitor",
    "core.hooksPath",
    "core.ignoreCase",
    "core.ignoreStat",
    "core.pager",
    "core.repositoryFormatVersion",
    "core.sparseCheckout",
    "core.splitIndex",
    "core.sshCommand",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedCache",
    "core.useReplaceRefs",
    "core.worktree",
    "credential.helper",
    "diff.external",
    "diff.text.textconv",
    "extensions.worktreeConfig",
    "extensions.partialClone",
    "filter.fuzz.clean",
    "filter.fuzz.process",
    "filter.fuzz.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "include.path",
    "includeIf.gitdir:/.path",
    "index.sparse",
    "merge.fuzz.driver",
    "pager.diff",
    "status.showUntrackedFiles",
    "submodule.fuzz.ignore",
    "url.file:///tmp/.insteadOf",
];

/// Values that mean something to one of the keys; `CANARY` is a program of the agent's.
const VALUES: [&str; 12] =
    ["CANARY", "true", "false", "minimal", "1", "/dev/null", "..", "/", "crlf", "no", "!CANARY", "x y"];

const FILES: [&str; 17] = [
    "commondir",
    "config.worktree",
    "gitdir",
    "hooks/post-checkout",
    "hooks/post-commit",
    "hooks/post-index-change",
    "hooks/pre-commit",
    "hooks/prepare-commit-msg",
    "hooks/reference-transaction",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "shallow",
    "hooks/fsmonitor-watchman",
];

/// What is put in the place of a file.
const KINDS: [&str; 7] = [
    "printf '#!/bin/sh\\nexec CANARY\\n' > $f; chmod +x $f",
    "printf '* filter=fuzz text eol=crlf working-tree-encoding=UTF-16\\n' > $f",
    "printf 'check.sh\\n*\\n' > $f",
    "head -c 64 /dev/urandom > $f",
    "ln -s /etc/passwd $f",
    "mkfifo $f",
    "mkdir -p $f; echo x > $f/x",
];

/// A sequence of numbers that is the same in each run of the test (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Changes of one session by the names under which they have to be reported.
fn changes(numbers: &mut Numbers) -> BTreeMap<String, String> {
    let mut changes = BTreeMap::new();
    while changes.len() < CHANGES {
        if numbers.below(2) == 0 {
            let (key, value) = (numbers.of(&KEYS), numbers.of(&VALUES));
            let write = format!("git config --file .git/config '{key}' '{value}'");
            changes.insert(key.to_lowercase(), write);
        } else {
            let (file, kind) = (numbers.of(&FILES), numbers.of(&KINDS));
            let write = format!("f=.git/{file}; rm -rf $f; mkdir -p $(dirname $f); {kind}");
            changes.insert(format!(".git/{file}"), write);
        }
    }
    changes
}

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
fn no_change_of_a_control_file_lets_wrong_code_pass_or_goes_unreported() {
    let ground = Ground::new();
    let canary = ground.project.bin().join("canary");
    let executed = ground.project.bin().join("executed");
    let script = format!("#!/bin/sh\necho x >> '{}'\n", executed.display());
    std::fs::write(&canary, script).unwrap();
    std::fs::set_permissions(&canary, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut numbers = Numbers(20);
    let all: Vec<BTreeMap<String, String>> =
        (0..ITERATIONS).map(|_| changes(&mut numbers)).collect();
    let scenario = all.iter().zip(1..).fold(Scenario::new(), |scenario, (changes, visit)| {
        let changes: Vec<&str> = changes.values().map(String::as_str).collect();
        // A check that passes on everything, which git does not look at.
        let script = format!(
            "git update-index --assume-unchanged check.sh; printf '{}' > check.sh\n{}",
            FAKE_CHECK.replace('\n', "\\n"),
            changes.join("\n").replace("CANARY", &canary.display().to_string())
        );
        let acts = wrong_work().into_iter().chain([Act::bash(script)]);
        scenario.rule(When::mode(Mode::Implement).visit(visit), acts)
    });
    let project = ground.scenario(scenario.otherwise(wrong_work())).project;
    let most = ITERATIONS.to_string();
    let run = project.run(["-n", &most, "--max-attempts", "1000"]);
    assert!(
        matches!(run.events.last(), Some(LoopEvent::RunEnded { end: RunEnd::IterationsUsed, .. })),
        "{}\n{:#?}",
        run.stderr,
        run.events.iter().rev().take(20).collect::<Vec<_>>()
    );
    let iterations = by_iteration(run);
    assert_eq!(iterations.len(), ITERATIONS);
    for (number, (changes, iteration)) in all.iter().zip(&iterations).enumerate() {
        let said = said_by_the_runner(iteration).to_lowercase();
        for (name, write) in changes {
            assert!(said.contains(name), "iteration {}: {write}\n{said}", number + 1);
        }
        let passed = |event: &LoopEvent| {
            matches!(
                event,
                LoopEvent::GatesJudged { outcome: GatesOutcome::Passed, .. }
                    | LoopEvent::StoryMoved { passes: true, .. }
            )
        };
        assert!(!iteration.events.iter().any(passed), "{:#?}", iteration.events);
    }
    assert!(!executed.exists(), "a program of the agent's was executed");
    assert_eq!(project.git(&["show", "HEAD:check.sh"]).trim_end(), CHECK.trim_end());
}
