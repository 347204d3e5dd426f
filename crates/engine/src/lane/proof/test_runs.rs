//! Runs single tests on the committed files, and on those files without the work on the story.
//!
//! The work is taken away in the work tree, where the test runner and its packages are. A note in the iteration's
//! folder says so while it lasts, for the runner that follows a killed one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use proof::{Canary, RunnerOptions, TestCommand, TestOutput, TestRef};
use serde::{Deserialize, Serialize};
use tasks::StoryId;
use vcs::CommitId;

use crate::checks::{GuardrailResults, GuardrailsVerdict, RoundInput, RoundPurpose};
use crate::control::RunControl;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::proof::test_results::TestResults;
use crate::options::Guardrail;
use crate::run_files::{self, deadline, no_commit};
use crate::run_id::random;
use crate::workspace::Actor;
use crate::{RunError, own_file};

const LARGEST_OUTPUT: u64 = 64 * 1024 * 1024;

/// In the iteration's folder, while the work tree differs from the commit.
const NOTE: &str = "proof-files.json";

/// How the files differ from the commit while the tests run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestFiles {
    /// The commit whose versions of `taken_away` are used.
    pub(super) base: Option<String>,
    pub(super) taken_away: Vec<String>,
    /// Additional files.
    #[serde(skip)]
    pub(super) canaries: Vec<(TestRef, Canary)>,
    pub(super) added: Vec<String>,
}

/// The commit that is checked out, as work on a story.
#[derive(Clone, Copy)]
pub(crate) struct TestedWork<'w> {
    pub(crate) story: &'w StoryId,
    pub(crate) iteration: u64,
    /// For notes and logs.
    pub(crate) folder: &'w Path,
    /// The text of the task list, which the tests must not change.
    pub(crate) task_list: &'w str,
}

impl<'w> TestedWork<'w> {
    pub(super) fn of(iteration: &'w Iteration, task_list: &'w str) -> Self {
        let assignment = &iteration.assignment;
        let (story, number) = (&assignment.story, assignment.iteration);
        Self { story, iteration: number, folder: &iteration.folder, task_list }
    }
}

pub(super) struct TestRun {
    pub(super) results: TestResults,
    pub(super) elapsed: Duration,
    /// What the tests changed and must not change, or why they cannot run.
    pub(super) forbidden: Vec<String>,
}

impl Lane<'_> {
    /// `None` if the user stops the run or skips the story. `name` is the folder of the logs.
    pub(super) fn run_tests(
        &mut self,
        work: TestedWork<'_>,
        control: &mut RunControl<'_>,
        tests: &[TestRef],
        files: TestFiles,
        name: &str,
    ) -> Result<Option<TestRun>, RunError> {
        if tests.is_empty() {
            let (results, elapsed) = (TestResults::default(), Duration::ZERO);
            return Ok(Some(TestRun { results, elapsed, forbidden: Vec::new() }));
        }
        let folder = work.folder.join(name);
        run_files::make_folder(&folder, self.layout)?;
        let options = RunnerOptions { custom: self.options.proof.run.as_deref() };
        // A node may not have the folder for temporary files that this machine has.
        let reports = match control.executor.check_jobs() {
            Some(_) => PathBuf::from("/tmp"),
            None => std::env::temp_dir(),
        };
        let reports = reports.join(format!("ralph-proof-{}", random(12)));
        let commands = match proof::commands(tests, &options, self.layout.root(), &reports) {
            Ok(commands) => commands,
            // An agent wrote the names and the files.
            Err(error) => {
                let (results, elapsed) = (TestResults::default(), Duration::ZERO);
                let forbidden = vec![error.to_string()];
                return Ok(Some(TestRun { results, elapsed, forbidden }));
            }
        };
        let mark = format!("ralph-report-{}", random(16));
        let guardrails: Vec<Guardrail> =
            commands.iter().map(|command| guardrail(command, &reports, &mark)).collect();
        let input =
            RoundInput { guardrails: &guardrails, folder: &folder, purpose: RoundPurpose::Proof };
        let (ran, forbidden) = self.run_with_files(work, control, input, files)?;
        if ran.verdict == GuardrailsVerdict::Interrupted {
            return Ok(None);
        }
        let mut results = TestResults::default();
        for (command, finished) in commands.iter().zip(&ran.finished) {
            let log = self.layout.project_root().join(&finished.log);
            let printed = bounded_read::read_file(&log, LARGEST_OUTPUT).unwrap_or_default();
            let printed = String::from_utf8_lossy(&printed);
            let (text, report) = match printed.rsplit_once(&mark) {
                Some((text, report)) => (text, Some(report.trim()).filter(|it| !it.is_empty())),
                None => (&*printed, None),
            };
            let exit_code = match finished.outcome {
                events::CheckOutcome::Passed => Some(0),
                events::CheckOutcome::Failed(code) => code,
                _ => None,
            };
            results.0.extend(proof::results(command, &TestOutput { exit_code, text, report }));
        }
        Ok(Some(TestRun { results, elapsed: ran.elapsed, forbidden }))
    }

    /// Runs the commands on the commit with these differences, here or as a job.
    fn run_with_files(
        &mut self,
        work: TestedWork<'_>,
        control: &mut RunControl<'_>,
        input: RoundInput<'_>,
        files: TestFiles,
    ) -> Result<(GuardrailResults, Vec<String>), RunError> {
        let TestedWork { story, task_list, .. } = work;
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let snapshot =
            self.workspace.snapshot(Actor::Check, Some(story.clone()), head.clone(), task_list);
        let added = files.canaries.iter().map(|(_, canary)| canary.file.clone()).collect();
        let files = TestFiles { added, ..files };
        self.change_files(work.folder, &files)?;
        let job = match control.executor.check_jobs() {
            Some(_) => {
                let commit = self.commit_of_files(&head, &files)?;
                self.run_round_as_job(control, story, input, task_list, &commit)?
            }
            None => None,
        };
        let ran = match job {
            Some(done) => Ok(done),
            None => control.run_guardrails(input).map(|results| (results, Vec::new())),
        };
        self.put_back(work.folder, files)?;
        let forbidden = self.workspace.restore_unexpected_changes(&snapshot, input.folder)?;
        let (results, on_node) = ran?;
        Ok((results, [on_node, forbidden].concat()))
    }

    fn change_files(&mut self, folder: &Path, files: &TestFiles) -> Result<(), RunError> {
        let note = folder.join(NOTE);
        let text = serde_json::to_vec(files).unwrap_or_default();
        own_file::put(self.layout.project_root(), &note, &text).map_err(RunError::disk(NOTE))?;
        if let Some(base) = files.base.as_deref().and_then(|base| CommitId::new(base).ok()) {
            self.workspace.restore_files_of(&base, files.taken_away.clone())?;
        }
        for (_, canary) in &files.canaries {
            let path = self.layout.root().join(&canary.file);
            own_file::put(self.layout.root(), &path, canary.source.as_bytes())
                .map_err(RunError::disk(&canary.file))?;
        }
        Ok(())
    }

    /// Undoes what the note says; can be repeated. Nothing without a note.
    pub(crate) fn put_back_files(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let note = iteration.folder.join(NOTE);
        let Ok(text) = bounded_read::read_file(&note, LARGEST_OUTPUT) else { return Ok(()) };
        self.put_back(&iteration.folder, serde_json::from_slice(&text).unwrap_or_default())
    }

    fn put_back(&mut self, folder: &Path, files: TestFiles) -> Result<(), RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let changed = files.taken_away.into_iter().chain(files.added).collect();
        self.workspace.restore_files_of(&head, changed)?;
        own_file::remove(&folder.join(NOTE)).map_err(RunError::disk(NOTE))
    }

    /// For a job, which starts from a commit.
    fn commit_of_files(&self, head: &CommitId, files: &TestFiles) -> Result<CommitId, RunError> {
        let paths: Vec<&String> = files.taken_away.iter().chain(&files.added).collect();
        let tree = &self.workspace.tree;
        let changed = tree.tree_with(&paths, deadline())?;
        Ok(tree.commit_tree(
            &changed,
            &[head],
            "ralph: files for the tests of a proof",
            deadline(),
        )?)
    }
}

/// Prints the report after the output of the tests, whose two streams are one: their order counts.
fn guardrail(command: &TestCommand, reports: &Path, mark: &str) -> Guardrail {
    let quoted = |path: &Path| quoted(&path.to_string_lossy());
    let (folder, report) = (quoted(reports), command.report.as_deref().map(quoted));
    let report = report.map(|report| format!("cat {report} 2>/dev/null; ")).unwrap_or_default();
    Guardrail::of_command(format!(
        "mkdir -p {folder}; {{ {}\n}} 2>&1; code=$?; printf '\\n%s\\n' {mark}; {report}rm -rf {folder}; exit $code",
        command.command
    ))
}

fn quoted(text: &str) -> String {
    // Only a text with a NUL cannot be quoted, and no path has one.
    shlex::try_quote(text).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}
