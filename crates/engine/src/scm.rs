//! Version control tasks after the guardrails have passed: the agent writes a commit message, then
//! the user's program commits and pushes.

pub(crate) mod commit_message;
mod message;
mod push;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use events::{LoopEvent, ScmOutcome};
use project::Layout;
use supervise::{ChildEvent, EndReason, Ended, Exit, Launch, Limits, Reaction};
use vcs::{DirtyKind, DirtyPath, TreeId, WorkTree};

use crate::RunError;
use crate::control::RunControl;
use crate::isolation::check_launch::{check_limits, plain_launch};
use crate::options::{RunOptions, ScmOptions, ScmTask};

pub(crate) use message::{CommitMessage, PreparedCommit};

/// For a commit with its hooks, or a slow push.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Lines of the program's output in the error message, and bytes of each.
const ERROR_LINES: usize = 20;
const LONGEST_LINE: usize = 64 * 1024;

pub(crate) struct Scm<'s> {
    pub(crate) options: &'s ScmOptions,
    pub(crate) tree: &'s WorkTree,
    /// The iteration's folder.
    pub(crate) folder: &'s Path,
    /// Untracked files from before the run, which the runner does not add.
    pub(crate) untracked: &'s [String],
}

impl Scm<'_> {
    /// The content of a commit; `None` if there is nothing to commit.
    fn pending(&self, context: &RunControl<'_>) -> Result<Option<PendingChanges>, RunError> {
        let deadline = Instant::now() + TIMEOUT;
        let layout = &context.options.layout;
        let dirty = pending_paths(self.tree, layout, self.untracked, deadline)?;
        if dirty.is_empty() {
            return Ok(None);
        }
        PendingChanges::of(self.tree, dirty, deadline).map(Some)
    }
}

/// Uncommitted paths, without those of the runner and `known` untracked ones.
pub(crate) fn pending_paths(
    tree: &WorkTree,
    layout: &Layout,
    known: &[String],
    deadline: Instant,
) -> Result<Vec<DirtyPath>, RunError> {
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let mut dirty = tree.state(deadline)?.dirty;
    dirty.retain(|DirtyPath { path, kind }| {
        let is_known = *kind == DirtyKind::Untracked && known.contains(path.as_str());
        !is_known && !layout.is_runtime(path) && !path.ends_with('/')
    });
    Ok(dirty)
}

/// Changes as git would commit them.
#[derive(PartialEq, Eq)]
pub(crate) struct PendingChanges {
    tree: TreeId,
    pub(crate) new_files: BTreeSet<String>,
}

impl PendingChanges {
    pub(crate) fn of(
        tree: &WorkTree,
        dirty: Vec<DirtyPath>,
        deadline: Instant,
    ) -> Result<Self, RunError> {
        let untracked = dirty.iter().filter(|dirty| dirty.kind == DirtyKind::Untracked);
        let new_files = untracked.map(|dirty| dirty.path.clone()).collect();
        let paths: Vec<String> = dirty.into_iter().map(|dirty| dirty.path).collect();
        Ok(Self { tree: tree.tree_with(&paths, deadline)?, new_files })
    }
}

/// The result of the tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScmProgress {
    All,
    /// A hook changed the committed content. The remaining tasks are skipped.
    OtherThanChecked {
        left: Vec<ScmTask>,
    },
    /// The user stopped the run before they were finished.
    Stopped,
}

impl RunControl<'_> {
    /// Executes the tasks in order, with the given message.
    pub(crate) fn perform(
        &mut self,
        scm: &Scm<'_>,
        tasks: &[ScmTask],
        message: Option<&str>,
    ) -> Result<ScmProgress, RunError> {
        for (index, task) in tasks.iter().enumerate() {
            // The user's program runs hooks and applies every setting.
            scm.tree.enforce_control_files_for_user()?;
            let performed = match task {
                ScmTask::Push => self.push(scm, &tasks[index + 1..])?,
                ScmTask::Commit => self.commit(scm, message, &tasks[index + 1..])?,
            };
            if performed != ScmProgress::All {
                return Ok(performed);
            }
        }
        Ok(ScmProgress::All)
    }

    fn commit(
        &mut self,
        scm: &Scm<'_>,
        message: Option<&str>,
        left: &[ScmTask],
    ) -> Result<ScmProgress, RunError> {
        let (Some(message), Some(pending)) = (message, scm.pending(self)?) else {
            self.report_scm("commit", ScmOutcome::NothingToDo, "nothing to commit");
            return Ok(ScmProgress::All);
        };
        if !pending.new_files.is_empty() {
            // On stdin, because the command line is limited; literal, because a name may contain a star.
            let add =
                ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
            let add = add.map(OsString::from).into();
            let names = pending.new_files.iter().map(|name| vcs::path_to_bytes(name));
            let names = names.collect::<Vec<_>>().join(&0);
            if self.run_scm(&scm.options.program, "add", add, names)? == ScmProgress::Stopped {
                return Ok(ScmProgress::Stopped);
            }
        }
        let args = ["commit", "-am", message].map(OsString::from).into();
        let performed = self.scm_task(&scm.options.program, "commit", args, message)?;
        if performed != ScmProgress::All {
            return Ok(performed);
        }
        let committed = scm.tree.head_and_tree(Instant::now() + TIMEOUT)?;
        let as_checked = committed.is_some_and(|(_, tree)| tree == pending.tree);
        match (as_checked, scm.pending(self)?) {
            (true, None) => Ok(ScmProgress::All),
            // A hook changed the files before or after the commit.
            (false, None) | (true, Some(_)) => {
                Ok(ScmProgress::OtherThanChecked { left: left.to_vec() })
            }
            (false, Some(_)) => Err(RunError::Scm {
                what: "a git hook changed the files: the commit differs from the work tree".into(),
            }),
        }
    }

    fn scm_task(
        &mut self,
        program: &Path,
        task: &str,
        args: Vec<OsString>,
        text: &str,
    ) -> Result<ScmProgress, RunError> {
        let performed = self.run_scm(program, task, args, Vec::new())?;
        if performed == ScmProgress::All {
            self.report_scm(task, ScmOutcome::Done, text);
        }
        Ok(performed)
    }

    fn report_scm(&mut self, task: &str, outcome: ScmOutcome, text: &str) {
        let (task, text) = (task.to_owned(), text.to_owned());
        self.sink.emit(LoopEvent::ScmEnded { task, outcome, text });
    }

    fn run_scm(
        &mut self,
        program: &Path,
        task: &str,
        args: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<ScmProgress, RunError> {
        let mut output: Vec<String> = Vec::new();
        let RunOptions { keeper, layout, limits, .. } = self.options;
        let limits = Limits {
            total: Some(TIMEOUT),
            longest_line: LONGEST_LINE,
            ..check_limits(limits.grace)
        };
        let launch = Launch {
            // A password prompt could not be answered.
            environment: vec![("GIT_TERMINAL_PROMPT".into(), Some("0".into()))],
            input,
            ..plain_launch(keeper, layout.root(), program.to_path_buf(), args, limits)
        };
        let ended = self.executor.run(launch, self.switch.requests(), &mut |event| {
            if let ChildEvent::Line(line) = event
                && output.len() < ERROR_LINES
            {
                output.push(String::from_utf8_lossy(line.bytes).into_owned());
            }
            Reaction::Nothing
        });
        let leftovers = ended.as_ref().map_or_else(|e| e.leftovers(), |e| e.leftovers.clone());
        let of = format!("`{} {task}`", program.display());
        RunError::refuse_survivors(&of, &leftovers)?;
        let why = match ended {
            Ok(Ended { how: EndReason::ByItself, exit: Some(Exit::Code(0)), .. }) => {
                return Ok(ScmProgress::All);
            }
            Ok(Ended { how: EndReason::Stopped, .. }) => return Ok(ScmProgress::Stopped),
            Ok(Ended { how: EndReason::TotalLimit, .. }) => "it exceeded the time limit".to_owned(),
            Ok(_) => output.join("\n"),
            Err(error) => error.to_string(),
        };
        self.scm_failed(program, task, &why)
    }

    fn scm_failed(
        &mut self,
        program: &Path,
        task: &str,
        why: &str,
    ) -> Result<ScmProgress, RunError> {
        let program = program.display();
        let text = format!("`{program} {task}` failed: {why}");
        self.report_scm(task, ScmOutcome::Failed, &text);
        Err(RunError::Scm { what: text })
    }
}
