//! `archive`: moves a finished loop to the archive and resets the ralph folder.
//!
//! Copy, sync, then reset: at every moment each file is in its place or in the archive.

mod archive_report;
mod contents;
mod memory;
mod summary;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use chrono::NaiveDate;
use engine::LastRun;
use project::{Layout, RunLock};
use tasks::{Inspection, TaskList};
use vcs::WorkTree;

use crate::command_error::{first_five, precondition};
use crate::run_report::merge_commands;
use crate::scaffold::templates::{self, TemplateValues};
use crate::scaffold::{default_template_values, slug};
use archive_report::ArchiveReport;
use contents::Contents;
use summary::Summary;

const FOLDER: &str = "ralph-archive";
/// Ignored by git. An interrupted archive leaves it, the next one removes it.
const STAGING: &str = ".ralph-tmp-archive";

const GIT_TIMEOUT: Duration = Duration::from_secs(60);

const PRD: &str = "prd.md";
const TASKS: &str = "tasks.json";
const PROGRESS: &str = "progress.txt";
const PROMPT: &str = "prompt.md";

#[derive(Debug, Clone)]
pub(crate) struct ArchiveOptions {
    pub(crate) layout: Layout,
    /// Name of the folder; default: the branch of the task list.
    pub(crate) label: Option<String>,
    /// Whether to archive a list with open stories, or an unreadable one.
    pub(crate) allow_unfinished: bool,
}

/// `tree` is `None` without a repository.
pub(crate) fn archive(
    options: &ArchiveOptions,
    today: NaiveDate,
    tree: Option<&WorkTree>,
) -> Result<ArchiveReport> {
    let layout = &options.layout;
    if !layout.ralph_dir().is_dir() {
        bail!("no loop found: {} is not a folder", layout.ralph_dir().display());
    }
    let last = engine::last_run(layout);
    let _lock = RunLock::acquire(layout)?;
    let old = Contents::read(layout)?;
    if old.is_untouched() {
        bail!("nothing to archive: the ralph folder is unchanged since `ralph-loop init`");
    }
    let inspection = old.inspection();
    if !options.allow_unfinished {
        refuse_unfinished(&inspection)?;
    }

    let summary = Summary::of(&inspection, &old.progress_text(), today);
    let name = format!("{today}-{}", label(options, inspection.list.as_ref())?);
    let folder = store(&layout.root().join(FOLDER), &name, &old, &summary)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let no_reset = |path: &Path, error| {
        let (folder, path) = (folder.display(), path.display());
        anyhow!("all files are in {folder}, but {path} cannot be reset: {error}")
    };
    let memory =
        memory::archive_memory(layout, &name).map_err(|(path, error)| no_reset(&path, error))?;
    let values = next_template_values(layout, &inspection);
    let mut paths = Vec::new();
    for (path, contents) in new_files(layout, &values, today) {
        project::write_whole(&path, contents.as_bytes()).map_err(|error| no_reset(&path, error))?;
        paths.push(path);
    }
    paths.extend(old.files.iter().map(|(name, _)| folder.join(name)));
    paths.push(folder.join(summary::FILE));

    let commit = tree.map(|tree| {
        let paths: Vec<_> = paths.iter().filter_map(|path| from_root(layout, path)).collect();
        let message = format!("chore: archive {name}");
        let committed = tree.commit_paths(&paths, &message, Instant::now() + GIT_TIMEOUT);
        committed.map(|_| paths).map_err(|error| error.to_string())
    });
    let branch = inspection.list.as_ref().map(|list| list.branch_name.as_str());
    let merge_command = tree.zip(branch).and_then(|(tree, branch)| merge(tree, branch, last));
    let (folder, result) = (layout.name_of(&folder), summary.result());
    Ok(ArchiveReport { folder, result, memory, merge_command, commit })
}

/// Shell commands that merge the list's branch into the branch where the last run began, or the default branch.
fn merge(tree: &WorkTree, branch: &str, last: Option<LastRun>) -> Option<String> {
    let deadline = Instant::now() + GIT_TIMEOUT;
    // The list can name a branch that no run has created.
    let tip = tree.branch_tip(branch, deadline).ok().flatten()?;
    let known = last.filter(|last| last.branch == branch).and_then(|last| last.base);
    let base = known.or_else(|| tree.default_branch(deadline).ok().flatten())?;
    let merged_into = tree.branch_tip(&base, deadline).ok().flatten();
    if merged_into.is_some_and(|into| tree.is_ancestor(&tip, &into, deadline).unwrap_or(false)) {
        return None;
    }
    merge_commands(branch, Some(&base)).map(|commands| commands.join(" && "))
}

fn refuse_unfinished(inspection: &Inspection) -> Result<()> {
    let unknown = |what: String| {
        let hint =
            "see `ralph-loop validate`, or archive as is with `ralph-loop archive --unfinished`";
        Err(precondition(what, hint))
    };
    if let Some(problem) = inspection.problems.first() {
        return unknown(format!(
            "cannot determine from tasks.json whether the loop is finished: {problem}"
        ));
    }
    let Some(list) = &inspection.list else {
        return unknown(
            "cannot determine whether the loop is finished: tasks.json not found".to_owned(),
        );
    };
    let open: Vec<&str> =
        list.stories.iter().filter(|story| !story.passes).map(|story| story.id.as_str()).collect();
    if open.is_empty() {
        return Ok(());
    }
    let (count, total) = (open.len(), list.stories.len());
    Err(precondition(
        format!("{count} of {total} stories do not pass yet: {}", first_five(open)),
        "finish them with `ralph-loop`, or archive as is with `ralph-loop archive --unfinished`",
    ))
}

/// Writes the archive to a staging folder and renames it atomically.
fn store(archive: &Path, name: &str, old: &Contents, summary: &Summary<'_>) -> Result<PathBuf> {
    let staging = archive.join(STAGING);
    let folder = free_folder(archive, name);
    let staged = stage(&staging, old, summary)
        .and_then(|()| fs::rename(&staging, &folder))
        .and_then(|()| sync_folder(archive));
    if let Err(error) = staged {
        // If this fails, the next archive removes it.
        let _ = fs::remove_dir_all(&staging);
        let folder = folder.display();
        bail!("cannot write {folder}: {error}; nothing was changed in the ralph folder");
    }
    Ok(folder)
}

fn stage(staging: &Path, old: &Contents, summary: &Summary<'_>) -> io::Result<()> {
    if staging.is_dir() {
        fs::remove_dir_all(staging)?;
    }
    fs::create_dir_all(staging)?;
    for (name, bytes) in &old.files {
        project::write_whole(&staging.join(name), bytes)?;
    }
    project::write_whole(&staging.join(summary::FILE), summary.to_string().as_bytes())
}

fn label(options: &ArchiveOptions, list: Option<&TaskList>) -> Result<String> {
    if let Some(label) = &options.label {
        return slug(label)
            .ok_or_else(|| anyhow!("{label:?} contains no letter or digit for a folder name"));
    }
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
fn next_template_values(layout: &Layout, inspection: &Inspection) -> TemplateValues {
    let mut values = default_template_values(layout.root());
    if let (Some(list), []) = (&inspection.list, &inspection.problems[..]) {
        values.project.clone_from(&list.project);
        values.verify_commands.clone_from(&list.verify_commands);
    }
    values
}

/// The templates that replace the archived files. The user's prompt stays.
fn new_files(layout: &Layout, values: &TemplateValues, today: NaiveDate) -> Vec<(PathBuf, String)> {
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
    files
}

/// The path for git, with links resolved; `None` outside the project.
fn from_root(layout: &Layout, path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let inside = real.strip_prefix(layout.root().canonicalize().ok()?).ok()?;
    Some(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Windows has no fsync for folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}
