//! What a hook must remember from one call of a session to the next: a few flags, each an
//! empty file that is created once.
//!
//! Creating a file that must not exist is atomic, so that concurrent hooks need no lock: exactly one of them wins
//! a claim. A session id is untrusted and never becomes a path: its hash does.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tasks::Sha256Digest;

use crate::atomic::if_present;

/// Sessions without activity for this long are deleted.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Old sessions removed at once, so that cleaning up takes no noticeable time.
const REMOVED_AT_ONCE: usize = 50;

#[derive(Debug, Clone)]
pub struct SessionStore {
    folder: PathBuf,
    /// In the system's temporary folder, where other users can write.
    is_shared: bool,
}

#[derive(Debug, Clone)]
pub struct SessionState {
    store: SessionStore,
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Won,
    AlreadyTaken,
}

impl SessionStore {
    /// `data_dir` is the plugin's folder; without one, a folder of this user in the system's temporary folder.
    /// Nothing is created before the first claim.
    pub fn new(data_dir: Option<&Path>) -> Self {
        match data_dir {
            Some(dir) => Self { folder: dir.join("sessions"), is_shared: false },
            None => Self {
                folder: std::env::temp_dir().join(system::shared_folder_name()),
                is_shared: true,
            },
        }
    }

    pub fn session(&self, id: &str) -> SessionState {
        let folder = self.folder.join(Sha256Digest::of(id).to_string());
        SessionState { store: self.clone(), folder }
    }

    /// Deletes sessions that ended long ago.
    pub fn prune(&self, now: SystemTime) -> io::Result<()> {
        let is_old = |folder: &Path| {
            let modified = folder.metadata().and_then(|metadata| metadata.modified());
            modified.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT))
        };
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let folders = entries.flatten().map(|entry| entry.path());
        let mut old = folders.filter(|folder| is_old(folder)).take(REMOVED_AT_ONCE);
        // Another session that starts now cleans up as well.
        old.try_for_each(|folder| if_present(std::fs::remove_dir_all(folder)))
    }
}

impl SessionState {
    /// Takes `name` for this caller, unless it is taken.
    pub fn claim(&self, name: &str) -> io::Result<Claim> {
        if self.store.is_shared {
            system::create_private(&self.store.folder)?;
        }
        std::fs::create_dir_all(&self.folder)?;
        match OpenOptions::new().write(true).create_new(true).open(self.folder.join(name)) {
            Ok(_) => Ok(Claim::Won),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Claim::AlreadyTaken),
            Err(error) => Err(error),
        }
    }

    pub fn is_taken(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// Releases `name`, so that it can be claimed again.
    pub fn release(&self, name: &str) -> io::Result<()> {
        if_present(std::fs::remove_file(self.folder.join(name)))
    }
}

#[cfg(unix)]
mod system {
    use std::fs::DirBuilder;
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    pub(super) fn shared_folder_name() -> String {
        format!("ralph-sessions-{}", user())
    }

    /// In a folder that every user may write, another user can take a name first.
    pub(super) fn create_private(folder: &Path) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let found = folder.symlink_metadata()?;
        if found.is_dir() && found.uid() == user() {
            Ok(())
        } else {
            Err(io::Error::other(format!("{} belongs to another user", folder.display())))
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::path::Path;

    /// The temporary folder already belongs to the user.
    pub(super) fn shared_folder_name() -> String {
        "ralph-sessions".into()
    }

    pub(super) fn create_private(folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (assert_fs::TempDir, SessionStore) {
        let dir = assert_fs::TempDir::new().unwrap();
        let store = SessionStore::new(Some(dir.path()));
        (dir, store)
    }

    #[test]
    fn a_claim_is_won_once_until_it_is_released() {
        let (_dir, store) = store();
        let session = store.session("s");
        assert_eq!(session.claim("alert").unwrap(), Claim::Won);
        assert_eq!(session.claim("alert").unwrap(), Claim::AlreadyTaken);
        assert!(session.is_taken("alert"));
        session.release("alert").unwrap();
        session.release("alert").unwrap();
        assert!(!session.is_taken("alert"));
        assert_eq!(session.claim("alert").unwrap(), Claim::Won);
    }

    #[test]
    fn sessions_do_not_share_claims() {
        let (_dir, store) = store();
        assert_eq!(store.session("a").claim("x").unwrap(), Claim::Won);
        assert_eq!(store.session("b").claim("x").unwrap(), Claim::Won);
    }

    #[test]
    fn of_many_at_once_exactly_one_wins() {
        let (_dir, store) = store();
        let winners: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| store.session("s").claim("x").unwrap() == Claim::Won))
                .collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
        });
        assert_eq!(winners, 1);
    }

    #[test]
    fn hostile_session_ids_stay_in_the_folder() {
        let (dir, store) = store();
        let long = "x".repeat(100_000);
        for id in ["../../escape", "/etc/passwd", "a/b\0c", "", ".", "..", long.as_str()] {
            assert_eq!(store.session(id).claim("x").unwrap(), Claim::Won, "{id:.20}");
        }
        let names: Vec<_> = std::fs::read_dir(dir.path().join("sessions")).unwrap().collect();
        assert_eq!(names.len(), 7);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn old_sessions_are_forgotten_and_young_ones_kept() {
        let (_dir, store) = store();
        let session = store.session("s");
        session.claim("x").unwrap();
        store.prune(SystemTime::now()).unwrap();
        assert!(session.is_taken("x"));
        store.prune(SystemTime::now() + KEPT + Duration::from_secs(60)).unwrap();
        assert!(!session.is_taken("x"));
    }
}
