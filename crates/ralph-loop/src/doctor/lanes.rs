//! Checks of a run in clones: their folder, what prepares them, and what they do not have.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::LaneOptions;
use project::Layout;
use settings::LoadedSettings;
use vcs::WorkTree;

use super::check::{Check, CheckId, CheckState, Fix};
use super::disk::{LEAST_FREE, shown};
use super::project_checks::can_be_written;
use super::version::{Version, VersionOutput};
use crate::command_error::first_five;
use crate::status::TaskFile;
use crate::{programs, resolve, scaffold};

/// For `git merge-tree --write-tree`, which merges approved work.
const NEEDED: &str = "2.38";

const GIT_TIMEOUT: Duration = Duration::from_secs(30);

/// Each pattern is one call of git.
const MOST_PATTERNS: usize = 50;

/// Words at the start of a command that the shell runs itself.
const OF_SHELL: &str = "cd . source export set unset eval exec command test [ [[ if for while until case : true false \
                        echo printf umask ulimit trap ( {";

/// Empty if the run works in the user's work tree.
pub(crate) fn look(layout: &Layout, loaded: &LoadedSettings, git: &VersionOutput) -> Vec<Check> {
    let lanes = match resolve::lanes(loaded, layout, None) {
        Ok(Some(lanes)) => lanes,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![CheckId::LanesDir.refused(&error)],
    };
    let mut checks: Vec<Check> = judge_git(git).into_iter().collect();
    // Reported as a problem of the repository.
    let Ok(tree) = WorkTree::open(layout.root()) else { return checks };
    let is_installed = |program: &str| programs::is_installed(program, layout.root());
    let gitmodules = std::fs::read_to_string(tree.top().join(".gitmodules")).unwrap_or_default();
    checks.extend([
        judge_dir(&lanes, existing(&lanes.dir), tracked_bytes(&tree, layout)),
        judge_setup(&lanes.setup, is_installed),
        include(layout, &tree),
    ]);
    checks.extend(branch(layout, &tree));
    checks.extend(judge_submodules(&gitmodules));
    checks
}

/// Uncommitted files do not stop such a run, but it does not see them.
pub(crate) fn soften(checks: &mut [Check]) {
    let refused =
        |check: &&mut Check| check.id == CheckId::Uncommitted && check.state == CheckState::Problem;
    for check in checks.iter_mut().filter(refused) {
        check.state = CheckState::Warning;
        check.found = "uncommitted changes are not in the clones".into();
        check.fix = Some(Fix::todo("commit what the stories need"));
    }
}

fn judge_git(output: &VersionOutput) -> Option<Check> {
    let found = Version::of(output.as_ref().ok()?)?;
    let fix = Fix::todo("install a newer git from https://git-scm.com, or work without clones");
    let what = format!("{found}, but a run in clones needs {NEEDED}");
    found.is_before(NEEDED).then(|| CheckId::Git.problem(what, fix).about("git for lanes"))
}

/// The folder itself, or the nearest one above it.
fn existing(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder).to_path_buf()
}

/// `None` if git cannot list the files.
fn tracked_bytes(tree: &WorkTree, layout: &Layout) -> Option<u64> {
    let tracked = tree.tracked(Instant::now() + GIT_TIMEOUT).ok()?;
    let size = |path: &String| vcs::on_disk(layout.root(), path).symlink_metadata().ok();
    Some(tracked.iter().filter_map(size).map(|found| found.len()).sum())
}

fn judge_dir(lanes: &LaneOptions, existing: PathBuf, tracked: Option<u64>) -> Check {
    let dir = lanes.dir.display();
    if !can_be_written(&existing) {
        let found = format!("cannot write {}", existing.display());
        let fix = Fix::todo("choose another folder with lanes.dir or --lanes-dir");
        return CheckId::LanesDir.problem(found, fix);
    }
    let needed = tracked.map(|bytes| bytes.saturating_mul(lanes.jobs.saturating_add(1)));
    let (Some(needed), Ok(free)) = (needed, fs2::available_space(&existing)) else {
        return CheckId::LanesDir.ok(dir.to_string());
    };
    judge_space(lanes, needed, free)
}

/// `needed` is the size of the tracked files in every clone.
fn judge_space(lanes: &LaneOptions, needed: u64, free: u64) -> Check {
    let dir = lanes.dir.display();
    let fix = Fix::todo(
        "free disk space, use fewer jobs, or choose another disk with lanes.dir; \
         `ralph-loop lanes prune` removes clones of earlier runs",
    );
    let clones = lanes.jobs.saturating_add(1);
    let found = format!(
        "{} free for {dir}; the files of {clones} clones need {}",
        shown(free),
        shown(needed)
    );
    if free < needed {
        CheckId::LanesDir.problem(found, fix)
    } else if free < needed.saturating_add(LEAST_FREE) {
        CheckId::LanesDir.warning(found, fix)
    } else {
        CheckId::LanesDir.ok(found)
    }
}

fn judge_setup(commands: &[String], is_installed: impl Fn(&str) -> bool) -> Check {
    if commands.is_empty() {
        return CheckId::LanesSetup.ok("no setup commands (lanes.setup)");
    }
    let programs = commands.iter().filter_map(|command| program(command));
    let missing: Vec<String> = programs.filter(|program| !is_installed(program)).collect();
    if missing.is_empty() {
        return CheckId::LanesSetup.ok(commands.join("; "));
    }
    let found = format!("not in PATH: {}", missing.join(", "));
    let fix = Fix::todo("install it, or change lanes.setup in .ralph/settings.json");
    CheckId::LanesSetup.warning(found, fix)
}

/// The program that a shell command starts first, if that is certain.
fn program(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    let is_assignment = |word: &String| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let first = words.into_iter().find(|word| !is_assignment(word))?;
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    let is_of_shell = OF_SHELL.split_whitespace().any(|word| word == first);
    (first.chars().all(is_plain) && !is_of_shell).then_some(first)
}

fn include(layout: &Layout, tree: &WorkTree) -> Check {
    let file = layout.root().join(scaffold::WORKTREE_INCLUDE);
    let Ok(bytes) = bounded_read::read_file(&file, settings::SIZE_LIMIT) else {
        return judge_no_include(&scaffold::proposed_include(layout.root()));
    };
    let text = String::from_utf8_lossy(&bytes);
    let patterns = text.lines().map(str::trim);
    let patterns = patterns.filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
    let patterns: Vec<&str> = patterns.take(MOST_PATTERNS).collect();
    let matches = |pattern: &str| {
        let list = tempfile::NamedTempFile::new().ok()?;
        std::fs::write(list.path(), pattern).ok()?;
        let found = tree.ignored_and_listed(list.path(), Instant::now() + GIT_TIMEOUT).ok()?;
        Some(!found.is_empty())
    };
    let useless = |pattern: &&&str| matches(pattern) == Some(false);
    let useless: Vec<&str> = patterns.iter().filter(useless).copied().collect();
    judge_include(patterns.len(), &useless)
}

fn judge_include(patterns: usize, useless: &[&str]) -> Check {
    if useless.is_empty() {
        let number = if patterns == 1 { "1 pattern" } else { &*format!("{patterns} patterns") };
        return CheckId::LanesFiles.ok(format!("{number}, each of which matches ignored files"));
    }
    let found =
        format!("these patterns match no ignored file: {}", first_five(useless.iter().copied()));
    let fix = Fix::todo("create the files, or remove the patterns; committed files need none");
    CheckId::LanesFiles.warning(found, fix)
}

/// For a project without the file.
fn judge_no_include(proposed: &[String]) -> Check {
    if proposed.is_empty() {
        return CheckId::LanesFiles.ok("no ignored files are copied into the clones");
    }
    let names = first_five(proposed.iter().map(String::as_str));
    let found = format!("the clones do not have these ignored files: {names}");
    let fix = format!("list those that the work needs in {}", scaffold::WORKTREE_INCLUDE);
    CheckId::LanesFiles.warning(found, Fix::todo(fix))
}

/// `None` if the list cannot be read, which is another check.
fn branch(layout: &Layout, tree: &WorkTree) -> Option<Check> {
    let TaskFile::Inspected(inspection) = TaskFile::read(layout) else { return None };
    let branch = inspection.list?.branch_name;
    let folder = tree.work_tree_on(&branch, Instant::now() + GIT_TIMEOUT).ok()?;
    Some(judge_branch(&branch, folder.as_deref()))
}

fn judge_branch(branch: &str, folder: Option<&str>) -> Check {
    let Some(folder) = folder else {
        return CheckId::LanesBranch.ok(format!("{branch} is not checked out"));
    };
    let found = format!("{branch} is checked out in {folder}, so a run in clones cannot move it");
    let fix = format!("git -C {} switch --detach", super::quoted(folder));
    CheckId::LanesBranch.problem(found, Fix::run(fix))
}

/// `None` without submodules.
fn judge_submodules(gitmodules: &str) -> Option<Check> {
    let submodules =
        gitmodules.lines().filter(|line| line.trim_start().starts_with("[submodule ")).count();
    let found = format!("{submodules} in .gitmodules; in the clones their folders are empty");
    let fix = "if the work needs them, add `git submodule update --init` to lanes.setup; \
               it needs the network and absolute URLs";
    (submodules > 0).then(|| CheckId::LanesSubmodules.warning(found, Fix::todo(fix)))
}

#[cfg(test)]
mod tests;
