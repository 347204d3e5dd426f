//! The PATH of a session in Claude Code's own sandbox. Claude Code and the hooks start programs by name,
//! outside the sandbox. Where a folder on PATH can be written from inside (a virtual environment of the
//! project), a command could leave a `git` or `bwrap` there for them to run. So those few names are
//! found in a folder before all others.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::RunError;

/// What Claude Code and the hooks start by name.
const STARTED: [&str; 7] = ["bwrap", "socat", "git", "rg", "sh", "bash", "env"];

/// Where commands in the sandbox can write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writable<'w> {
    pub(crate) root: &'w Path,
    pub(crate) others: &'w [PathBuf],
}

impl Writable<'_> {
    fn holds(&self, folder: &Path) -> bool {
        // A relative one is meant from wherever a command stands.
        folder.is_relative()
            || folder.starts_with(self.root)
            || self.others.iter().any(|place| folder.starts_with(place))
    }
}

/// PATH as the session gets it.
pub(crate) fn path(path: &OsStr, writable: Writable<'_>, home: Option<&Path>) -> OsString {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    if !folders.iter().any(|folder| writable.holds(folder)) {
        return path.to_owned();
    }
    let safe = folder(writable, home).into_iter();
    std::env::join_paths(safe.chain(folders)).unwrap_or_else(|_| path.to_owned())
}

/// Sees to it that the folder holds what it should.
pub(crate) fn provide(
    path: &OsStr,
    writable: Writable<'_>,
    home: Option<&Path>,
) -> Result<(), RunError> {
    let Some(folder) = folder(writable, home) else { return Ok(()) };
    if !std::env::split_paths(path).any(|folder| writable.holds(&folder)) {
        return Ok(());
    }
    let disk = |error| RunError::Disk { path: folder.display().to_string(), error };
    std::fs::create_dir_all(&folder).map_err(disk)?;
    for name in STARTED {
        let mut safe = std::env::split_paths(path).filter(|folder| !writable.holds(folder));
        if let Some(program) =
            safe.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
        {
            link(&program, &folder.join(name)).map_err(disk)?;
        }
    }
    Ok(())
}

/// In the home, where commands in the sandbox cannot write.
fn folder(writable: Writable<'_>, home: Option<&Path>) -> Option<PathBuf> {
    let folder = home?.join(".cache/ralph/programs");
    (!writable.holds(&folder)).then_some(folder)
}

#[cfg(unix)]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    if std::fs::read_link(at).is_ok_and(|there| there == program) {
        return Ok(());
    }
    let new = at.with_extension(format!("new-{}", std::process::id()));
    let _ = std::fs::remove_file(&new);
    std::os::unix::fs::symlink(program, &new)?;
    std::fs::rename(&new, at)
}

#[cfg(not(unix))]
fn link(_program: &Path, _at: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;

    #[test]
    fn a_path_without_folders_of_the_project_stays_as_it_is() {
        let writable = Writable { root: Path::new("/p"), others: &["/cache".into()] };
        let home = Some(Path::new("/home/me"));
        assert_eq!(path(OsStr::new("/usr/bin:/bin"), writable, home), "/usr/bin:/bin");
        for open in ["/p/.venv/bin:/bin", "/bin:", "bin:/bin", "/cache/x:/bin"] {
            let given = path(OsStr::new(open), writable, home);
            assert_eq!(given, format!("/home/me/.cache/ralph/programs:{open}").as_str());
        }
    }

    #[test]
    fn programs_that_others_start_are_found_outside_the_project_first() {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("project");
        dir.child("project/.venv/bin/git").write_str("the agent's").unwrap();
        dir.child("bin/git").write_str("the real one").unwrap();
        let given = std::env::join_paths([root.join(".venv/bin"), dir.path().join("bin")]).unwrap();
        let (writable, home) = (Writable { root: &root, others: &[] }, dir.path().join("home"));
        for _ in 0..2 {
            provide(&given, writable, Some(&home)).unwrap();
        }
        let first = std::env::split_paths(&path(&given, writable, Some(&home))).next().unwrap();
        assert_eq!(std::fs::read_to_string(first.join("git")).unwrap(), "the real one");
        assert!(!first.join("socat").exists());
    }
}
