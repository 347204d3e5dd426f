//! The checks of the project, with the same rules as a run.

use anyhow::Result;
use engine::{StartMode, StartPreconditions};
use project::Layout;
use settings::LoadedSettings;

use super::ask::VersionOutput;
use super::check::{Check, CheckId, Fix};
use super::{git, leftovers, project_files, webhook};
use crate::preconditions::refuse_template;
use crate::programs::curl;
use crate::resolve;
use crate::status::TaskFile;

/// `git` is the output of `git --version`.
pub(crate) fn look(
    layout: &Layout,
    loaded: Result<&LoadedSettings, &anyhow::Error>,
    git: &VersionOutput,
) -> Vec<Check> {
    if !layout.is_set_up() {
        let found = format!("not set up: {}", layout.root().display());
        let check = Check::not_checked(CheckId::Project, found);
        return vec![check.with_fix(Fix::run("ralph-loop init"))];
    }
    let preconditions =
        StartPreconditions::of(layout, StartMode::Auto).map_err(anyhow::Error::from);
    let mut checks = match git {
        Ok(_) => git::judge(git::look(layout.root()).as_ref(), preconditions.as_ref().ok()),
        Err(_) => vec![Check::not_checked(CheckId::Repository, "git does not answer")],
    };
    let gitignore = layout.root().join(".gitignore");
    let gitignore = bounded_read::read_file(&gitignore, settings::SIZE_LIMIT).unwrap_or_default();
    let holder = leftovers::look_at_lock(layout);
    let mark = leftovers::look_at_marker(layout);
    checks.extend([
        project_files::judge_writing(project_files::look_at_writing(layout).as_deref()),
        project_files::judge_ignored(&gitignore),
        project_files::judge_settings(loaded),
    ]);
    checks.extend(loaded.ok().and_then(|loaded| webhook::judge(loaded, curl().as_deref())));
    checks.extend([
        task_list(layout, loaded.ok(), preconditions.as_ref().ok().filter(|_| git.is_ok())),
        leftovers::judge_lock(holder),
        leftovers::judge_marker(mark, holder, preconditions.as_ref()),
        leftovers::judge_size(leftovers::size_of(&layout.data_dir())),
    ]);
    checks
}

/// Problems of the file, else the reason why a run would refuse it.
fn task_list(
    layout: &Layout,
    loaded: Option<&LoadedSettings>,
    preconditions: Option<&StartPreconditions<'_>>,
) -> Check {
    let file = TaskFile::read(layout);
    let list = match &file {
        TaskFile::Inspected(inspection) if inspection.problems.is_empty() => &inspection.list,
        _ => return project_files::judge_tasks(&file, layout),
    };
    let branch = || preconditions?.refuse_branch(list.as_ref()?).err();
    let reviews = || {
        let settings = &loaded?.settings;
        let (review, at_cap) = (resolve::review_policy(settings), settings.review.at_cap);
        preconditions?.refuse_contradictions(list.as_ref()?, review, at_cap).err()
    };
    let of_engine = || branch().or_else(reviews).map(anyhow::Error::from);
    match refuse_template(layout).err().or_else(of_engine) {
        Some(error) => Check::refused(CheckId::TaskList, &error),
        None => project_files::judge_tasks(&file, layout),
    }
}
