//! The project that is attacked: one story, one check that reads the code, one reviewer that reads it
//! too. The code says `wrong` unless an honest agent wrote it.

use engine::{LoopEvent, RunEnd};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

/// Passes only on code that works.
pub(crate) const CHECK: &str = "#!/bin/sh\ngrep -qx right src/code.txt\n";

/// As long as `CHECK`, and passes on everything.
pub(crate) const FAKE_CHECK: &str = "#!/bin/sh\ntrue                       \n";

pub(crate) const STORY: &str = "US-001";

/// What an honest reviewer says of code that does not work.
const REJECTED: &str = "src/code.txt is wrong";

/// Enough for an attack, the review of it, and an attempt that answers the review.
const ITERATIONS: &str = "4";

pub(crate) struct Ground {
    pub(crate) project: Project,
}

impl Ground {
    pub(crate) fn new() -> Self {
        assert_eq!(CHECK.len(), FAKE_CHECK.len(), "else its size would give it away");
        let project = Project::with_checks([story(STORY)], ["sh check.sh"]);
        project.write("check.sh", CHECK);
        project.write("src/code.txt", "none\n");
        scratch_repo::commit_all(&project.path());
        Self { project }
    }

    /// Wrong code is committed and submitted, then this shell script runs, in the first session that
    /// implements. Whoever works after it does the same without the script; reviews reject.
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

/// What an honest review makes of wrong code.
pub(crate) fn rejection() -> Vec<Act> {
    vec![Act::request_changes(REJECTED), Act::commit("review: changes requested")]
}

pub(crate) struct Attacked {
    pub(crate) project: Project,
}

impl Attacked {
    /// The run does not end as complete, the story does not pass, and `reported` is in an event.
    #[track_caller]
    pub(crate) fn is_refused(&self, reported: &str) -> Outcome<'_> {
        let run = self.is_not_counted();
        run.assert_told(reported);
        run
    }

    #[track_caller]
    pub(crate) fn is_not_counted(&self) -> Outcome<'_> {
        let run = self.project.run(["-n", ITERATIONS]);
        assert_ne!(run.code, Some(0), "{:#?}", run.events);
        let complete = run
            .events
            .iter()
            .any(|event| matches!(event, LoopEvent::RunEnded { end: RunEnd::Complete, .. }));
        assert!(!complete, "{:#?}", run.events);
        let passes = run
            .events
            .iter()
            .any(|event| matches!(event, LoopEvent::StoryMoved { passes: true, .. }));
        assert!(!passes, "{:#?}", run.events);
        run
    }
}
