//! Tasks of version control after the guardrails have passed: the agent is asked for a message, then
//! the user's own program commits and pushes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use agents::{Purpose, Request, Value};
use supervise::{Ended, Exit, How, Launch, Limits, PoliteSignal, Seen, Waited};
use uuid::Uuid;
use vcs::{DirtyKind, TreeId, WorkTree};

use crate::commit_message;
use crate::options::{ScmOptions, ScmTask};
use crate::session::{self, Call, Session};
use crate::stage::Stage;
use crate::watch::Guarded;
use crate::{AgentOutcome, LoopEvent, RunError, ScmOutcome};

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

/// What is needed before anything is committed.
pub(crate) struct Prepared {
    pub(crate) message: Message,
    /// Those that were asked for the message.
    pub(crate) sessions: Vec<Session>,
    pub(crate) meanwhile: Meanwhile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// There is nothing to commit, or nobody asked for a commit.
    NotNeeded,
    Given(String),
    /// The agent was asked and gave none.
    Missing {
        why: String,
    },
    /// The user stopped the run before the agent had answered.
    Stopped,
}

/// What the agent did to the work tree while it was asked for words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meanwhile {
    Untouched,
    Changed,
}

impl Message {
    /// Only an answer has one: what an agent says about its own failure is no message.
    fn of(Session { conclusion, .. }: &Session) -> Self {
        let answer = conclusion.result.as_ref().map(|result| result.text.as_str());
        let given = match conclusion.outcome {
            AgentOutcome::Stopped => return Self::Stopped,
            AgentOutcome::Answered => commit_message::extract(answer.unwrap_or_default()),
            _ => None,
        };
        match given {
            Some(message) => Self::Given(message),
            None => Self::Missing { why: conclusion.detail.clone() },
        }
    }
}

impl Scm<'_> {
    /// A branch that the remote does not know yet is made there: the loop's own is new.
    fn push(&self) -> Vec<OsString> {
        let is_git = self.options.program.file_stem().is_some_and(|name| name == "git");
        let settings: &[&str] = if is_git { &["-c", "push.autoSetupRemote=true"] } else { &[] };
        settings.iter().chain(&["push"]).map(OsString::from).collect()
    }

    /// What a commit would hold, if it would hold anything.
    fn pending(&self, stage: &Stage<'_, '_>) -> Result<Option<Pending>, RunError> {
        let deadline = Instant::now() + PATIENCE;
        let layout = &stage.options.layout;
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
    /// What was committed is not what was there: a hook changed it. The tasks after that are left.
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

impl Stage<'_, '_> {
    /// Asks for a commit message, if one is needed.
    pub(crate) fn prepare_commit(
        &mut self,
        scm: &Scm<'_>,
        iteration: u64,
    ) -> Result<Prepared, RunError> {
        let nothing = Prepared {
            message: Message::NotNeeded,
            sessions: Vec::new(),
            meanwhile: Meanwhile::Untouched,
        };
        // The user's own git will commit, and an agent can tell it to look elsewhere.
        scm.tree.forget_other_work_tree(Instant::now() + PATIENCE)?;
        if !scm.options.tasks.contains(&ScmTask::Commit) {
            return Ok(nothing);
        }
        let Some(before) = scm.pending(self)? else { return Ok(nothing) };
        let mut sessions = vec![self.ask_for_message(scm.folder, iteration)?];
        let mut message = sessions.last().map_or(Message::NotNeeded, Message::of);
        // As any session that fails, within the same bounds.
        let retries = self.options.policy.retries;
        for number in 1..=retries.most {
            if !matches!(message, Message::Missing { .. }) {
                break;
            }
            self.teller
                .warn(format!("no commit message; asked again, {number} of {}", retries.most));
            if self.switch.requests().wait(retries.wait(number)) == Waited::Stopped {
                message = Message::Stopped;
                break;
            }
            let session = self.ask_for_message(scm.folder, iteration)?;
            message = Message::of(&session);
            sessions.push(session);
        }
        let untouched = scm.pending(self)? == Some(before);
        let meanwhile = if untouched { Meanwhile::Untouched } else { Meanwhile::Changed };
        Ok(Prepared { message, sessions, meanwhile })
    }

    /// Performs the tasks in their order, with the message that was given.
    pub(crate) fn perform(
        &mut self,
        scm: &Scm<'_>,
        tasks: &[ScmTask],
        message: Option<&str>,
    ) -> Result<Performed, RunError> {
        for (index, task) in tasks.iter().enumerate() {
            let performed = match task {
                ScmTask::Push => self.scm_task(scm, *task, scm.push(), "pushed".into())?,
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
            self.teller.tell(LoopEvent::ScmEnded { task, outcome, text });
            return Ok(Performed::All);
        };
        if !pending.new_files.is_empty() {
            // As input, for there may be more of them than a command line holds; and a name is a
            // name, also with a star in it.
            let add =
                ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
            let add = Order { task: "add", args: add.map(OsString::from).into() };
            if self.run_scm(scm, add, pending.new_files.join("\0"))? == Performed::Stopped {
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
        let performed = self.run_scm(scm, Order { task: task.name(), args }, String::new())?;
        if performed == Performed::All {
            let (task, outcome) = (task.name().to_owned(), ScmOutcome::Done);
            self.teller.tell(LoopEvent::ScmEnded { task, outcome, text });
        }
        Ok(performed)
    }

    fn run_scm(
        &mut self,
        scm: &Scm<'_>,
        Order { task, args }: Order<'_>,
        input: String,
    ) -> Result<Performed, RunError> {
        let mut said: Vec<String> = Vec::new();
        let launch = Launch {
            keeper: self.options.keeper.clone(),
            program: scm.options.program.clone(),
            args,
            // Nobody is there to type a password.
            environment: vec![("GIT_TERMINAL_PROMPT".into(), Some("0".into()))],
            folder: self.options.layout.root().to_path_buf(),
            input: input.into_bytes(),
            limits: Limits {
                wall: Some(PATIENCE),
                idle: None,
                grace: self.options.limits.grace,
                linger: Duration::MAX,
                drain: Duration::from_secs(2),
                longest_line: 64 * 1024,
            },
            polite: PoliteSignal::Terminate,
        };
        let ended = supervise::run(launch, self.switch.requests(), &mut |line| {
            if said.len() < TOLD {
                said.push(String::from_utf8_lossy(line.bytes).into_owned());
            }
            Seen::Nothing
        });
        let why = match ended {
            Ok(Ended { how: How::ByItself, exit: Some(Exit::Code(0)), .. }) => {
                return Ok(Performed::All);
            }
            Ok(Ended { how: How::Stopped, .. }) => return Ok(Performed::Stopped),
            Ok(Ended { how: How::WallLimit, .. }) => "it took too long".to_owned(),
            Ok(_) => said.join("\n"),
            Err(error) => error.to_string(),
        };
        let program = scm.options.program.display();
        let text = format!("`{program} {task}` failed: {why}");
        let (task, outcome) = (task.to_owned(), ScmOutcome::Failed);
        self.teller.tell(LoopEvent::ScmEnded { task, outcome, text: text.clone() });
        Err(RunError::Scm { what: text })
    }

    fn ask_for_message(&mut self, folder: &Path, iteration: u64) -> Result<Session, RunError> {
        let options = self.options;
        let agent = &options.agent;
        let file = folder.join("commit-message-prompt.md");
        std::fs::write(&file, commit_message::PROMPT)
            .map_err(|error| RunError::Disk { path: file.display().to_string(), error })?;
        let request = Request {
            prompt: commit_message::PROMPT.to_owned(),
            purpose: Purpose::Answer,
            folder: options.layout.root().to_path_buf(),
            session_id: Uuid::new_v4().to_string(),
            model: agent.model.clone(),
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file: file,
            ..Request::default()
        };
        let mut command = self.command(agent, &request)?;
        let run: Vec<(OsString, Value)> = session::environment(options, self.run_id, iteration);
        command.environment.extend(run);
        Ok(self.converse(Call {
            agent: agent.agent,
            command,
            prompt: commit_message::PROMPT,
            recording: &folder.join("commit-message.jsonl"),
            context_window: None,
            completion: None,
            guarded: Guarded::No,
        }))
    }
}
