//! `archive`: a loop that is over is put away, and the ralph folder starts anew.
//!
//! Copy, sync, then reset: at every moment each file is either where it was or in the archive. Not
//! here: git itself, which the caller brings along; the command line.

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

use crate::scaffold::templates::{self, Subject};
use crate::scaffold::{fresh_subject, slug};
use contents::Contents;
use summary::Summary;

const FOLDER: &str = "ralph-archive";
/// Ignored by git, and by the next archive: what an interrupted one left.
const STAGING: &str = ".ralph-tmp-archive";

const PRD: &str = "prd.md";
const TASKS: &str = "tasks.json";
const PROGRESS: &str = "progress.txt";
const PROMPT: &str = "prompt.md";

#[derive(Debug, Clone)]
pub struct ArchiveOptions {
    pub layout: Layout,
    /// Names the folder; by default the branch of the task list does.
    pub label: Option<String>,
    pub unfinished: Unfinished,
}

/// What becomes of a list with stories that do not pass, or that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    Refuse,
    Archive,
}

/// Commits exactly these paths (from the project root, with `/`) under this message.
pub type Commit<'c> = dyn FnMut(&[String], &str) -> Result<(), String> + 'c;

/// Without `commit` there is no repository, and nothing is committed.
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
    if options.unfinished == Unfinished::Refuse {
        refuse_unfinished(inspection.as_ref())?;
    }

    let summary = Summary::of(inspection.as_ref(), old.progress_text(), today);
    let name = format!("{today}-{}", label(options, inspection.as_ref())?);
    let folder = store(&layout.root().join(FOLDER), &name, &old, &summary)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let memory = memory::put_away(layout, &name).map_err(|(path, error)| ArchiveError::Reset {
        folder: folder.clone(),
        path,
        error,
    })?;
    let subject = next_subject(layout, inspection.as_ref());
    let mut paths = reset(layout, &subject, today, &folder)?;
    paths.extend(old.files.iter().map(|(name, _)| folder.join(name)));
    paths.push(folder.join(summary::FILE));

    let commit = match commit {
        None => CommitOutcome::NoRepository,
        Some(commit) => {
            let paths = paths.iter().filter_map(|path| from_root(layout, path)).collect();
            committed(commit, paths, &format!("chore: archive {name}"))
        }
    };
    let (folder, standing) = (Path::new(FOLDER).join(name), summary.standing());
    let branch = inspection.and_then(|inspection| Some(inspection.list?.branch_name));
    Ok(ArchiveReport { folder, standing, memory, branch, take_over: None, commit })
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

/// Writes the archive under a name that nobody looks at, and gives it its own in one step.
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
            // The next archive clears it away if this one cannot.
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

/// With a number where the name is taken.
fn free_folder(archive: &Path, name: &str) -> PathBuf {
    let named = |number: u32| match number {
        1 => archive.join(name),
        number => archive.join(format!("{name}-{number}")),
    };
    let taken = |path: &PathBuf| path.exists() || path.is_symlink();
    (1..).map(named).find(|path| !taken(path)).unwrap_or_else(|| named(0))
}

/// The next loop of this project has the same name and the same checks.
fn next_subject(layout: &Layout, inspection: Option<&Inspection>) -> Subject {
    let fresh = fresh_subject(layout.root());
    match inspection {
        Some(Inspection { list: Some(list), problems, .. }) if problems.is_empty() => Subject {
            project: list.project.clone(),
            verify_commands: list.verify_commands.clone(),
            ..fresh
        },
        _ => fresh,
    }
}

/// What is in the archive now starts anew; the prompt stays as the user made it. Returns the files
/// that were written.
fn reset(
    layout: &Layout,
    subject: &Subject,
    today: NaiveDate,
    folder: &Path,
) -> Result<Vec<PathBuf>, ArchiveError> {
    let at = |name: &str| layout.ralph_dir().join(name);
    let mut files = vec![
        (at(PRD), templates::PRD.to_owned()),
        (at(TASKS), subject.tasks()),
        (at(PROGRESS), subject.progress(today)),
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

/// As git names it: links are followed; what lies outside the project is not there.
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
