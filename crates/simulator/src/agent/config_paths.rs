//! The paths of what Claude Code stores in its configuration folder.
//!
//! Never uses the user's own `~/.claude`: without `CLAUDE_CONFIG_DIR` it is a temporary folder that
//! is removed with the session.

use std::path::{Path, PathBuf};

/// Read by Claude Code too.
const CONFIG_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

#[derive(Debug, Clone)]
pub(super) struct ConfigPaths {
    config: PathBuf,
    is_temporary: bool,
}

impl ConfigPaths {
    pub(super) fn from_env(session_id: &str) -> Self {
        match std::env::var_os(CONFIG_VARIABLE).filter(|value| !value.is_empty()) {
            Some(config) => Self { config: config.into(), is_temporary: false },
            None => {
                let name = format!("simulated-agent-{}", dashed(session_id));
                Self { config: std::env::temp_dir().join(name), is_temporary: true }
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

    pub(super) fn remove_if_temporary(&self) {
        if self.is_temporary {
            // A failure leaves only a temporary file.
            let _ = std::fs::remove_dir_all(&self.config);
        }
    }
}

/// The folder name that Claude Code derives from a path.
fn dashed(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_claude_code() {
        let paths = ConfigPaths { config: "/c".into(), is_temporary: false };
        assert_eq!(
            paths.transcript(Path::new("/home/dev/my.app"), "s-1"),
            Path::new("/c/projects/-home-dev-my-app/s-1.jsonl")
        );
        assert_eq!(paths.plugin_data("ralph"), Path::new("/c/plugins/data/ralph-inline"));
    }
}
