//! `archive`: moves a finished loop to the archive and resets the ralph folder.
//!
//! Copy, sync, then reset: at every moment each file is in its place or in the archive. The caller provides git.

mod archive_error;
mod archive_report;
mod contents;
mod memory;
mod summary;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use project::{Layout, RunLock};
use tasks::Inspection;

pub use archive_error::ArchiveError;
pub use archive_report::{ArchiveReport, CommitOutcome};

use crate::scaffold::templates::{self, TemplateValues};
use crate::scaffold::{default_template_values, slug};
use contents::Contents;
use summary::Summary;

const FOLDER: &str = "ralph-archive";
/// Ignored by git. An interrupted archive leaves it, the next one removes it.
const STAGING: &str = ".ralph-tmp-archive";

const PRD: &str = "prd.md";
const TASKS: &str = "tasks.json";
const PROGRESS: &str = "progress.txt";
const PROMPT: &str = "prompt.md";

#[derive(Debug, Clone)]
pub struct ArchiveOptions {
    pub layout: Layout,
    /// Name of the folder; default: the branch of the task list.
    pub label: Option<String>,
    /// Whether to archive a list with open stories, or an unreadable one.
    pub allow_unfinished: bool,
}

/// Commits exactly these paths (relative to the project root, with `/`) with this message.
pub type Commit<'c> = dyn FnMut(&[String], &str) -> Result<(), String> + 'c;

/// `commit` is `None` without a repository.
pub fn archive(
    options: &ArchiveOptions,
    today: NaiveDate,
    commit: Option<&mut Commit<'_>>,
) -> Result<ArchiveReport, ArchiveError> {
    let layout = &options.layout;
    if !layout.ralph_dir().is_dir() {
        return Err(ArchiveError::NotSetUp { path: layout.ralph_dir() });
    }
    let _lock = RunLock::acquire(layout)?;
    let old = Contents::read(layout)?;
    if old.is_untouched() {
        return Err(ArchiveError::NothingToArchive);
    }
    let inspection = old.inspection();
    if !options.allow_unfinished {
        refuse_unfinished(inspection.as_ref())?;
    }

    let summary = Summary::of(inspection.as_ref(), old.progress_text(), today);
    let name = format!("{today}-{}", label(options, inspection.as_ref())?);
    let folder = store(&layout.root().join(FOLDER), &name, &old, &summary)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let memory = memory::archive_memory(layout, &name)
        .map_err(|(path, error)| ArchiveError::Reset { folder: folder.clone(), path, error })?;
    let values = next_template_values(layout, inspection.as_ref());
    let mut paths = reset(layout, &values, today, &folder)?;
    paths.extend(old.files.iter().map(|(name, _)| folder.join(name)));
    paths.push(folder.join(summary::FILE));

    let commit = match commit {
        None => CommitOutcome::NoRepository,
        Some(commit) => {
            let paths = paths.iter().filter_map(|path| from_root(layout, path)).collect();
            committed(commit, paths, &format!("chore: archive {name}"))
        }
    };
    let (folder, result) = (Path::new(FOLDER).join(name), summary.result());
    let branch = inspection.and_then(|inspection| Some(inspection.list?.branch_name));
    Ok(ArchiveReport { folder, result, memory, branch, merge_command: None, commit })
}

fn committed(commit: &mut Commit<'_>, paths: Vec<String>, message: &str) -> CommitOutcome {
    match commit(&paths, message) {
        Ok(()) => CommitOutcome::Committed { paths },
        Err(why) => CommitOutcome::Failed { why },
    }
}

fn refuse_unfinished(inspection: Option<&Inspection>) -> Result<(), ArchiveError> {
    let Some(inspection) = inspection else { return Err(ArchiveError::NoList) };
    match (&inspection.list, inspection.problems.first()) {
        (_, Some(problem)) => Err(ArchiveError::BrokenList { problem: problem.to_string() }),
        (Some(list), None) => {
            let open: Vec<String> = list
                .stories
                .iter()
                .filter(|story| !story.passes)
                .map(|story| story.id.to_string())
                .collect();
            let total = list.stories.len();
            if open.is_empty() { Ok(()) } else { Err(ArchiveError::Unfinished { open, total }) }
        }
        (None, None) => Err(ArchiveError::NoList),
    }
}

/// Writes the archive to a staging folder and renames it atomically.
fn store(
    archive: &Path,
    name: &str,
    old: &Contents,
    summary: &Summary,
) -> Result<PathBuf, ArchiveError> {
    let staging = archive.join(STAGING);
    let folder = free_folder(archive, name);
    let staged = stage(&staging, old, summary)
        .and_then(|()| fs::rename(&staging, &folder))
        .and_then(|()| sync_folder(archive));
    match staged {
        Ok(()) => Ok(folder),
        Err(error) => {
            // If this fails, the next archive removes it.
            let _ = fs::remove_dir_all(&staging);
            Err(ArchiveError::Write { path: folder, error })
        }
    }
}

fn stage(staging: &Path, old: &Contents, summary: &Summary) -> io::Result<()> {
    if staging.is_dir() {
        fs::remove_dir_all(staging)?;
    }
    fs::create_dir_all(staging)?;
    for (name, bytes) in &old.files {
        project::write_whole(&staging.join(name), bytes)?;
    }
    project::write_whole(&staging.join(summary::FILE), summary.to_string().as_bytes())
}

fn label(
    options: &ArchiveOptions,
    inspection: Option<&Inspection>,
) -> Result<String, ArchiveError> {
    if let Some(label) = &options.label {
        return slug(label).ok_or_else(|| ArchiveError::Label { label: label.clone() });
    }
    let list = inspection.and_then(|inspection| inspection.list.as_ref());
    let branch = list.map(|list| list.branch_name.as_str()).unwrap_or_default();
    Ok(slug(branch.strip_prefix("ralph/").unwrap_or(branch)).unwrap_or_else(|| "loop".to_owned()))
}

/// Adds a number if the name is taken.
fn free_folder(archive: &Path, name: &str) -> PathBuf {
    let named = |number: u32| match number {
        1 => archive.join(name),
        number => archive.join(format!("{name}-{number}")),
    };
    let taken = |path: &PathBuf| path.exists() || path.is_symlink();
    (1..).map(named).find(|path| !taken(path)).unwrap_or_else(|| named(0))
}

/// The next loop of the project keeps its name and checks.
fn next_template_values(layout: &Layout, inspection: Option<&Inspection>) -> TemplateValues {
    let fresh = default_template_values(layout.root());
    match inspection {
        Some(Inspection { list: Some(list), problems, .. }) if problems.is_empty() => {
            TemplateValues {
                project: list.project.clone(),
                verify_commands: list.verify_commands.clone(),
                ..fresh
            }
        }
        _ => fresh,
    }
}

/// Resets the archived files to their templates and keeps the user's prompt. Returns the written files.
fn reset(
    layout: &Layout,
    values: &TemplateValues,
    today: NaiveDate,
    folder: &Path,
) -> Result<Vec<PathBuf>, ArchiveError> {
    let at = |name: &str| layout.ralph_dir().join(name);
    let mut files = vec![
        (at(PRD), templates::PRD.to_owned()),
        (at(TASKS), values.tasks()),
        (at(PROGRESS), values.progress(today)),
    ];
    let prompt = at(PROMPT);
    if !prompt.exists() && !prompt.is_symlink() {
        files.push((prompt, templates::PROMPT.to_owned()));
    }
    let mut written = Vec::new();
    for (path, contents) in files {
        if let Err(error) = project::write_whole(&path, contents.as_bytes()) {
            return Err(ArchiveError::Reset { folder: folder.to_path_buf(), path, error });
        }
        written.push(path);
    }
    Ok(written)
}

/// The path for git, with links resolved; `None` outside the project.
fn from_root(layout: &Layout, path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let inside = real.strip_prefix(layout.root().canonicalize().ok()?).ok()?;
    Some(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Windows has no fsync for folders.
#[cfg(windows)]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
