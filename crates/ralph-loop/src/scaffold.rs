//! `init`: a project gets its ralph folder, from the bare binary.
//!
//! Safe to repeat: what is there stays, unless it is to be replaced, and then the old file is kept
//! beside the new one. Not here: the command line, asking questions, what the settings say.

pub mod from_plan;
mod gitignore;
mod init_error;
mod init_report;
mod one_line;
mod plan;
mod root_files;
mod slug;
mod target;
pub mod templates;
#[cfg(test)]
mod tests;
mod verify_commands;

use std::path::Path;

use chrono::NaiveDate;
use project::Layout;

pub use from_plan::ImportedPlan;
pub(crate) use gitignore::extended as extended_gitignore;
pub use init_error::InitError;
pub use init_report::{FileReport, InitReport, Outcome, PlanReport};
pub(crate) use one_line::one_line;
pub use plan::Plan;
pub(crate) use slug::slug;
pub use templates::is_untouched_template;
pub use verify_commands::{Detection, VerifyCommand};

use root_files::RootFiles;
use templates::Subject;

#[derive(Debug, Clone)]
pub struct InitOptions {
    pub layout: Layout,
    /// The feature: it names the branch. By default what the folder is called.
    pub name: Option<String>,
    pub existing: Existing,
    pub checks: Checks,
    /// The stories of a plan instead of an example.
    pub imported: Option<ImportedPlan>,
}

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    #[default]
    Keep,
    /// The old file is kept as `<name>.bak`.
    Replace,
}

/// Where `verifyCommands` come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checks {
    Detect,
    Given(Vec<String>),
}

/// Sets the project up, without settings of its own.
pub fn init(options: &InitOptions, today: NaiveDate) -> Result<InitReport, InitError> {
    Plan::new(options, today)?.write()
}

/// Commands that the project's own files speak of, as `init` would write them.
pub(crate) fn detected_checks(root: &Path) -> Vec<String> {
    commands(verify_commands::detect(&RootFiles::read(root)))
}

/// Names as `init` chooses them, for a ralph folder that starts anew.
pub(crate) fn fresh_subject(root: &Path) -> Subject {
    let detected = verify_commands::detect(&RootFiles::read(root));
    Subject {
        feature: default_feature(root),
        project: project_name(root, &detected),
        verify_commands: commands(detected),
    }
}

fn commands(detected: Detection) -> Vec<String> {
    detected.commands.into_iter().map(|found| found.command).collect()
}

fn default_feature(root: &Path) -> String {
    slug(&folder_name(root)).unwrap_or_else(|| "feature".to_owned())
}

fn project_name(root: &Path, detected: &Detection) -> String {
    let folder = || Some(folder_name(root)).filter(|name| !name.is_empty());
    detected.name.clone().or_else(folder).unwrap_or_else(|| "project".to_owned())
}

/// The folder's own name, also when it was given as `.`.
fn folder_name(root: &Path) -> String {
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    absolute.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
