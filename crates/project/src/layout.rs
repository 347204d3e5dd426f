//! Where everything lies in a user's project, and whose it is.

use std::path::{Path, PathBuf};

/// Temporary files of a replace in progress carry this prefix, wherever they lie.
pub(crate) const TEMPORARY_PREFIX: &str = ".ralph-tmp-";

/// What a run writes and git has no business with, below the project root.
const RUNTIME_FILES: [&str; 5] = [
    ".ralph-active",
    ".ralph/lock",
    ".ralph/settings.local.json",
    ".ralph/state.json",
    ".ralph/state.md",
];
const RUNTIME_FOLDERS: [&str; 1] = [".ralph/runs/"];

/// What a review may touch besides the ralph folder: the project's memory for agents.
const MEMORY: [&str; 2] = ["CLAUDE.md", ".claude/"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    ralph_dir: PathBuf,
}

impl Layout {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ralph_dir: PathBuf::from("ralph") }
    }

    /// `ralph_dir` may be relative to the root or absolute.
    pub fn with_ralph_dir(self, ralph_dir: impl Into<PathBuf>) -> Self {
        Self { ralph_dir: ralph_dir.into(), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn ralph_dir(&self) -> PathBuf {
        self.root.join(&self.ralph_dir)
    }

    pub fn tasks(&self) -> PathBuf {
        self.ralph_dir().join("tasks.json")
    }

    /// `ralph/tasks.json`, as a person would write it.
    pub fn tasks_name(&self) -> String {
        self.ralph_dir.join("tasks.json").to_string_lossy().replace('\\', "/")
    }

    pub fn progress_name(&self) -> String {
        self.ralph_dir.join("progress.txt").to_string_lossy().replace('\\', "/")
    }

    pub fn marker(&self) -> PathBuf {
        self.root.join(".ralph-active")
    }

    pub fn data_dir(&self) -> PathBuf {
        self.root.join(".ralph")
    }

    pub fn lock(&self) -> PathBuf {
        self.data_dir().join("lock")
    }

    /// Whether somebody set up a loop here.
    pub fn is_set_up(&self) -> bool {
        self.tasks().exists() || self.data_dir().exists()
    }

    /// Whether `path` (relative to the root, with `/`) is written by the program itself, whatever
    /// .gitignore says about it.
    pub fn is_runtime(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        RUNTIME_FILES.contains(&path)
            || RUNTIME_FOLDERS.iter().any(|folder| path.starts_with(folder))
            || name.starts_with(TEMPORARY_PREFIX)
    }

    /// Whether a review may change `path` (relative to the root, with `/`): it judges, it does not
    /// fix.
    pub fn review_may_touch(&self, path: &str) -> bool {
        let relative = self.ralph_dir.strip_prefix(&self.root).unwrap_or(&self.ralph_dir);
        let relative = relative.to_string_lossy().replace('\\', "/");
        let folder = relative.trim_start_matches("./").trim_end_matches('/');
        let in_ralph_dir = path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/') && !folder.is_empty());
        in_ralph_dir
            || MEMORY.iter().any(|allowed| match allowed.strip_suffix('/') {
                Some(_) => path.starts_with(allowed),
                None => path == *allowed,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtime_files_are_the_programs_own() {
        let layout = Layout::new("/p");
        for path in [
            ".ralph-active",
            ".ralph/lock",
            ".ralph/state.json",
            ".ralph/state.md",
            ".ralph/settings.local.json",
            ".ralph/runs/r1/events.jsonl",
            "ralph/.ralph-tmp-x1",
        ] {
            assert!(layout.is_runtime(path), "{path}");
        }
        for path in [
            ".ralph/settings.json",
            ".ralph/skills/a.md",
            "ralph/tasks.json",
            "src/.ralph-active",
            ".ralph/runs",
        ] {
            assert!(!layout.is_runtime(path), "{path}");
        }
    }

    #[test]
    fn a_review_touches_only_the_ralph_folder_and_memory() {
        for layout in [
            Layout::new("/p"),
            Layout::new("/p").with_ralph_dir("./ralph/"),
            Layout::new("/p").with_ralph_dir("/p/ralph"),
        ] {
            for path in ["ralph/tasks.json", "ralph/deep/x", "CLAUDE.md", ".claude/rules/x.md"] {
                assert!(layout.review_may_touch(path), "{path}");
            }
            for path in
                ["src/lib.rs", "ralphx/tasks.json", "CLAUDE.md.bak", ".claude", "x/CLAUDE.md"]
            {
                assert!(!layout.review_may_touch(path), "{path}");
            }
        }
    }
}
