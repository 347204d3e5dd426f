//! Where a command runs, and who owns the paths there.

use std::path::PathBuf;

use project::CommandRules;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandContext {
    /// The absolute path of the project.
    pub project: PathBuf,
    /// The working directory.
    pub folder: PathBuf,
    pub home: Option<PathBuf>,
    /// The folder for temporary files, besides `/tmp` and `/var/tmp`.
    pub temporary: Option<PathBuf>,
    /// The plugin's folder and its data, which the agent must not change.
    pub plugin: Vec<PathBuf>,
    pub rules: CommandRules,
    /// Files of the project that this session may not change, relative to it.
    pub protected: Vec<PathBuf>,
}
