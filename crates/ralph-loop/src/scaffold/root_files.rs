//! Reads the manifests of a project root and the names in its test folders once, with size limits. Detection is then a
//! pure function of them.

use std::collections::BTreeMap;
use std::path::Path;

use bounded_read::FileError;

/// Manifests are small. Lock files are never read.
const LARGEST: u64 = 4 * 1024 * 1024;

const READ: [&str; 12] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "GNUmakefile",
    "makefile",
    "Makefile",
    "justfile",
    "Justfile",
    ".justfile",
    "deno.json",
    "deno.jsonc",
];
const TEST_FOLDERS: [&str; 2] = ["test", "tests"];
const MOST_TESTS: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct RootFiles {
    contents: BTreeMap<String, String>,
    present: Vec<String>,
    /// Why existing files could not be used.
    pub(crate) unreadable: Vec<String>,
}

impl RootFiles {
    pub(crate) fn read(root: &Path) -> Self {
        let mut files = Self::default();
        // `Makefile` and `makefile` are one file where case does not matter: the entry has one name.
        for name in names(root) {
            if READ.contains(&name.as_str()) {
                files.load(root, &name);
            }
            files.present.push(name);
        }
        for folder in TEST_FOLDERS {
            let tests = names(&root.join(folder)).take(MOST_TESTS);
            files.present.extend(tests.map(|name| format!("{folder}/{name}")));
        }
        files.present.sort_unstable();
        files
    }

    fn load(&mut self, root: &Path, name: &str) {
        let text = match bounded_read::read_file(&root.join(name), LARGEST) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned()),
            Err(FileError::Absent) => return,
            Err(error) => Err(error.to_string()),
        };
        match text {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                self.contents.insert(name.to_owned(), text);
            }
            Err(why) => self.unreadable.push(format!("{name} was ignored: {why}")),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.contents.get(name).map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.present.iter().any(|present| present == name)
    }

    /// The first file, by name, in the root or in a test folder that `wanted` accepts.
    pub(crate) fn find(&self, wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.present.iter().map(String::as_str).find(|name| wanted(name))
    }

    pub(crate) fn first_of(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.has(name))
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let contents = files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        let present = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        Self { contents, present, unreadable: Vec::new() }
    }
}

fn names(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_text_are_reported_and_ignored() {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::write(dir.path().join("Cargo.toml"), b"\xff\xfe").unwrap();
        std::fs::create_dir(dir.path().join("package.json")).unwrap();
        std::fs::write(dir.path().join("go.mod"), "\u{feff}module x").unwrap();
        std::fs::write(dir.path().join("uv.lock"), b"\xff").unwrap();
        let files = RootFiles::read(dir.path());
        assert_eq!(files.text("Cargo.toml"), None);
        assert_eq!(files.text("go.mod"), Some("module x"));
        assert!(files.has("uv.lock") && !files.has("poetry.lock"));
        let mut notes = files.unreadable.clone();
        notes.sort();
        assert_eq!(
            notes,
            [
                "Cargo.toml was ignored: not UTF-8 text",
                "package.json was ignored: it is not a regular file"
            ]
        );
    }

    #[test]
    fn a_missing_folder_has_no_files() {
        let files = RootFiles::read(Path::new("/nowhere/at/all"));
        assert!(!files.has("Cargo.toml") && files.unreadable.is_empty());
    }
}
