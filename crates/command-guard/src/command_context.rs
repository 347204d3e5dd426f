//! Where a command would run, and what is whose there.

use std::path::PathBuf;

use project::CommandRules;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandContext {
    /// The project of the run, as a whole path.
    pub project: PathBuf,
    /// Where the command starts.
    pub folder: PathBuf,
    pub home: Option<PathBuf>,
    /// Where temporary files go, besides `/tmp` and `/var/tmp`.
    pub temporary: Option<PathBuf>,
    /// The plugin's folder and its data, which nobody may touch.
    pub plugin: Vec<PathBuf>,
    pub rules: CommandRules,
}
