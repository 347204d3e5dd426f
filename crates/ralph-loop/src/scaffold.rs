//! `init`: creates the ralph folder of a project from templates in the binary.
//!
//! Safe to repeat: existing files are kept, or replaced with a backup beside them. Command line, questions and settings
//! are elsewhere.

pub(crate) mod from_plan;
mod gitignore;
pub(crate) mod imported;
mod init_report;
mod lanes;
mod managed_file;
mod one_line;
mod plan;
mod root_files;
mod slug;
pub(crate) mod templates;
#[cfg(test)]
mod tests;
mod verify_commands;

use std::path::Path;

use anyhow::Result;
use chrono::NaiveDate;
use project::Layout;

pub(crate) use gitignore::extended as extended_gitignore;
pub(crate) use init_report::InitReport;
pub(crate) use lanes::{WORKTREE_INCLUDE, proposed_include};
pub(crate) use one_line::one_line;
pub(crate) use plan::InitPlan;
pub(crate) use slug::slug;
pub(crate) use templates::is_untouched_template;

use imported::Imported;
use init_report::FileOutcome;
use root_files::RootFiles;
use templates::TemplateValues;
use verify_commands::Detection;

#[derive(Debug, Clone)]
pub(crate) struct InitOptions {
    pub(crate) layout: Layout,
    /// The feature, which names the branch. Default: the name of the folder.
    pub(crate) name: Option<String>,
    pub(crate) existing: Existing,
    /// `verifyCommands`; detected if empty.
    pub(crate) checks: Vec<String>,
    /// The imported stories instead of the example.
    pub(crate) imported: Option<Imported>,
}

/// What to do with an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Existing {
    #[default]
    Keep,
    /// The old file is kept as `<name>.bak`.
    Replace,
}

impl Existing {
    /// For a file with other contents; the backup gets its name later.
    fn outcome(self) -> FileOutcome {
        match self {
            Self::Keep => FileOutcome::Kept,
            Self::Replace => FileOutcome::Replaced { backup: String::new() },
        }
    }
}

/// Sets up the project without a settings file.
pub(crate) fn init(options: &InitOptions, today: NaiveDate) -> Result<InitReport> {
    InitPlan::new(options, today)?.write()
}

/// Check commands detected from the project's files, as `init` writes them.
pub(crate) fn detected_checks(root: &Path) -> Vec<String> {
    commands(&verify_commands::detect(&RootFiles::read(root)))
}

/// Names as `init` chooses them, for a reset ralph folder.
pub(crate) fn default_template_values(root: &Path) -> TemplateValues {
    template_values(root, &verify_commands::detect(&RootFiles::read(root)))
}

fn template_values(root: &Path, detected: &Detection) -> TemplateValues {
    // The folder's real name, also for `.`.
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let folder = absolute.file_name().unwrap_or_default().to_string_lossy();
    let project = detected.name.as_deref().unwrap_or(&folder);
    TemplateValues {
        feature: slug(&folder).unwrap_or_else(|| "feature".to_owned()),
        project: if project.is_empty() { "project" } else { project }.to_owned(),
        verify_commands: commands(detected),
    }
}

fn commands<C: From<String>>(detected: &Detection) -> Vec<C> {
    detected.commands.iter().map(|found| found.command.clone().into()).collect()
}
