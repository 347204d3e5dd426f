//! git itself, and the repository that a run would work in.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use vcs::{Operation, TreeState, WorkTree};

use super::ask::Said;
use super::check::{Check, Fix, Id};
use super::version::Version;

/// `git switch`, without which no run changes to its branch.
const NEEDED: &str = "2.23";
/// `git merge-tree --write-tree`, which takes a story that was given up out of the history.
const FOR_EVERYTHING: &str = "2.38";

const PATIENCE: Duration = Duration::from_secs(20);

/// No git works so long on an index.
const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// The repository around the project.
#[derive(Debug)]
pub(crate) struct Repository {
    state: Result<TreeState, String>,
    has_identity: HasIdentity,
    lock: Option<Lock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HasIdentity {
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Lock {
    path: PathBuf,
    age: Duration,
}

pub(crate) fn look_at_git(folder: &Path) -> Said {
    vcs::git_version(folder, Instant::now() + PATIENCE).map_err(|error| error.to_string())
}

/// Nothing if there is none.
pub(crate) fn look(root: &Path) -> Option<Repository> {
    let tree = WorkTree::open(root).ok()?;
    let deadline = Instant::now() + PATIENCE;
    let identity = tree.identity(deadline).ok().flatten();
    let lock = tree.index_lock();
    let changed = lock.metadata().and_then(|found| found.modified()).ok();
    let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
    Some(Repository {
        state: tree.state(deadline).map_err(|error| error.to_string()),
        has_identity: if identity.is_some() { HasIdentity::Yes } else { HasIdentity::No },
        lock: age.map(|age| Lock { path: lock, age }),
    })
}

pub(crate) fn judge_git(said: &Said) -> Check {
    let said = match said {
        Ok(said) => said,
        Err(why) => {
            let fix = Fix::todo("install git from https://git-scm.com");
            return Check::problem(Id::Git, why, fix);
        }
    };
    let update = || Fix::todo("install a newer git from https://git-scm.com");
    let is_older =
        |found: &Version, than: &str| than.parse().is_ok_and(|than: Version| *found < than);
    match said.parse::<Version>() {
        Err(_) => Check::ok(Id::Git, said),
        Ok(found) if is_older(&found, NEEDED) => {
            Check::problem(Id::Git, format!("{found}, and a run needs {NEEDED}"), update())
        }
        Ok(found) if is_older(&found, FOR_EVERYTHING) => {
            let lacks = "a story that is given up cannot be taken out of the history";
            let found = format!("{found}: before {FOR_EVERYTHING}, {lacks}");
            Check::warning(Id::Git, found, update())
        }
        Ok(found) => Check::ok(Id::Git, found.to_string()),
    }
}

pub(crate) fn judge(repository: Option<&Repository>) -> Vec<Check> {
    let Some(Repository { state, has_identity, lock }) = repository else {
        let fix = Fix::run("git init && git add -A && git commit -m 'as it is'");
        return vec![Check::problem(Id::Repository, "this is not a git repository", fix)];
    };
    let mut checks = match state {
        Ok(state) => vec![head(state), at_rest(state.operation)],
        Err(why) => {
            vec![Check::problem(Id::Repository, why, Fix::todo("see what `git status` says"))]
        }
    };
    checks.push(identity(*has_identity));
    checks.extend(lock.as_ref().map(locked));
    checks
}

fn head(state: &TreeState) -> Check {
    if state.head.is_none() {
        let fix = Fix::run("git add -A && git commit -m 'as it is'");
        return Check::problem(Id::Repository, "it has no commit yet", fix);
    }
    let branch =
        state.branch.as_deref().map_or("no branch".into(), |name| format!("branch {name}"));
    let dirty = match state.dirty.len() {
        0 => String::new(),
        1 => "; 1 path is not committed".into(),
        count => format!("; {count} paths are not committed"),
    };
    Check::ok(Id::Repository, format!("{branch}{dirty}"))
}

fn at_rest(operation: Option<Operation>) -> Check {
    match operation {
        None | Some(Operation::Bisect) => {
            Check::ok(Id::Operation, "in the middle of no merge and no rebase")
        }
        Some(operation) => {
            let fix = Fix::todo("finish it or abort it: `git status` says how");
            Check::problem(Id::Operation, format!("a {operation} is half done"), fix)
        }
    }
}

fn identity(has: HasIdentity) -> Check {
    match has {
        HasIdentity::Yes => Check::ok(Id::Identity, "user.name and user.email are set"),
        HasIdentity::No => {
            let fix = "git config --global user.name 'YOUR NAME' && \
                       git config --global user.email YOU@EXAMPLE.COM";
            let found = "user.name or user.email is not set: an agent's own commits fail";
            Check::warning(Id::Identity, found, Fix::run(fix))
        }
    }
}

fn locked(lock: &Lock) -> Check {
    let path = lock.path.display();
    if lock.age < ABANDONED {
        return Check::ok(Id::GitLock, "a git is writing at the moment");
    }
    let found = format!(
        "{path} is left from a git that was killed {} minutes ago",
        lock.age.as_secs() / 60
    );
    Check::warning(Id::GitLock, found, Fix::run(format!("rm {}", super::quoted(&lock.path))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn git(said: &str) -> State {
        judge_git(&Ok(said.into())).state
    }

    #[test]
    fn a_git_that_is_too_old_is_told_from_one_that_cannot_do_everything() {
        assert_eq!(git("git version 2.47.3"), State::Ok);
        assert_eq!(git("git version 2.38.0"), State::Ok);
        assert_eq!(git("git version 2.37.9"), State::Warning);
        assert_eq!(git("git version 2.22.0"), State::Problem);
        assert_eq!(judge_git(&Err("cannot start git".into())).state, State::Problem);
    }

    fn repository(state: TreeState) -> Repository {
        Repository { state: Ok(state), has_identity: HasIdentity::Yes, lock: None }
    }

    fn at_work() -> TreeState {
        let head = vcs::CommitId::new(&"a".repeat(40)).ok();
        TreeState { head, branch: Some("main".into()), dirty: Vec::new(), operation: None }
    }

    fn found(repository: &Repository, id: Id) -> Check {
        judge(Some(repository)).into_iter().find(|check| check.id == id).unwrap()
    }

    #[test]
    fn a_repository_with_a_commit_and_a_name_is_fine() {
        let checks = judge(Some(&repository(at_work())));
        assert!(checks.iter().all(|check| check.state == State::Ok), "{checks:?}");
        assert_eq!(checks[0].found, "branch main");
    }

    #[test]
    fn what_a_run_would_refuse_is_a_problem() {
        assert_eq!(judge(None)[0].state, State::Problem);
        let empty = repository(TreeState { head: None, ..at_work() });
        assert_eq!(found(&empty, Id::Repository).state, State::Problem);
        let merging = repository(TreeState { operation: Some(Operation::Merge), ..at_work() });
        let check = found(&merging, Id::Operation);
        assert_eq!((check.state, check.found.as_str()), (State::Problem, "a merge is half done"));
        let searching = repository(TreeState { operation: Some(Operation::Bisect), ..at_work() });
        assert_eq!(found(&searching, Id::Operation).state, State::Ok);
    }

    #[test]
    fn a_missing_name_is_a_warning() {
        let nameless = Repository { has_identity: HasIdentity::No, ..repository(at_work()) };
        assert_eq!(found(&nameless, Id::Identity).state, State::Warning);
    }

    #[test]
    fn only_an_old_lock_is_one_that_was_left() {
        let locked = |seconds| {
            let age = Duration::from_secs(seconds);
            let lock = Lock { path: "/p q/.git/index.lock".into(), age };
            found(&Repository { lock: Some(lock), ..repository(at_work()) }, Id::GitLock)
        };
        assert_eq!(locked(5).state, State::Ok);
        assert_eq!(locked(3600).fix, Some(Fix::run("rm '/p q/.git/index.lock'")));
    }
}
