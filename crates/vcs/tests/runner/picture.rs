//! A snapshot of a folder, to compare two states file by file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kind, mode and contents per name, without `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture(pub(crate) BTreeMap<String, String>);

impl Picture {
    pub(crate) fn of(folder: &Path) -> Self {
        let mut picture = Self(BTreeMap::new());
        picture.take(folder, "");
        picture.0.retain(|name, _| name != ".git" && !name.starts_with(".git/"));
        picture
    }

    fn take(&mut self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = match entry.file_name().to_str() {
                Some(name) => format!("{prefix}{name}"),
                None => format!("{prefix}{:?}", entry.file_name()),
            };
            let found = fs::symlink_metadata(entry.path()).unwrap();
            let (kind, mode) = (found.file_type(), mode(&found));
            let shown = if kind.is_symlink() {
                format!("link to {}", fs::read_link(entry.path()).unwrap().display())
            } else if kind.is_dir() {
                self.take(&entry.path(), &format!("{name}/"));
                format!("folder {mode:o}")
            } else {
                let contents = fs::read(entry.path()).unwrap();
                format!("file {mode:o} {:?}", String::from_utf8_lossy(&contents))
            };
            self.0.insert(name, shown);
        }
    }

    /// Every name that differs, with both states.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let names: std::collections::BTreeSet<&String> =
            self.0.keys().chain(other.0.keys()).collect();
        let differing = names.into_iter().filter(|name| self.0.get(*name) != other.0.get(*name));
        differing
            .map(|name| format!("{name}: {:?} -> {:?}", self.0.get(name), other.0.get(name)))
            .collect()
    }
}

#[cfg(unix)]
fn mode(found: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777
}

#[cfg(not(unix))]
fn mode(found: &fs::Metadata) -> u32 {
    u32::from(found.permissions().readonly())
}
