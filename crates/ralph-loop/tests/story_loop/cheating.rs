//! One cheat and its results: reverted, recorded, in the next prompt, and the user's uncommitted
//! files unchanged.

use events::{IterationStatus, LoopEvent, RunEnd};
use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::commit;

/// An iteration that breaks a rule. It ignores the guard and stops again unchanged.
pub(crate) struct Cheat {
    project: Project,
    mode: Mode,
}

impl Cheat {
    /// The list decides the mode; naming it makes sure that the cheat happens at all.
    pub(crate) fn in_mode(mode: Mode, stories: impl IntoIterator<Item = Value>) -> Self {
        Self::in_project(mode, Project::new(stories))
    }

    pub(crate) fn in_project(mode: Mode, project: Project) -> Self {
        project.write("mine.txt", "mine, not committed\n");
        project.write("mine/new.txt", "mine, unknown to git\n");
        Self { project, mode }
    }

    /// Does it and commits it.
    pub(crate) fn commits(self, acts: impl IntoIterator<Item = Act>) -> Caught {
        let acts: Vec<Act> = acts.into_iter().chain([commit("done")]).collect();
        self.does(acts)
    }

    pub(crate) fn does(self, acts: impl IntoIterator<Item = Act>) -> Caught {
        let scenario = Scenario::new()
            .rule(When::mode(self.mode).iteration(1), acts)
            .otherwise([Act::finish("I look around first.")]);
        Caught { project: self.project.scenario(scenario), mode: self.mode }
    }
}

/// Expected results of every cheat.
pub(crate) struct Caught {
    pub(crate) project: Project,
    mode: Mode,
}

impl Caught {
    /// Runs the cheat and one more iteration.
    #[track_caller]
    pub(crate) fn for_what(self, finding: &str) -> Project {
        let project = self.project;
        let first = project.run(["-n", "1", "--allow-dirty"]);
        first.assert_end(RunEnd::IterationsUsed);
        assert_eq!(first.statuses(), [IterationStatus::Reverted], "{:#?}", first.events);
        let findings = first.findings();
        assert!(findings.contains(finding), "{finding:?} is not in: {findings}");
        let cheated = only_story(&first);
        assert_eq!(first.summary(&cheated).failed_attempts, 1);
        let recorded = project.state()["stories"][&cheated]["failure"]["findings"].to_string();
        let quoted = Value::from(finding).to_string();
        assert!(recorded.contains(quoted.trim_matches('"')), "{finding:?} not in: {recorded}");
        assert_users_files(&project);

        let second = project.run(["--resume", "-n", "2", "--allow-dirty"]);
        second.assert_end(RunEnd::IterationsUsed);
        let looked_around = match self.mode {
            Mode::Review => IterationStatus::Void,
            Mode::Implement | Mode::ReviewFix | Mode::Specify => IterationStatus::NoProgress,
        };
        assert_eq!(second.statuses(), [looked_around], "{:#?}", second.events);
        let prompt = second.prompt(1);
        assert!(prompt.contains(finding), "{finding:?} is missing: {prompt}");
        assert_users_files(&project);
        project
    }

    /// The same, and the task list is what it was, to the byte.
    #[track_caller]
    pub(crate) fn with_the_list_untouched(self, finding: &str) -> Project {
        let project = self.for_what(finding);
        assert_eq!(project.read("ralph/tasks.json"), project.tasks_before());
        assert_eq!(project.git(&["status", "--porcelain", "ralph"]), "", "and committed");
        project
    }
}

fn only_story(run: &Outcome<'_>) -> String {
    let story = run.events.iter().find_map(|event| match event {
        LoopEvent::IterationStarted(events::IterationStarted { story, .. }) => {
            story.as_ref().map(ToString::to_string)
        }
        _ => None,
    });
    story.unwrap()
}

/// Neither committed, nor changed, nor lost.
#[track_caller]
pub(crate) fn assert_users_files(project: &Project) {
    assert_eq!(project.read("mine.txt"), "mine, not committed\n");
    assert_eq!(project.read("mine/new.txt"), "mine, unknown to git\n");
    let status = project.git(&["status", "--porcelain", "--", "mine.txt", "mine"]);
    assert_eq!(status, "M mine.txt\n?? mine/");
    let args = ["log", "--all", "--format=%s", "-S", "mine, ", "--", "mine.txt", "mine"];
    assert_eq!(project.git(&args), "", "they are not committed");
}
