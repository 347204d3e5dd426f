//! Pushes the branch of a run, and opens or updates its pull request.
//!
//! Nothing here is decided by what an agent could have changed during the run: [`Publisher`] is read before it.

use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use events::{PullRequestOutcome, PullRequestResult};
use forge::{Permission, Published, PullContent, PullRequest, Remote, Repository};
use project::Layout;
use settings::LoadedSettings;
use supervise::StopRequests;
use vcs::{CommitId, PushError, PushTarget, WorkTree};

use super::{RunWork, with_section};
use crate::command_error::{git_failed, precondition};
use crate::forge_access::{ForgeAccess, ForgePlace};

const GIT_TIMEOUT: Duration = Duration::from_secs(30);
/// Of a large branch over a slow line.
const PUSH_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Where results go, with all that reaching it needs.
#[derive(Debug)]
pub(crate) struct Publisher {
    place: ForgePlace,
    target: PushTarget,
    /// Of the settings.
    base: Option<String>,
}

/// Whether people are asked to look at a new pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    Draft,
    Ready,
}

impl Publisher {
    pub(crate) fn read(layout: &Layout, loaded: &LoadedSettings) -> Result<Self> {
        let place = ForgePlace::read(layout, loaded)?;
        let settings = &loaded.settings.forge;
        let name = &settings.remote;
        let target = tree(layout)?.push_target(name, soon())?.ok_or_else(|| {
            precondition(format!("git has no remote {name:?}"), "add it with `git remote add`")
        })?;
        refuse_other_repository(&place.repository, &target, name)?;
        Ok(Self { place, target, base: settings.base.clone() })
    }

    pub(crate) fn repository(&self) -> &Repository {
        &self.place.repository
    }

    /// Of the settings.
    pub(crate) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    pub(crate) fn require_token(&self) -> Result<()> {
        self.place.require_token()
    }

    pub(crate) fn publish(
        &self,
        layout: &Layout,
        work: &RunWork,
        readiness: Readiness,
        stop: &StopRequests,
    ) -> Result<PullRequestResult> {
        self.require_token()?;
        let tree = tree(layout)?;
        let branch = work.branch()?;
        let commit = commit(&tree, branch)?;
        let access = ForgeAccess::of(self.place.clone(), layout, stop.clone())?;
        let default = self.allowed_base(&access)?;
        let found = access.publish(|client| client.find_pull(branch))?;
        let base = self.base.clone().or_else(|| found.as_ref().map(|pull| pull.base.clone()));
        let base = base.unwrap_or(default);
        if base == branch {
            let what = format!("the run worked on {branch}, which is the target branch too");
            return Err(precondition(what, "name another branch in the setting forge.base"));
        }
        let pushed = tree.push_branch(&self.target, &commit, branch, Instant::now() + PUSH_TIMEOUT);
        pushed.map_err(|error| refused(error, branch))?;
        let content = work.content(self.repository(), found.as_ref(), base, readiness)?;
        let (pull, published) = access.publish(|client| client.publish_pull(&content))?;
        let mut outcome = outcome(published);
        if readiness == Readiness::Ready && pull.is_draft {
            access.publish(|client| client.mark_ready(&pull))?;
            if outcome == PullRequestOutcome::Unchanged {
                outcome = PullRequestOutcome::Updated;
            }
        }
        Ok(PullRequestResult {
            outcome,
            branch: branch.to_owned(),
            base: Some(content.base),
            number: Some(pull.number),
            url: Some(pull.url),
            text: content.title,
        })
    }

    /// The default branch of a repository that the user may write to.
    fn allowed_base(&self, access: &ForgeAccess) -> Result<String> {
        let repository = access.publish(forge::Client::repository_access)?;
        let path = self.repository().path();
        if repository.is_archived {
            return Err(precondition(format!("{path} is archived"), "unarchive it"));
        }
        // `None` if the forge does not say.
        if repository.permission == Permission::Read {
            return Err(precondition(
                format!("the user of the access token may only read {path}"),
                "ask for write access, or name the remote of your fork in the setting forge.remote",
            ));
        }
        Ok(repository.default_branch)
    }
}

impl RunWork {
    /// Title and base of an existing one are those of people, who may have changed them.
    pub(super) fn content(
        &self,
        repository: &Repository,
        found: Option<&PullRequest>,
        base: String,
        readiness: Readiness,
    ) -> Result<PullContent> {
        let existing = found.map_or("", |pull| &pull.body);
        let text = self.text(repository, existing);
        Ok(PullContent {
            title: found.map_or(text.title, |pull| pull.title.clone()),
            body: with_section(existing, &text.section),
            head: self.branch()?.to_owned(),
            base,
            draft: readiness == Readiness::Draft,
        })
    }
}

fn tree(layout: &Layout) -> Result<WorkTree> {
    WorkTree::open(layout.root()).map_err(|_| {
        let what = format!("{} is not in a git repository", layout.root().display());
        precondition(what, "name the project with -d")
    })
}

fn soon() -> Instant {
    Instant::now() + GIT_TIMEOUT
}

fn commit(tree: &WorkTree, branch: &str) -> Result<CommitId> {
    tree.branch_tip(branch, soon())?.ok_or_else(|| {
        precondition(format!("branch {branch} not found"), "it may be merged and deleted")
    })
}

/// A pull request of another repository's branch needs more than this program does.
fn refuse_other_repository(here: &Repository, target: &PushTarget, remote: &str) -> Result<()> {
    let Ok(pushed) = Remote::parse(target.url()) else { return Ok(()) };
    let Ok(there) = Repository::new(&pushed, Some(here.kind), Some(&here.api)) else {
        return Ok(());
    };
    let is_same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    if is_same(&there.host, &here.host) && is_same(&there.path(), &here.path()) {
        return Ok(());
    }
    let [here, there] = [here, &there].map(|it| format!("{}/{}", it.host, it.path()));
    Err(precondition(
        format!("git fetches from {here} and pushes to {there} (remote {remote:?})"),
        "name a remote with one repository in the setting forge.remote",
    ))
}

fn outcome(published: Published) -> PullRequestOutcome {
    match published {
        Published::Created => PullRequestOutcome::Created,
        Published::Updated => PullRequestOutcome::Updated,
        Published::Unchanged => PullRequestOutcome::Unchanged,
    }
}

fn refused(error: PushError, branch: &str) -> Error {
    let hint = match &error {
        PushError::OtherCommits => format!(
            "`git fetch` and merge them into {branch}, or delete the branch on the remote; it is never overwritten"
        ),
        PushError::Protected(_) => {
            format!(
                "allow pushes to {branch} on the forge, or choose another branchName in the task list"
            )
        }
        PushError::Denied(_) => format!(
            "check that `git push` of {branch} works by hand: git signs in by itself, without the access token"
        ),
        PushError::Unreachable(_) => "check the network and the address of the remote".to_owned(),
        PushError::Refused(_) | PushError::Failed(_) | PushError::Git(_) => String::new(),
    };
    let what = match &error {
        PushError::OtherCommits => {
            format!("cannot push {branch}: it has other commits on the remote")
        }
        error => format!("cannot push {branch}: {error}"),
    };
    git_failed(what, hint)
}
