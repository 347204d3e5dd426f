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
use run_options::Word;
use supervise::{
    ChildEvent, EndReason, Ended, Exit, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient,
    SoftLimits, Stdout,
};
use vcs::{DirtyKind, TreeId, WorkTree};

use crate::RunError;
use crate::control::RunControl;
use crate::options::{ScmOptions, ScmTask};

pub(crate) use message::{CommitMessage, PreparedCommit};

/// For a commit with its hooks, or a slow push.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Lines of the program's output in the error message.
const ERROR_LINES: usize = 20;

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
        let known: BTreeSet<&str> = self.untracked.iter().map(String::as_str).collect();
        let dirty = self.tree.state(deadline)?.dirty.into_iter();
        let dirty: Vec<_> = dirty
            .filter(|dirty| !layout.is_runtime(&dirty.path))
            .filter(|dirty| dirty.kind != DirtyKind::Untracked || !known.contains(&*dirty.path))
            .filter(|dirty| !dirty.path.ends_with('/'))
            .collect();
        if dirty.is_empty() {
            return Ok(None);
        }
        let untracked = dirty.iter().filter(|dirty| dirty.kind == DirtyKind::Untracked);
        let new_files = untracked.map(|dirty| dirty.path.clone()).collect();
        let paths: Vec<String> = dirty.into_iter().map(|dirty| dirty.path).collect();
        let tree = self.tree.tree_with(&paths, deadline)?;
        Ok(Some(PendingChanges { tree, new_files }))
    }
}

struct ScmCommand<'o> {
    task: &'o str,
    args: Vec<OsString>,
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

#[derive(PartialEq, Eq)]
struct PendingChanges {
    tree: TreeId,
    new_files: Vec<String>,
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
            let (outcome, text) = (ScmOutcome::NothingToDo, "nothing to commit".to_owned());
            let task = ScmTask::Commit.name().to_owned();
            self.sink.emit(LoopEvent::ScmEnded { task, outcome, text });
            return Ok(ScmProgress::All);
        };
        if !pending.new_files.is_empty() {
            // On stdin, because the command line is limited; literal, because a name may contain a star.
            let add =
                ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
            let add = ScmCommand { task: "add", args: add.map(OsString::from).into() };
            let names = pending.new_files.iter().map(|name| vcs::path_to_bytes(name));
            let names = names.collect::<Vec<_>>().join(&0);
            if self.run_scm(&scm.options.program, add, names)? == ScmProgress::Stopped {
                return Ok(ScmProgress::Stopped);
            }
        }
        let args = ["commit", "-am", message].map(OsString::from).into();
        let performed = self.scm_task(scm, ScmTask::Commit, args, message.to_owned())?;
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
        scm: &Scm<'_>,
        task: ScmTask,
        args: Vec<OsString>,
        text: String,
    ) -> Result<ScmProgress, RunError> {
        let performed =
            self.run_scm(&scm.options.program, ScmCommand { task: task.name(), args }, Vec::new())?;
        if performed == ScmProgress::All {
            let (task, outcome) = (task.name().to_owned(), ScmOutcome::Done);
            self.sink.emit(LoopEvent::ScmEnded { task, outcome, text });
        }
        Ok(performed)
    }

    fn run_scm(
        &mut self,
        program: &Path,
        ScmCommand { task, args }: ScmCommand<'_>,
        input: Vec<u8>,
    ) -> Result<ScmProgress, RunError> {
        let mut output: Vec<String> = Vec::new();
        let launch = Launch {
            keeper: self.options.keeper.clone(),
            program: program.to_path_buf(),
            args,
            // A password prompt could not be answered.
            environment: vec![("GIT_TERMINAL_PROMPT".into(), Some("0".into()))],
            folder: self.options.layout.root().to_path_buf(),
            input,
            limits: Limits {
                total: Some(TIMEOUT),
                idle: None,
                grace: self.options.limits.grace,
                linger: Duration::MAX,
                drain: Duration::from_secs(2),
                longest_line: 64 * 1024,
                soft: SoftLimits::default(),
            },
            polite: PoliteSignal::Terminate,
            recipient: Recipient::Child,
            stdout: Stdout::Pipe,
            orphans: Orphans::End,
        };
        let ended = supervise::run(launch, self.switch.requests(), &mut |event| {
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
        let (task, outcome) = (task.to_owned(), ScmOutcome::Failed);
        self.sink.emit(LoopEvent::ScmEnded { task, outcome, text: text.clone() });
        Err(RunError::Scm { what: text })
    }
}
