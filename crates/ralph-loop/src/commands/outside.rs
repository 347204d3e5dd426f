//! What the commands share that work in clones outside of the project, without a run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;
use engine::{RunError, StoryOptions};
use project::{Layout, LockError, RunLock};
use settings::{Agent, Executor, LoadedSettings, SecondAgent};
use vcs::{CommitId, WorkTree};

use super::run;
use crate::cli::{Cli, LoopArgs, RunArgs};
use crate::command_error::precondition;
use crate::resolve;

const GIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Clones of one kind for a project.
const MOST_AT_ONCE: u32 = 16;

/// With `agent` as the only agent.
pub(super) fn options(
    agent: Agent,
    common: &LoopArgs,
    layout: Layout,
    mut loaded: LoadedSettings,
) -> Result<StoryOptions> {
    let settings = &mut loaded.settings;
    settings.agent = agent;
    settings.review.by = SecondAgent::default();
    (settings.review.reviewers, settings.review.panel) = (None, Vec::new());
    (settings.quality.enabled, settings.memory.handoffs) = (false, false);
    (settings.separate, settings.jobs) = (false, 1);
    settings.escalation = Default::default();
    for place in [&mut settings.on, &mut settings.checks.on] {
        *place = Executor::LOCAL.into();
    }
    let Cli { run, .. } = Cli::try_parse_from(["ralph-loop"])?;
    let args = RunArgs { common: common.clone(), ..run };
    run::session_options(&args, layout, &loaded)
}

/// A folder for clones, outside of the project, and the lock that keeps other commands out of it. Its name is used
/// again, because sandboxes are named after their folder and kept.
pub(super) fn folder(
    loaded: &LoadedSettings,
    layout: &Layout,
    kind: &str,
) -> Result<(PathBuf, RunLock)> {
    let of_all = resolve::lanes_dir(loaded, layout)?.join(kind);
    for number in 1..=MOST_AT_ONCE {
        let folder = of_all.join(number.to_string());
        let of_folder = Layout::new(&folder);
        match std::fs::create_dir_all(of_folder.data_dir()) {
            Err(error) => {
                return Err(precondition(
                    format!("cannot create {}: {error}", folder.display()),
                    "choose another folder with lanes.dir in the settings",
                ));
            }
            Ok(()) => match RunLock::acquire(&of_folder) {
                Ok(lock) => return Ok((folder, lock)),
                Err(LockError::Held { .. }) => {}
                Err(error) => return Err(RunError::from(error).into()),
            },
        }
    }
    Err(precondition(
        format!("{MOST_AT_ONCE} {kind} of this project are running"),
        "wait until one of them has ended",
    ))
}

pub(super) fn repository(root: &Path) -> Result<WorkTree> {
    WorkTree::open(root).map_err(|_| {
        precondition(
            format!("{} is not in a git repository", root.display()),
            "run it in the repository that has the commits",
        )
    })
}

pub(super) fn commit(tree: &WorkTree, name: &str) -> Result<CommitId> {
    let unknown = || {
        let what = sanitize::plain(&format!("git knows no commit {name:?}"));
        precondition(what, "`git log --oneline --all` lists commits and branches")
    };
    if name.starts_with('-') {
        return Err(unknown());
    }
    tree.rev_parse(&format!("{name}^{{commit}}"), deadline()).ok().flatten().ok_or_else(unknown)
}

pub(super) fn deadline() -> Instant {
    Instant::now() + GIT_TIMEOUT
}
