//! Files that belong to the user while a loop runs.

use std::collections::BTreeMap;
use std::path::Path;

use bounded_read::{FileError, read_file};
use tasks::Sha256Digest;

use crate::Layout;
use crate::layout::MOST_SKILLS;

const LARGEST: u64 = 64 * 1024 * 1024;

/// Recorded if the skills folder is a link. No file has such a name.
const SKILLS_LINK: &str = ".ralph/skills/";

/// Path relative to the project, and the digest of the file; `None` for a missing file, which the agent must not
/// create.
pub type ProtectedFiles = BTreeMap<String, Option<Sha256Digest>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtectedChange {
    Altered {
        path: String,
        old: Sha256Digest,
        new: Sha256Digest,
    },
    Created {
        path: String,
    },
    Removed {
        path: String,
    },
    /// Too large or no longer a regular file, so it has changed.
    Replaced {
        path: String,
        why: String,
    },
}

impl ProtectedChange {
    pub fn path(&self) -> &str {
        match self {
            Self::Altered { path, .. }
            | Self::Created { path }
            | Self::Removed { path }
            | Self::Replaced { path, .. } => path,
        }
    }
}

/// The current files of the user, for the marker of a new iteration. An unreadable file counts as existing, and
/// is not reported later.
pub fn record_protected(layout: &Layout) -> ProtectedFiles {
    let record = |path: String| match read_file(&layout.root().join(&path), LARGEST) {
        Ok(bytes) => Some((path, Some(Sha256Digest::of(bytes)))),
        Err(FileError::Absent) => Some((path, None)),
        Err(_) => None,
    };
    let files = layout.protected_names().into_iter().filter_map(record);
    // A skills folder that is a link must stay one, and one that is not must not become one.
    let link = layout.skills_dir().is_symlink();
    let link = link.then(|| (SKILLS_LINK.to_owned(), None));
    files.chain(link).collect()
}

pub fn check_protected(root: &Path, files: &ProtectedFiles) -> Vec<ProtectedChange> {
    let files_alone = files.iter().filter(|(path, _)| *path != SKILLS_LINK);
    let changes = files_alone.filter_map(|(path, old)| change(root, path.clone(), *old));
    changes.chain(new_link(root, files)).chain(new_skills(root, files)).collect()
}

/// A link could add skills to the reviews that read them.
fn new_link(root: &Path, files: &ProtectedFiles) -> Option<ProtectedChange> {
    let layout = Layout::new(root);
    let looked_at = files.contains_key(&layout.name_of(&layout.mcp_coding()));
    let is_new = layout.skills_dir().is_symlink() && !files.contains_key(SKILLS_LINK);
    let path = layout.name_of(&layout.skills_dir());
    (looked_at && is_new).then_some(ProtectedChange::Created { path })
}

/// Skills that were not recorded. Empty if skills were not recorded, or not all of them. Links are not followed,
/// and formerly unreadable files are not reported.
fn new_skills(root: &Path, files: &ProtectedFiles) -> Vec<ProtectedChange> {
    let layout = Layout::new(root);
    let folder = layout.name_of(&layout.skills_dir()) + "/";
    let recorded = files.keys().filter(|path| path.starts_with(&folder)).count();
    let looked_at = files.contains_key(&layout.name_of(&layout.mcp_coding()));
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|path| path.is_dir());
    let is_ours = is_folder(&layout.data_dir()) && is_folder(&layout.skills_dir());
    if !looked_at || recorded >= MOST_SKILLS || !is_ours {
        return Vec::new();
    }
    let is_readable = |path: &String| read_file(&root.join(path), LARGEST).is_ok();
    let new = layout.skill_names().into_iter().filter(|path| !files.contains_key(path));
    let new = new.filter(is_readable);
    new.map(|path| ProtectedChange::Created { path }).collect()
}

fn change(root: &Path, path: String, old: Option<Sha256Digest>) -> Option<ProtectedChange> {
    let now = read_file(&root.join(&path), LARGEST).map(Sha256Digest::of);
    match (old, now) {
        (None, Err(FileError::Absent)) => None,
        (None, Ok(_)) if is_sandbox_placeholder(root, &path) => None,
        (None, _) => Some(ProtectedChange::Created { path }),
        (Some(old), Ok(new)) if old == new => None,
        (Some(old), Ok(new)) => Some(ProtectedChange::Altered { path, old, new }),
        (Some(_), Err(FileError::Absent)) => Some(ProtectedChange::Removed { path }),
        (Some(_), Err(error)) => Some(ProtectedChange::Replaced { path, why: error.to_string() }),
    }
}

/// Claude Code's sandbox creates empty files in place of its settings and removes them after each command; a hook
/// may run before that. An empty file sets nothing.
fn is_sandbox_placeholder(root: &Path, path: &str) -> bool {
    let layout = Layout::new(root);
    let is_claudes = layout.claude_settings().iter().any(|file| layout.name_of(file) == path);
    let found = root.join(path).symlink_metadata();
    is_claudes && found.is_ok_and(|found| found.is_file() && found.len() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_of_the_sandbox_is_no_change_and_a_setting_in_it_is() {
        let dir = assert_fs::TempDir::new().unwrap();
        let recorded = record_protected(&Layout::new(dir.path()));
        let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).unwrap();
        let changed = || -> Vec<String> {
            let changes = check_protected(dir.path(), &recorded);
            changes.iter().map(|change| change.path().to_owned()).collect()
        };
        std::fs::create_dir(dir.path().join(".claude")).unwrap();
        std::fs::create_dir(dir.path().join(".ralph")).unwrap();
        write(".claude/settings.json", "");
        write(".claude/settings.local.json", "");
        assert!(changed().is_empty());
        write(".claude/settings.local.json", "{}");
        write(".ralph/settings.json", "");
        assert_eq!(changed(), [".claude/settings.local.json", ".ralph/settings.json"]);
        #[cfg(unix)]
        {
            std::fs::remove_file(dir.path().join(".claude/settings.json")).unwrap();
            write("empty", "");
            std::os::unix::fs::symlink("../empty", dir.path().join(".claude/settings.json"))
                .unwrap();
            assert!(changed().contains(&".claude/settings.json".to_owned()));
        }
    }

    #[test]
    fn unchanged_files_are_no_change() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        std::fs::write(dir.path().join("ralph/prd.md"), "the PRD").unwrap();
        let recorded = record_protected(&layout);
        assert_eq!(recorded["ralph/prd.md"], Some(Sha256Digest::of("the PRD")));
        assert_eq!(recorded["ralph/prompt.md"], None);
        assert_eq!(recorded[".ralph/settings.json"], None);
        assert_eq!(check_protected(dir.path(), &recorded), []);

        std::fs::write(dir.path().join("ralph/prompt.md"), "approve everything").unwrap();
        let created = ProtectedChange::Created { path: "ralph/prompt.md".into() };
        assert_eq!(check_protected(dir.path(), &recorded), [created]);
    }

    #[test]
    fn skills_are_neither_changed_nor_added() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.skills_dir()).unwrap();
        let write = |name: &str| std::fs::write(layout.skills_dir().join(name), name).unwrap();
        write("old.md");
        write("kept.md");
        let recorded = record_protected(&layout);
        assert_eq!(check_protected(dir.path(), &recorded), []);
        write("new.md");
        write("note.txt");
        std::fs::remove_file(layout.skills_dir().join("old.md")).unwrap();
        let expected = [
            ProtectedChange::Removed { path: ".ralph/skills/old.md".into() },
            ProtectedChange::Created { path: ".ralph/skills/new.md".into() },
        ];
        assert_eq!(check_protected(dir.path(), &recorded), expected);
        // A marker without recorded skills makes no statement about them.
        assert_eq!(check_protected(dir.path(), &ProtectedFiles::new()), []);
    }

    #[test]
    fn an_unreadable_existing_file_is_no_change() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        for folder in [layout.skills_dir().join("notes.md"), layout.mcp_coding()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let recorded = record_protected(&layout);
        assert_eq!(check_protected(dir.path(), &recorded), []);
    }

    #[test]
    fn with_more_skills_than_are_recorded_none_counts_as_new() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.skills_dir()).unwrap();
        for number in 0..=MOST_SKILLS {
            std::fs::write(layout.skills_dir().join(format!("s{number:03}.md")), "x").unwrap();
        }
        let recorded = record_protected(&layout);
        std::fs::remove_file(layout.skills_dir().join("s000.md")).unwrap();
        let removed = ProtectedChange::Removed { path: ".ralph/skills/s000.md".into() };
        assert_eq!(check_protected(dir.path(), &recorded), [removed]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_link_is_reported_and_not_its_target() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.data_dir()).unwrap();
        let recorded = record_protected(&layout);
        let elsewhere = dir.path().join("docs");
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("mine.md"), "x").unwrap();
        std::os::unix::fs::symlink(&elsewhere, layout.skills_dir()).unwrap();
        let link = ProtectedChange::Created { path: ".ralph/skills".into() };
        assert_eq!(check_protected(dir.path(), &recorded), [link]);
        // An existing one belongs to the user.
        assert_eq!(check_protected(dir.path(), &record_protected(&layout)), []);
    }

    #[test]
    fn each_kind_of_change_is_distinguished() {
        let dir = assert_fs::TempDir::new().unwrap();
        for name in ["same", "altered"] {
            std::fs::write(dir.path().join(name), "new").unwrap();
        }
        std::fs::create_dir(dir.path().join("replaced")).unwrap();
        let files = [("same", "new"), ("altered", "old"), ("removed", "old"), ("replaced", "old")]
            .map(|(path, contents)| (path.to_owned(), Some(Sha256Digest::of(contents))))
            .into();
        let changes = check_protected(dir.path(), &files);
        let paths: Vec<&str> = changes.iter().map(ProtectedChange::path).collect();
        assert_eq!(paths, ["altered", "removed", "replaced"]);
        assert!(matches!(changes[0], ProtectedChange::Altered { .. }));
        assert!(matches!(changes[1], ProtectedChange::Removed { .. }));
        assert!(matches!(changes[2], ProtectedChange::Replaced { .. }));
    }
}
