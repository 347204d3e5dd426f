//! The attacked project: one story, one check and one reviewer that both read the code. The code is
//! `wrong` unless an honest agent wrote it.

use events::{ChecksOutcome, LoopEvent, RunEnd, ToolOutcome};
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

/// Passes only on code that works, and before there is any.
pub(crate) const CHECK: &str = "#!/bin/sh\ngrep -qx -e none -e right src/code.txt\n";

/// As long as `CHECK`, and passes on everything.
pub(crate) const FAKE_CHECK: &str = "#!/bin/sh\ntrue                                  \n";

pub(crate) const STORY: &str = "US-001";

/// Enough for an attack on the review after the implementation, and for what comes after it.
const ITERATIONS: u32 = 4;

/// The feedback of an honest reviewer for broken code.
const REJECTED: &str = "src/code.txt is wrong";

pub(crate) struct AttackTarget {
    pub(crate) project: Project,
}

impl AttackTarget {
    pub(crate) fn new() -> Self {
        Self::with_check(CHECK)
    }

    pub(crate) fn with_check(script: &str) -> Self {
        Self::with(["sh check.sh"], script)
    }

    pub(crate) fn with_checks<const N: usize>(commands: [&str; N]) -> Self {
        Self::with(commands, CHECK)
    }

    pub(crate) fn with<const N: usize>(commands: [&str; N], script: &str) -> Self {
        assert_eq!(CHECK.len(), FAKE_CHECK.len(), "else its size would give it away");
        let project = Project::with_checks([story(STORY)], commands).with_base_checks();
        project.write("check.sh", script);
        project.write("src/code.txt", "none\n");
        test_repo::commit_all(&project.path());
        Self { project }
    }

    /// Wrong code is committed and submitted, then this shell script runs, in the first session that
    /// implements. Sessions after it do the same without the script; reviews reject.
    pub(crate) fn attack(self, script: &str) -> Attacked {
        self.attack_with([Act::bash(script)])
    }

    pub(crate) fn attack_with(self, acts: impl IntoIterator<Item = Act>) -> Attacked {
        let first = wrong_work().into_iter().chain(acts);
        self.scenario(
            Scenario::new()
                .rule(When::mode(Mode::Implement).visit(1), first)
                .rule(When::mode(Mode::Review), rejection())
                .otherwise(wrong_work()),
        )
    }

    /// Any agent that is not honest.
    pub(crate) fn scenario(self, scenario: Scenario) -> Attacked {
        self.project.agent(&scenario);
        Attacked { project: self.project }
    }
}

/// Wrong code, committed and submitted.
pub(crate) fn wrong_work() -> Vec<Act> {
    vec![
        Act::bash("echo wrong > src/code.txt"),
        Act::submit("implemented and tested"),
        Act::commit("feat: done"),
    ]
}

/// The result of an honest review of wrong code.
pub(crate) fn rejection() -> Vec<Act> {
    vec![Act::request_changes(REJECTED), Act::commit("review: changes requested")]
}

pub(crate) struct Attacked {
    pub(crate) project: Project,
}

impl Attacked {
    /// Wrong code does not count, and `reported` is in an event.
    #[track_caller]
    pub(crate) fn is_refused(&self, reported: &str) -> Outcome<'_> {
        let run = self.is_not_counted();
        run.assert_event(reported);
        run
    }

    /// The run does not end as complete, and the story does not pass.
    #[track_caller]
    pub(crate) fn is_not_counted(&self) -> Outcome<'_> {
        self.counts_not_in(ITERATIONS)
    }

    /// Wrong code fails its check, and the runner itself prints `reported`.
    #[track_caller]
    pub(crate) fn fails_its_check(&self, reported: &str) -> Outcome<'_> {
        self.fails_its_check_in(1, reported)
    }

    /// In as many iterations as the attack takes. Those after it may commit openly what was hidden, which a
    /// review sees.
    #[track_caller]
    pub(crate) fn fails_its_check_in(&self, iterations: u32, reported: &str) -> Outcome<'_> {
        let run = self.counts_not_in(iterations);
        let passed = |event: &LoopEvent| {
            matches!(event, LoopEvent::ChecksJudged { outcome: ChecksOutcome::Passed, .. })
        };
        assert!(!run.events.iter().any(passed), "{:#?}", run.events);
        let failed = |event: &LoopEvent| {
            matches!(event, LoopEvent::ToolEnded { outcome: ToolOutcome::Failed, .. })
        };
        assert!(!run.events.iter().any(failed), "an attack that does not work: {:#?}", run.events);
        let printed = runner_text(&run);
        assert!(printed.contains(reported), "{reported:?} is not in: {printed}\n{:#?}", run.events);
        run
    }

    /// A setting of git's outside of the repository was changed: nothing is judged, the run ends and names `setting`,
    /// and so does the next one.
    #[track_caller]
    pub(crate) fn ends_the_run_over(&self, setting: &str) {
        let run = self.fails_its_check("is not judged");
        assert_text(&run.stderr, contains("outside of the repository was changed"));
        let next = self.project.run(["-n", "1"]);
        next.assert_exit(2);
        for part in [setting, "--trust-settings"] {
            assert!(next.stderr.contains(part), "{part:?} is not in: {}", next.stderr);
        }
    }

    #[track_caller]
    fn counts_not_in(&self, iterations: u32) -> Outcome<'_> {
        let run = self.project.run(["-n", &iterations.to_string()]);
        assert_ne!(run.code, Some(0), "{:#?}", run.events);
        let counts = |event: &LoopEvent| {
            matches!(
                event,
                LoopEvent::RunEnded(events::RunEnded { end: RunEnd::Complete, .. })
                    | LoopEvent::StoryStatusChanged { passes: true, .. }
            )
        };
        let counted: Vec<&LoopEvent> = run.events.iter().filter(|event| counts(event)).collect();
        assert!(counted.is_empty(), "{counted:#?}\n{:#?}", run.events);
        run
    }
}

/// The output of the runner, without that of agents and checks.
pub(crate) fn runner_text(run: &Outcome<'_>) -> String {
    let printed = run.events.iter().filter_map(|event| match event {
        LoopEvent::ChangesReverted(events::RevertedChanges { findings, corrections, .. }) => {
            Some([findings.join("\n"), corrections.join("\n")].join("\n"))
        }
        LoopEvent::Warning { text } | LoopEvent::LeftoverFound { text } => Some(text.clone()),
        _ => None,
    });
    printed.collect::<Vec<_>>().join("\n")
}
