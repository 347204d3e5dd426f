//! `init`: creates the ralph folder of a project from templates in the binary.
//!
//! Safe to repeat: existing files are kept, or replaced with a backup beside them. Command line, questions and settings
//! are elsewhere.

pub mod from_plan;
mod gitignore;
mod init_error;
mod init_report;
mod managed_file;
mod one_line;
mod plan;
mod root_files;
mod slug;
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
pub use init_report::{FileOutcome, FileReport, InitReport, PlanReport};
pub(crate) use one_line::one_line;
pub use plan::InitPlan;
pub(crate) use slug::slug;
pub use templates::is_untouched_template;
pub use verify_commands::{Detection, VerifyCommand};

use root_files::RootFiles;
use templates::TemplateValues;

#[derive(Debug, Clone)]
pub struct InitOptions {
    pub layout: Layout,
    /// The feature, which names the branch. Default: the name of the folder.
    pub name: Option<String>,
    pub existing: Existing,
    pub checks: Checks,
    /// The stories of an imported plan instead of the example.
    pub imported: Option<ImportedPlan>,
}

/// What to do with an existing file.
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

/// Sets up the project without a settings file.
pub fn init(options: &InitOptions, today: NaiveDate) -> Result<InitReport, InitError> {
    InitPlan::new(options, today)?.write()
}

/// Check commands detected from the project's files, as `init` writes them.
pub(crate) fn detected_checks(root: &Path) -> Vec<String> {
    commands(verify_commands::detect(&RootFiles::read(root)))
}

/// Names as `init` chooses them, for a reset ralph folder.
pub(crate) fn default_template_values(root: &Path) -> TemplateValues {
    let detected = verify_commands::detect(&RootFiles::read(root));
    TemplateValues {
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

/// The folder's real name, also for `.`.
fn folder_name(root: &Path) -> String {
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    absolute.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
