//! The tests of a story's proof at any commit, without a run: the test files of one commit with all other files of
//! another, in a clone outside of the project.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use events::ProofRun;
use project::LARGEST_TASK_LIST;
use proof::{LARGEST_PROOF_FILE, MappedTests, PathPatterns, ProofFile, test_path_patterns};
use tasks::StoryId;
use vcs::{CommitId, WorkTree};

use crate::clones::{self, SetupResult};
use crate::control::{Counters, RunControl};
use crate::event_sink::EventSink;
use crate::lane::{StoryProof, TaskText, TestedWork};
use crate::options::StoryOptions;
use crate::parallel::Verification;
use crate::run_files::{self, deadline};
use crate::run_id::new_run_id;
use crate::{Observer, RunError, StopSwitch};

const TESTS_OF: &str = "name a commit that has the proof with --tests-of";

/// Where the files come from.
#[derive(Debug, Clone)]
pub struct ProofCommits {
    /// Test files, proof file and task list.
    pub tests: CommitId,
    /// All other files.
    pub work: CommitId,
}

/// What the tests say about the work of a commit.
#[derive(Debug, Clone)]
pub struct RerunProof {
    pub title: String,
    pub run: ProofRun,
}

/// `None` if the user stopped it. `setup` prepares the clone, which is made in `folder` and removed.
pub fn rerun_proof(
    options: &StoryOptions,
    (story, commits): (&StoryId, &ProofCommits),
    setup: &[String],
    folder: &Path,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<Option<RerunProof>, RunError> {
    let project = clones::project_of(options)?;
    let patterns = PathPatterns::new(&test_path_patterns(&options.proof.test_paths))
        .map_err(|error| RunError::precondition(error.to_string(), "fix proof.testPaths"))?;
    let (list, criteria) = mapped_tests(options, &project, story, &commits.tests, &patterns)?;
    let options = clones::options_outside(options, &project, folder, 1);
    let run_id = new_run_id();
    let sink = EventSink::new(run_id.clone(), observer);
    let rerun = Rerun { options: &options, project, switch, setup };
    let ran = rerun.run((story, commits), criteria, &list, (folder, run_id, &sink), &patterns);
    if let Err(error) = project::remove_any(folder) {
        sink.warn(format!("cannot remove the clone {}: {error}", folder.display()));
    }
    let title = list.list.story(story).map(|story| story.title.clone()).unwrap_or_default();
    Ok(ran?
        .map(|run| RerunProof { title, run: ProofRun { commit: commits.work.to_string(), ..run } }))
}

/// The task list and the proof of the story at the commit.
fn mapped_tests(
    options: &StoryOptions,
    project: &WorkTree,
    story: &StoryId,
    commit: &CommitId,
    patterns: &PathPatterns,
) -> Result<(TaskText, MappedTests), RunError> {
    let layout = &options.run.layout;
    let read = |name: &str, largest: u64| {
        let bytes = project.file_at(commit, name, largest, deadline())?;
        let absent = || format!("{name} is not in commit {commit}");
        bytes.ok_or_else(|| RunError::precondition(absent(), TESTS_OF))
    };
    let name = layout.proof_name(story);
    let list = TaskText::accepted(layout, &read(&layout.tasks_name(), LARGEST_TASK_LIST)?)?;
    let of_story = list.list.story(story).ok_or_else(|| {
        RunError::precondition(
            format!("{story} is not a story of the task list in commit {commit}"),
            TESTS_OF,
        )
    })?;
    let file = ProofFile::parse(&read(&name, LARGEST_PROOF_FILE)?);
    let criteria = file.and_then(|file| file.check(of_story, patterns)).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        RunError::precondition(
            format!("{name} in commit {commit}: {}", problems.join("; ")),
            TESTS_OF,
        )
    })?;
    Ok((list, criteria))
}

struct Rerun<'a> {
    options: &'a StoryOptions,
    project: WorkTree,
    switch: &'a StopSwitch,
    setup: &'a [String],
}

impl<'a> Rerun<'a> {
    fn run(
        self,
        (story, commits): (&StoryId, &ProofCommits),
        criteria: MappedTests,
        list: &TaskText,
        (folder, run_id, sink): (&Path, String, &EventSink<'a>),
        patterns: &PathPatterns,
    ) -> Result<Option<ProofRun>, RunError> {
        let (layout, clone) = (&self.options.run.layout, folder.join("clone"));
        let own = [layout.proof_name(story), layout.tasks_name()];
        let is_of_tests = |path: &String| patterns.matches(path) || own.contains(path);
        let changed =
            self.project.changes_between(&commits.work, &commits.tests, deadline())?.into_iter();
        let paths = changed.flat_map(|it| [Some(it.path), it.old_path]).flatten();
        let of_tests: Vec<String> = paths.filter(is_of_tests).collect();
        let logs = layout.run_dir(&run_id);
        run_files::make_folder(&logs, layout)?;
        let tree = clones::make(&self.project, &clone, layout, sink)?;
        let counters = Counters::default();
        let mut control =
            RunControl::new(&self.options.run, run_id, &counters, self.switch, sink.clone());
        control.clock.start(Instant::now());
        let mut verification =
            Verification::new(self.project, clone, tree, self.options, control, self.setup)?;
        match verification.check_out_with(&commits.work, (&commits.tests, of_tests), &logs)? {
            SetupResult::Unneeded | SetupResult::Done => {}
            SetupResult::Interrupted => return Ok(None),
            SetupResult::Failed(why) => {
                let next = "correct lanes.setup in the settings: it prepares each clone";
                return Err(RunError::precondition(why, next));
            }
        }
        let proof = StoryProof {
            base: commits.work.to_string(),
            red_at: commits.tests.to_string(),
            files: BTreeMap::new(),
            criteria,
            ..StoryProof::default()
        };
        let tested = TestedWork { story, iteration: 1, folder: &logs, task_list: &list.text };
        verification.run_proof(tested, &proof)
    }
}
