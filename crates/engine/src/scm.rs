//! Tasks of version control after the guardrails have passed: the agent is asked for a message, then
//! the user's own program commits and pushes.

mod message;
mod push;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use supervise::{
    Ended, Exit, How, Launch, Limits, Orphans, PoliteSignal, Recipient, Seen, Sign, SoftLimits,
    Stdout,
};
use vcs::{DirtyKind, TreeId, WorkTree};

use crate::options::{ScmOptions, ScmTask};
use crate::session_context::SessionContext;
use crate::{LoopEvent, RunError, ScmOutcome};

pub(crate) use message::{Meanwhile, Message, Prepared};

/// For a commit with its hooks, or a push over a slow line.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Lines of what the program said that are told when it fails.
const TOLD: usize = 20;

pub(crate) struct Scm<'s> {
    pub(crate) options: &'s ScmOptions,
    pub(crate) tree: &'s WorkTree,
    /// The iteration's.
    pub(crate) folder: &'s Path,
    /// Files that nobody tracked when the run began: not ours to add.
    pub(crate) untracked: &'s [String],
}

impl Scm<'_> {
    /// What a commit would hold, if it would hold anything.
    fn pending(&self, context: &SessionContext<'_, '_>) -> Result<Option<Pending>, RunError> {
        let deadline = Instant::now() + PATIENCE;
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
        let news = dirty.iter().filter(|dirty| dirty.kind == DirtyKind::Untracked);
        let new_files = news.map(|dirty| dirty.path.clone()).collect();
        let paths: Vec<String> = dirty.into_iter().map(|dirty| dirty.path).collect();
        let tree = self.tree.tree_with(&paths, deadline)?;
        Ok(Some(Pending { tree, new_files }))
    }
}

/// What the program is told to do, and what that is called.
struct Order<'o> {
    task: &'o str,
    args: Vec<OsString>,
}

/// How far the tasks came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Performed {
    All,
    /// What is committed now is not what was there: a hook changed it. The tasks after that are left.
    OtherThanChecked {
        left: Vec<ScmTask>,
    },
    /// The user stopped the run in the middle of them.
    Stopped,
}

#[derive(PartialEq, Eq)]
struct Pending {
    tree: TreeId,
    new_files: Vec<String>,
}

impl SessionContext<'_, '_> {
    /// Performs the tasks in their order, with the message that was given.
    pub(crate) fn perform(
        &mut self,
        scm: &Scm<'_>,
        tasks: &[ScmTask],
        message: Option<&str>,
    ) -> Result<Performed, RunError> {
        for (index, task) in tasks.iter().enumerate() {
            // The user's own program runs hooks, and obeys every setting.
            scm.tree.enforce_control_files_for_user()?;
            let performed = match task {
                ScmTask::Push => self.push(scm, &tasks[index + 1..])?,
                ScmTask::Commit => self.commit(scm, message, &tasks[index + 1..])?,
            };
            if performed != Performed::All {
                return Ok(performed);
            }
        }
        Ok(Performed::All)
    }

    fn commit(
        &mut self,
        scm: &Scm<'_>,
        message: Option<&str>,
        left: &[ScmTask],
    ) -> Result<Performed, RunError> {
        let (Some(message), Some(pending)) = (message, scm.pending(self)?) else {
            let (outcome, text) = (ScmOutcome::NothingToDo, "nothing to commit".to_owned());
            let task = ScmTask::Commit.name().to_owned();
            self.sink.emit(LoopEvent::ScmEnded { task, outcome, text });
            return Ok(Performed::All);
        };
        if !pending.new_files.is_empty() {
            // As input, for there may be more of them than a command line holds; and a name is a
            // name, also with a star in it.
            let add =
                ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
            let add = Order { task: "add", args: add.map(OsString::from).into() };
            let names = pending.new_files.iter().map(|name| vcs::path_to_bytes(name));
            let names = names.collect::<Vec<_>>().join(&0);
            if self.run_scm(&scm.options.program, add, names)? == Performed::Stopped {
                return Ok(Performed::Stopped);
            }
        }
        let args = ["commit", "-am", message].map(OsString::from).into();
        let performed = self.scm_task(scm, ScmTask::Commit, args, message.to_owned())?;
        if performed != Performed::All {
            return Ok(performed);
        }
        let committed = scm.tree.head_and_tree(Instant::now() + PATIENCE)?;
        let as_checked = committed.is_some_and(|(_, tree)| tree == pending.tree);
        match (as_checked, scm.pending(self)?) {
            (true, None) => Ok(Performed::All),
            // A hook mended the files and committed them so, or changed them after the commit.
            (false, None) | (true, Some(_)) => {
                Ok(Performed::OtherThanChecked { left: left.to_vec() })
            }
            (false, Some(_)) => Err(RunError::Scm {
                what: "a hook of git committed something else than is there".into(),
            }),
        }
    }

    fn scm_task(
        &mut self,
        scm: &Scm<'_>,
        task: ScmTask,
        args: Vec<OsString>,
        text: String,
    ) -> Result<Performed, RunError> {
        let performed =
            self.run_scm(&scm.options.program, Order { task: task.name(), args }, Vec::new())?;
        if performed == Performed::All {
            let (task, outcome) = (task.name().to_owned(), ScmOutcome::Done);
            self.sink.emit(LoopEvent::ScmEnded { task, outcome, text });
        }
        Ok(performed)
    }

    fn run_scm(
        &mut self,
        program: &Path,
        Order { task, args }: Order<'_>,
        input: Vec<u8>,
    ) -> Result<Performed, RunError> {
        let mut said: Vec<String> = Vec::new();
        let launch = Launch {
            keeper: self.options.keeper.clone(),
            program: program.to_path_buf(),
            args,
            // NoObserver is there to type a password.
            environment: vec![("GIT_TERMINAL_PROMPT".into(), Some("0".into()))],
            folder: self.options.layout.root().to_path_buf(),
            input,
            limits: Limits {
                total: Some(PATIENCE),
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
        let ended = supervise::run(launch, self.switch.requests(), &mut |sign| {
            if let Sign::Line(line) = sign
                && said.len() < TOLD
            {
                said.push(String::from_utf8_lossy(line.bytes).into_owned());
            }
            Seen::Nothing
        });
        let leftovers = ended.as_ref().map_or_else(|e| e.leftovers(), |e| e.leftovers.clone());
        let of = format!("`{} {task}`", program.display());
        RunError::refuse_survivors(&of, &leftovers)?;
        let why = match ended {
            Ok(Ended { how: How::ByItself, exit: Some(Exit::Code(0)), .. }) => {
                return Ok(Performed::All);
            }
            Ok(Ended { how: How::Stopped, .. }) => return Ok(Performed::Stopped),
            Ok(Ended { how: How::WallLimit, .. }) => "it took too long".to_owned(),
            Ok(_) => said.join("\n"),
            Err(error) => error.to_string(),
        };
        self.scm_failed(program, task, &why)
    }

    fn scm_failed(&mut self, program: &Path, task: &str, why: &str) -> Result<Performed, RunError> {
        let program = program.display();
        let text = format!("`{program} {task}` failed: {why}");
        let (task, outcome) = (task.to_owned(), ScmOutcome::Failed);
        self.sink.emit(LoopEvent::ScmEnded { task, outcome, text: text.clone() });
        Err(RunError::Scm { what: text })
    }
}
