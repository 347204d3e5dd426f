//! Moves project files that must not stay, but must not be lost either, into the iteration's folder under their
//! own path.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use sanitize::plain;

use crate::RunError;
use crate::workspace::core::Workspace;

/// The usual folder. If a path is taken in it, a numbered folder is used.
const MOVED: &str = "moved";

const MOST_FOLDERS: u32 = 10_000;

impl Workspace<'_> {
    /// Never overwrites a file that was moved before.
    pub(crate) fn move_away(&mut self, path: &str, folder: &Path) -> Result<(), RunError> {
        let from = vcs::on_disk(self.layout.root(), path);
        let to = free_place(folder, path)
            .and_then(|to| std::fs::rename(&from, &to).map(|()| to))
            .map_err(RunError::disk(path))?;
        if !to.starts_with(folder.join(MOVED)) {
            let to = self.layout.name_of(&to);
            self.sink
                .warn(format!("another {} was moved before; moved this one to {to}", plain(path)));
        }
        Ok(())
    }
}

/// A free path for `path`, with its folders created. An agent can write there, so no link is followed.
fn free_place(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let inside = inside(path);
    for number in 1..=MOST_FOLDERS {
        let moved = if number == 1 { MOVED.to_owned() } else { format!("{MOVED}-{number}") };
        let to = vcs::on_disk(&folder.join(moved), &inside);
        let mut folders = to.ancestors().skip(1).take_while(|above| *above != folder);
        if is_absent(&to) && folders.all(|above| is_absent(above) || is_folder(above)) {
            std::fs::create_dir_all(to.parent().unwrap_or(folder))?;
            return Ok(to);
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

fn is_absent(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Escapes `..`, because a file may be above the project.
fn inside(path: &str) -> String {
    let parts = path.trim_end_matches('/').split('/').map(|part| match part {
        ".." => "%..".to_owned(),
        part if part.starts_with('%') => format!("%{part}"),
        part => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn different_paths_get_different_places() {
        let dir = assert_fs::TempDir::new().unwrap();
        let paths = ["a/b_c", "a_b/c", "a/b", "a", "a/", "../x", "x", "%../x", "%%../x", "a/b/c"];
        for (number, path) in paths.iter().enumerate() {
            let to = free_place(dir.path(), path).unwrap();
            assert!(to.starts_with(dir.path()), "{to:?}");
            fs::write(&to, number.to_string()).unwrap();
        }
        let found = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        let places = [
            "moved/a/b_c",
            "moved/a_b/c",
            "moved/a/b",
            "moved-2/a",
            "moved-3/a",
            "moved/%../x",
            "moved/x",
            "moved/%%../x",
            "moved/%%%../x",
            "moved-4/a/b/c",
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found(place), number.to_string(), "{place}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn existing_links_and_files_stay_and_are_not_followed() {
        let dir = assert_fs::TempDir::new().unwrap();
        let elsewhere = assert_fs::TempDir::new().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("moved")).unwrap();
        fs::write(dir.path().join("moved-2"), "").unwrap();
        fs::create_dir(dir.path().join("moved-3")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("moved-3/a")).unwrap();
        let to = free_place(dir.path(), "a").unwrap();
        assert_eq!(to, dir.path().join("moved-4/a"));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
