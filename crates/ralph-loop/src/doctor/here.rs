//! The project that a run would begin in, asked with the run's own rules.

use anyhow::Result;
use engine::{Beginning, Start};
use project::Layout;
use settings::Loaded;

use super::ask::Said;
use super::check::{Check, Fix, Id};
use super::{git, leftovers, project_files, webhook};
use crate::preconditions::refuse_template;
use crate::programs::curl;
use crate::resolve;
use crate::status::TaskFile;

/// `git` is what it said about its version.
pub(crate) fn look(
    layout: &Layout,
    loaded: Result<&Loaded, &anyhow::Error>,
    git: &Said,
) -> Vec<Check> {
    if !layout.is_set_up() {
        let found = format!("none here yet: {}", layout.root().display());
        let check = Check::not_checked(Id::Project, found);
        return vec![check.with_fix(Fix::run("ralph-loop init"))];
    }
    let beginning = Beginning::of(layout, Start::Auto).map_err(anyhow::Error::from);
    let mut checks = match git {
        Ok(_) => git::judge(git::look(layout.root()).as_ref(), beginning.as_ref().ok()),
        Err(_) => vec![Check::not_checked(Id::Repository, "git does not answer")],
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
        task_list(layout, loaded.ok(), beginning.as_ref().ok().filter(|_| git.is_ok())),
        leftovers::judge_lock(holder),
        leftovers::judge_marker(mark, holder, beginning.as_ref()),
        leftovers::judge_size(leftovers::size_of(&layout.data_dir())),
    ]);
    checks
}

/// What is wrong with the file, and else what a run would not take of it.
fn task_list(layout: &Layout, loaded: Option<&Loaded>, beginning: Option<&Beginning<'_>>) -> Check {
    let file = TaskFile::read(layout);
    let list = match &file {
        TaskFile::Inspected(inspection) if inspection.problems.is_empty() => &inspection.list,
        _ => return project_files::judge_tasks(&file, layout),
    };
    let branch = || beginning?.refuse_branch(list.as_ref()?).err();
    let reviews = || {
        let settings = &loaded?.settings;
        let (review, at_cap) = (resolve::review_policy(settings), resolve::at_review_cap(settings));
        beginning?.refuse_contradictions(list.as_ref()?, review, at_cap).err()
    };
    let of_engine = || branch().or_else(reviews).map(anyhow::Error::from);
    match refuse_template(layout).err().or_else(of_engine) {
        Some(error) => Check::refused(Id::TaskList, &error),
        None => project_files::judge_tasks(&file, layout),
    }
}
