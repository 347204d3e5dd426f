//! Carries the work of a job and its result between the remote repository and one that the worker reaches, so that an
//! agent beside the worker has no credentials of the remote repository.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use vcs::{CommitId, WorkTree};

use crate::RunError;
use crate::jobs::any_result_ref;
use crate::run_files::deadline;
use crate::worker::push_persistently;

/// Until the worker has started, for example because its image is fetched.
const START_PATIENCE: Duration = Duration::from_secs(1800);

const POLL: Duration = Duration::from_millis(250);

#[derive(Debug, Clone)]
pub struct Relay {
    /// A folder that only the containers of this job share.
    pub exchange: PathBuf,
    /// The remote repository.
    pub repository: String,
    /// The full name of the ref with the work.
    pub name: String,
    pub commit: CommitId,
}

impl Relay {
    /// Copies the work into the folder, which becomes a repository.
    pub fn fetch(&self) -> Result<(), RunError> {
        let Self { exchange, repository, name, commit } = self;
        std::fs::create_dir_all(exchange).map_err(RunError::disk(exchange.display()))?;
        Ok(WorkTree::fetch_into(exchange, repository, name, commit, deadline()).map(drop)?)
    }

    /// Waits until the worker has ended, which holds the lock, and copies its result to the remote repository.
    /// The worker's repository is untrusted: only refs of this job are copied, into a repository in `folder`.
    pub fn deliver(
        &self,
        lock: &Path,
        folder: &Path,
        warn: &dyn Fn(String),
    ) -> Result<(), RunError> {
        wait_for_end(lock)?;
        let own = WorkTree::new_repository(folder, &self.commit, deadline())?;
        let pattern = any_result_ref(&self.name);
        for (name, commit) in own.fetch_matching(&self.exchange, &pattern, deadline())? {
            push_persistently(&own, &self.repository, &commit, &name, warn)?;
        }
        Ok(())
    }
}

/// A lock ends with its process, however that one ends.
fn wait_for_end(lock: &Path) -> Result<(), RunError> {
    let begun = Instant::now();
    while !lock.exists() {
        if begun.elapsed() > START_PATIENCE {
            return Err(RunError::precondition(
                "the worker did not start within 30 minutes",
                "`kubectl describe pod` says why",
            ));
        }
        thread::sleep(POLL);
    }
    let file = File::open(lock).map_err(RunError::disk(lock.display()))?;
    file.lock_shared().map_err(RunError::disk(lock.display()))
}

/// Tells [`Relay::deliver`] that the worker runs, until the result is dropped.
pub fn hold_lock(lock: &Path) -> Result<File, RunError> {
    // Locked before it has its name, so that it is never seen unlocked.
    let unnamed = lock.with_extension("new");
    let file = File::create(&unnamed).map_err(RunError::disk(unnamed.display()))?;
    file.lock().map_err(RunError::disk(unnamed.display()))?;
    std::fs::rename(&unnamed, lock).map_err(RunError::disk(lock.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit_of(repository: &Path, name: &str) -> String {
        test_repo::git(repository, &["rev-parse", name])
    }

    #[test]
    fn only_the_result_of_this_job_is_delivered_and_only_after_the_worker_has_ended() {
        let dir = assert_fs::TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("remote")).unwrap();
        test_repo::git(&at("remote"), &["init", "-q", "-b", "main"]);
        std::fs::write(at("remote/file"), "x").unwrap();
        test_repo::commit_all(&at("remote"));
        let name = "refs/ralph/work/run/US-1/job".to_owned();
        test_repo::git(&at("remote"), &["update-ref", &name, "HEAD"]);
        let commit = CommitId::new(&commit_of(&at("remote"), "HEAD")).unwrap();
        let (exchange, repository) = (at("exchange"), at("remote").display().to_string());
        let relay = Relay { exchange: exchange.clone(), repository, name, commit };
        relay.fetch().unwrap();
        assert_eq!(commit_of(&exchange, &relay.name), relay.commit.as_str());

        let held = hold_lock(&at("lock")).unwrap();
        std::fs::create_dir(at("own")).unwrap();
        let delivering = thread::spawn({
            let (relay, lock, own) = (relay.clone(), at("lock"), at("own"));
            move || relay.deliver(&lock, &own, &|_| {}).map_err(|error| error.to_string())
        });
        let hook = exchange.join(".git/hooks/pre-push");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, "#!/bin/sh\ntouch hook-ran\n").unwrap();
        for planted in [
            "refs/ralph/results/run/US-1/job.7",
            "refs/heads/other",
            "refs/ralph/results/run/US-1/job2.0",
        ] {
            test_repo::git(&exchange, &["update-ref", planted, relay.commit.as_str()]);
        }
        assert!(!delivering.is_finished());
        drop(held);
        delivering.join().unwrap().unwrap();
        let refs = test_repo::git(&at("remote"), &["for-each-ref", "--format=%(refname)"]);
        let expected =
            "refs/heads/main\nrefs/ralph/results/run/US-1/job.7\nrefs/ralph/work/run/US-1/job";
        assert_eq!(refs, expected);
        assert!(!exchange.join("hook-ran").exists());
    }
}
