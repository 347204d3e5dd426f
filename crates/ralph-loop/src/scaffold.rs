//! `init`: a project gets its ralph folder, from the bare binary.
//!
//! Safe to repeat: what is there stays, unless it is to be replaced, and then the old file is kept
//! beside the new one. Not here: the command line, asking questions, `.ralph/settings.json`.

mod gitignore;
mod init_error;
mod init_report;
mod one_line;
mod root_files;
mod slug;
mod target;
pub mod templates;
#[cfg(test)]
mod tests;
mod verify_commands;

use std::path::Path;

use chrono::NaiveDate;
use project::{Layout, RunLock};

pub use init_error::InitError;
pub use init_report::{FileReport, InitReport, Outcome};
pub(crate) use one_line::one_line;
pub(crate) use slug::slug;
pub use templates::is_untouched_template;
pub use verify_commands::{Detection, VerifyCommand};

use root_files::RootFiles;
use target::Target;
use templates::Subject;

#[derive(Debug, Clone)]
pub struct InitOptions {
    pub layout: Layout,
    /// The feature: it names the branch. By default what the folder is called.
    pub name: Option<String>,
    pub existing: Existing,
    pub checks: Checks,
}

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
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

/// Sets the project up. Whatever would be in the way is found before anything is written.
pub fn init(options: &InitOptions, today: NaiveDate) -> Result<InitReport, InitError> {
    let layout = &options.layout;
    if !layout.root().is_dir() {
        return Err(InitError::NoFolder { path: layout.root().to_path_buf() });
    }
    let mut detected = verify_commands::detect(&RootFiles::read(layout.root()));
    if let Checks::Given(commands) = &options.checks {
        detected.commands = commands.iter().map(|command| given(command)).collect();
        detected.notes.clear();
    }
    let subject = Subject {
        feature: feature(options)?,
        project: project_name(layout.root(), &detected),
        verify_commands: detected.commands.iter().map(|found| found.command.clone()).collect(),
    };

    let ralph_dir = layout.ralph_dir();
    let files = [
        (ralph_dir.join("prd.md"), templates::PRD.to_owned()),
        (layout.tasks(), subject.tasks()),
        (ralph_dir.join("progress.txt"), subject.progress(today)),
        (ralph_dir.join("prompt.md"), templates::PROMPT.to_owned()),
    ];
    let mut targets = Vec::new();
    for (path, contents) in files {
        targets.push(Target::plan(path, contents.into_bytes(), options.existing)?);
    }
    targets.push(Target::plan_gitignore(layout.root().join(".gitignore"))?);

    let writes = targets.iter().any(Target::writes);
    // A running loop relies on these files, also on those that are missing.
    let _lock = (writes && layout.is_set_up()).then(|| RunLock::acquire(layout)).transpose()?;
    create_folder(&ralph_dir)?;
    let mut written = Vec::new();
    for target in targets {
        written.push(target.write(layout.root())?);
    }
    Ok(InitReport::new(layout, subject, detected, written))
}

/// Names as `init` chooses them, for a ralph folder that starts anew.
pub(crate) fn fresh_subject(root: &Path) -> Subject {
    let detected = verify_commands::detect(&RootFiles::read(root));
    Subject {
        feature: default_feature(root),
        project: project_name(root, &detected),
        verify_commands: detected.commands.into_iter().map(|found| found.command).collect(),
    }
}

fn given(command: &str) -> VerifyCommand {
    VerifyCommand { command: command.to_owned(), source: "as given".to_owned() }
}

fn feature(options: &InitOptions) -> Result<String, InitError> {
    match &options.name {
        Some(name) => slug(name).ok_or_else(|| InitError::Name { name: name.clone() }),
        None => Ok(default_feature(options.layout.root())),
    }
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

fn create_folder(path: &Path) -> Result<(), InitError> {
    std::fs::create_dir_all(path)
        .map_err(|error| InitError::Folder { path: path.to_path_buf(), error })
}
