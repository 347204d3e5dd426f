//! git itself, and the repository that a run would work in.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use engine::{Beginning, refuse_uncommitted};
use vcs::{TreeState, WorkTree};

use super::ask::Said;
use super::check::{Check, Fix, Id};
use super::version::Version;

/// `git switch`, without which no run changes to its branch.
const NEEDED: &str = "2.23";
/// `git merge-tree --write-tree`, which takes a story that was given up out of the history.
const FOR_EVERYTHING: &str = "2.38";

const PATIENCE: Duration = Duration::from_secs(10);

/// No git works so long on an index.
const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// The repository around the project.
#[derive(Debug)]
pub(crate) struct Repository {
    state: Result<TreeState, String>,
    /// Nothing if git does not even say where the work tree stands.
    has_identity: Option<HasIdentity>,
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
    let state = tree.state(Instant::now() + PATIENCE).map_err(|error| error.to_string());
    let identity = || tree.identity(Instant::now() + PATIENCE).ok();
    let has_identity = state.as_ref().ok().and_then(|_| identity()).map(|found| match found {
        Some(_) => HasIdentity::Yes,
        None => HasIdentity::No,
    });
    let lock = tree.index_lock();
    let changed = lock.metadata().and_then(|found| found.modified()).ok();
    let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
    let lock = age.map(|age| Lock { path: lock, age });
    Some(Repository { state, has_identity, lock })
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
        Err(_) => {
            let found = format!("it does not tell its version: {said}");
            Check::warning(Id::Git, found, Fix::run("git --version"))
        }
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

/// `beginning` is the run that would begin; nothing if what the last one left makes no sense.
pub(crate) fn judge(
    repository: Option<&Repository>,
    beginning: Option<&Beginning<'_>>,
) -> Vec<Check> {
    let Some(Repository { state, has_identity, lock }) = repository else {
        let fix = Fix::run("git init && git add -A && git commit -m 'as it is'");
        return vec![Check::problem(Id::Repository, "this is not a git repository", fix)];
    };
    let mut checks = match state {
        Ok(state) => tree(state, beginning),
        Err(why) => {
            vec![Check::problem(Id::Repository, why, Fix::todo("see what `git status` says"))]
        }
    };
    checks.extend(has_identity.map(identity));
    checks.extend(lock.as_ref().map(locked));
    checks
}

fn tree(state: &TreeState, beginning: Option<&Beginning<'_>>) -> Vec<Check> {
    if state.head.is_none() {
        let fix = Fix::run("git add -A && git commit -m 'as it is'");
        return vec![Check::problem(Id::Repository, "it has no commit yet", fix)];
    }
    let branch =
        state.branch.as_deref().map_or("no branch".into(), |name| format!("branch {name}"));
    let mut checks = vec![Check::ok(Id::Repository, branch)];
    let Some(beginning) = beginning else { return checks };
    checks.push(match beginning.refuse_tree(state) {
        Ok(()) => Check::ok(Id::Operation, "in the middle of no merge and no rebase"),
        Err(error) => Check::refused(Id::Operation, &error.into()),
    });
    checks.push(match refuse_uncommitted(&beginning.uncommitted(state)) {
        Ok(()) => Check::ok(Id::Uncommitted, "all that a run would mind"),
        Err(error) => Check::refused(Id::Uncommitted, &error.into()),
    });
    checks
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
    use engine::Start;
    use project::Layout;
    use vcs::{DirtyKind, DirtyPath, Operation};

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
        assert_eq!(git("\u{fffd}\u{1}x"), State::Warning);
    }

    fn repository(state: TreeState) -> Repository {
        Repository { state: Ok(state), has_identity: Some(HasIdentity::Yes), lock: None }
    }

    fn at_work() -> TreeState {
        let head = vcs::CommitId::new(&"a".repeat(40)).ok();
        TreeState { head, branch: Some("main".into()), ..TreeState::default() }
    }

    fn judged(repository: Option<&Repository>) -> Vec<Check> {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        judge(repository, Beginning::of(&layout, Start::Auto).ok().as_ref())
    }

    fn found(repository: &Repository, id: Id) -> Check {
        judged(Some(repository)).into_iter().find(|check| check.id == id).unwrap()
    }

    #[test]
    fn a_repository_with_a_commit_and_a_name_is_fine() {
        let checks = judged(Some(&repository(at_work())));
        assert!(checks.iter().all(|check| check.state == State::Ok), "{checks:?}");
        assert_eq!(checks[0].found, "branch main");
    }

    #[test]
    fn what_a_run_would_refuse_is_a_problem() {
        assert_eq!(judged(None)[0].state, State::Problem);
        let empty = repository(TreeState { head: None, ..at_work() });
        assert_eq!(found(&empty, Id::Repository).state, State::Problem);
        let searching = repository(TreeState { operation: Some(Operation::Bisect), ..at_work() });
        let check = found(&searching, Id::Operation);
        assert_eq!(
            (check.state, check.found.as_str()),
            (State::Problem, "a bisect is in progress")
        );
        let path = DirtyPath { path: "a.txt".into(), kind: DirtyKind::Modified };
        let dirty = repository(TreeState { dirty: vec![path], ..at_work() });
        let check = found(&dirty, Id::Uncommitted);
        assert_eq!((check.state, &check.notes[..]), (State::Problem, &["a.txt".to_owned()][..]));
    }

    #[test]
    fn a_git_that_fails_says_nothing_about_the_name() {
        let state = Err("detected dubious ownership".to_owned());
        let broken = Repository { state, has_identity: None, lock: None };
        let checks = judged(Some(&broken));
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!(checks[0].found, "detected dubious ownership");
    }

    #[test]
    fn a_missing_name_is_a_warning() {
        let nameless = Repository { has_identity: Some(HasIdentity::No), ..repository(at_work()) };
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
