//! Checks git and the repository of the project.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use engine::{StartPreconditions, refuse_uncommitted};
use vcs::{TreeState, WorkTree};

use super::check::{Check, CheckId, Fix};
use super::version::{Version, VersionOutput};

/// For `git switch`, which every run needs.
const NEEDED: &str = "2.23";
/// For `git merge-tree --write-tree`, which removes a given-up story from the history.
const FOR_EVERYTHING: &str = "2.38";

const GIT_TIMEOUT: Duration = Duration::from_secs(10);

/// An older index lock is stale.
const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// The repository around the project.
#[derive(Debug)]
pub(crate) struct Repository {
    state: Result<TreeState, String>,
    /// `None` if git cannot read the work tree.
    has_identity: Option<bool>,
    /// The index lock and its age.
    lock: Option<(PathBuf, Duration)>,
}

pub(crate) fn look_at_git(folder: &Path) -> VersionOutput {
    vcs::git_version(folder, Instant::now() + GIT_TIMEOUT).map_err(|error| error.to_string())
}

/// `None` without a repository.
pub(crate) fn look(root: &Path) -> Option<Repository> {
    let tree = WorkTree::open(root).ok()?;
    let state = tree.state(Instant::now() + GIT_TIMEOUT).map_err(|error| error.to_string());
    let identity = || tree.identity(Instant::now() + GIT_TIMEOUT).ok();
    let has_identity = state.as_ref().ok().and_then(|_| identity()).map(|found| found.is_some());
    let lock = tree.index_lock();
    let changed = lock.metadata().and_then(|found| found.modified()).ok();
    let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
    Some(Repository { state, has_identity, lock: age.map(|age| (lock, age)) })
}

pub(crate) fn judge_git(output: &VersionOutput) -> Check {
    let update = Fix::todo("install a newer git from https://git-scm.com");
    let output = match output {
        Ok(output) => output,
        Err(why) => {
            return CheckId::Git.problem(why, Fix::todo("install git from https://git-scm.com"));
        }
    };
    match Version::of(output) {
        None => {
            let found = format!("unreadable version: {output}");
            CheckId::Git.warning(found, Fix::run("git --version"))
        }
        Some(found) if found.is_before(NEEDED) => {
            CheckId::Git.problem(format!("{found}, but a run needs {NEEDED}"), update)
        }
        Some(found) if found.is_before(FOR_EVERYTHING) => {
            let lacks = "a given-up story cannot be removed from the history";
            CheckId::Git.warning(format!("{found}: before {FOR_EVERYTHING}, {lacks}"), update)
        }
        Some(found) => CheckId::Git.ok(found.to_string()),
    }
}

/// `preconditions` is `None` if the state of the last run is invalid.
pub(crate) fn judge(
    repository: Option<&Repository>,
    preconditions: Option<&StartPreconditions<'_>>,
) -> Vec<Check> {
    let Some(Repository { state, has_identity, lock }) = repository else {
        let fix = Fix::run("git init && git add -A && git commit -m 'initial commit'");
        return vec![CheckId::Repository.problem("not a git repository", fix)];
    };
    let mut checks = match state {
        Ok(state) => tree(state, preconditions),
        Err(why) => vec![CheckId::Repository.problem(why, Fix::todo("see `git status`"))],
    };
    checks.extend(has_identity.map(identity));
    checks.extend(lock.as_ref().map(locked));
    checks
}

fn tree(state: &TreeState, preconditions: Option<&StartPreconditions<'_>>) -> Vec<Check> {
    if state.head.is_none() {
        let fix = Fix::run("git add -A && git commit -m 'initial commit'");
        return vec![CheckId::Repository.problem("no commit yet", fix)];
    }
    let branch =
        state.branch.as_deref().map_or("no branch".into(), |name| format!("branch {name}"));
    let mut checks = vec![CheckId::Repository.ok(branch)];
    let Some(preconditions) = preconditions else { return checks };
    checks.push(match preconditions.refuse_tree(state) {
        Ok(()) => CheckId::Operation.ok("no merge or rebase in progress"),
        Err(error) => CheckId::Operation.refused(&error.into()),
    });
    checks.push(match refuse_uncommitted(&preconditions.uncommitted(state)) {
        Ok(()) => CheckId::Uncommitted.ok("no changes that a run refuses"),
        Err(error) => CheckId::Uncommitted.refused(&error.into()),
    });
    checks
}

fn identity(is_set: bool) -> Check {
    match is_set {
        true => CheckId::Identity.ok("user.name and user.email are set"),
        false => {
            let fix = "git config --global user.name 'YOUR NAME' && \
                       git config --global user.email YOU@EXAMPLE.COM";
            let found = "user.name or user.email is not set: commits of agents fail";
            CheckId::Identity.warning(found, Fix::run(fix))
        }
    }
}

fn locked((path, age): &(PathBuf, Duration)) -> Check {
    if *age < ABANDONED {
        return CheckId::GitLock.ok("git is running now");
    }
    let minutes = age.as_secs() / 60;
    let found = format!("stale lock {}: git was killed {minutes} minutes ago", path.display());
    CheckId::GitLock.warning(found, Fix::run(format!("rm {}", super::quoted(path))))
}

#[cfg(test)]
mod tests {
    use engine::StartMode;
    use project::Layout;
    use vcs::{DirtyKind, DirtyPath, Operation};

    use super::*;
    use crate::doctor::check::CheckState;

    fn git(output: &str) -> CheckState {
        judge_git(&Ok(output.into())).state
    }

    #[test]
    fn an_old_git_is_a_problem_and_a_limited_one_a_warning() {
        assert_eq!(git("git version 2.47.3"), CheckState::Ok);
        assert_eq!(git("git version 2.38.0"), CheckState::Ok);
        assert_eq!(git("git version 2.37.9"), CheckState::Warning);
        assert_eq!(git("git version 2.22.0"), CheckState::Problem);
        assert_eq!(judge_git(&Err("cannot start git".into())).state, CheckState::Problem);
        assert_eq!(git("\u{fffd}\u{1}x"), CheckState::Warning);
    }

    fn repository(state: TreeState) -> Repository {
        Repository { state: Ok(state), has_identity: Some(true), lock: None }
    }

    fn at_work() -> TreeState {
        let head = vcs::CommitId::new(&"a".repeat(40)).ok();
        TreeState { head, branch: Some("main".into()), ..TreeState::default() }
    }

    fn judged(repository: Option<&Repository>) -> Vec<Check> {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        judge(repository, StartPreconditions::of(&layout, StartMode::Auto).ok().as_ref())
    }

    fn found(repository: &Repository, id: CheckId) -> Check {
        judged(Some(repository)).into_iter().find(|check| check.id == id).unwrap()
    }

    #[test]
    fn a_repository_with_a_commit_and_a_name_is_fine() {
        let checks = judged(Some(&repository(at_work())));
        assert!(checks.iter().all(|check| check.state == CheckState::Ok), "{checks:?}");
        assert_eq!(checks[0].found, "branch main");
    }

    #[test]
    fn states_that_a_run_refuses_are_problems() {
        assert_eq!(judged(None)[0].state, CheckState::Problem);
        let empty = repository(TreeState { head: None, ..at_work() });
        assert_eq!(found(&empty, CheckId::Repository).state, CheckState::Problem);
        let searching = repository(TreeState { operation: Some(Operation::Bisect), ..at_work() });
        let check = found(&searching, CheckId::Operation);
        assert_eq!(
            (check.state, check.found.as_str()),
            (CheckState::Problem, "a bisect is in progress")
        );
        let path = DirtyPath { path: "a.txt".into(), kind: DirtyKind::Modified };
        let dirty = repository(TreeState { dirty: vec![path], ..at_work() });
        let check = found(&dirty, CheckId::Uncommitted);
        assert_eq!(
            (check.state, &check.notes[..]),
            (CheckState::Problem, &["a.txt".to_owned()][..])
        );
    }

    #[test]
    fn without_a_readable_tree_the_identity_is_not_checked() {
        let state = Err("detected dubious ownership".to_owned());
        let broken = Repository { state, has_identity: None, lock: None };
        let checks = judged(Some(&broken));
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!(checks[0].found, "detected dubious ownership");
    }

    #[test]
    fn a_missing_name_is_a_warning() {
        let nameless = Repository { has_identity: Some(false), ..repository(at_work()) };
        assert_eq!(found(&nameless, CheckId::Identity).state, CheckState::Warning);
    }

    #[test]
    fn only_an_old_lock_is_stale() {
        let locked = |seconds| {
            let lock = ("/p q/.git/index.lock".into(), Duration::from_secs(seconds));
            found(&Repository { lock: Some(lock), ..repository(at_work()) }, CheckId::GitLock)
        };
        assert_eq!(locked(5).state, CheckState::Ok);
        assert_eq!(locked(3600).fix, Some(Fix::run("rm '/p q/.git/index.lock'")));
    }
}
