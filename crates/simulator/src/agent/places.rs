//! Where the agent keeps what Claude Code keeps in its configuration folder.
//!
//! Never the user's own `~/.claude`: without `CLAUDE_CONFIG_DIR` it is a temporary folder, which is
//! gone when the session is.

use std::path::{Path, PathBuf};

/// Read by Claude Code too.
const CONFIG_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

#[derive(Debug, Clone)]
pub(super) struct Places {
    config: PathBuf,
    keeping: Keeping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    Kept,
    Temporary,
}

impl Places {
    pub(super) fn from_env(session_id: &str) -> Self {
        match std::env::var_os(CONFIG_VARIABLE).filter(|value| !value.is_empty()) {
            Some(config) => Self { config: config.into(), keeping: Keeping::Kept },
            None => {
                let name = format!("simulated-agent-{}", dashed(session_id));
                Self { config: std::env::temp_dir().join(name), keeping: Keeping::Temporary }
            }
        }
    }

    pub(super) fn transcript(&self, cwd: &Path, session_id: &str) -> PathBuf {
        let project = dashed(&cwd.to_string_lossy());
        self.config.join("projects").join(project).join(format!("{}.jsonl", dashed(session_id)))
    }

    pub(super) fn plugin_data(&self, plugin: &str) -> PathBuf {
        self.config.join("plugins/data").join(format!("{}-inline", dashed(plugin)))
    }

    /// Removes what nobody asked to keep.
    pub(super) fn tidy(&self) {
        if self.keeping == Keeping::Temporary {
            // What cannot be removed stays, as every temporary file may.
            let _ = std::fs::remove_dir_all(&self.config);
        }
    }
}

/// As Claude Code makes a folder's name out of a path.
fn dashed(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_claude_code() {
        let places = Places { config: "/c".into(), keeping: Keeping::Kept };
        assert_eq!(
            places.transcript(Path::new("/home/dev/my.app"), "s-1"),
            Path::new("/c/projects/-home-dev-my-app/s-1.jsonl")
        );
        assert_eq!(places.plugin_data("ralph"), Path::new("/c/plugins/data/ralph-inline"));
    }
}
