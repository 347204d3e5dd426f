//! Checks of the user's files: settings, task list, .gitignore and write permissions.

use std::path::{Path, PathBuf};

use anyhow::Result;
use project::Layout;
use settings::LoadedSettings;
use tasks::Inspection;

use super::check::{Check, CheckId, Fix};
use crate::scaffold;
use crate::status::TaskFile;

const SHOWN_PROBLEMS: usize = 3;

pub(crate) fn judge_settings(loaded: Result<&LoadedSettings, &anyhow::Error>) -> Check {
    match loaded {
        Ok(loaded) => {
            let files: Vec<String> = loaded.files.iter().map(ToString::to_string).collect();
            match files.is_empty() {
                true => Check::ok(CheckId::Settings, "defaults (no settings file)"),
                false => Check::ok(CheckId::Settings, files.join(", ")),
            }
        }
        Err(error) => Check::refused(CheckId::Settings, error),
    }
}

/// The first path that a run must write and cannot.
pub(crate) fn look_at_writing(layout: &Layout) -> Option<PathBuf> {
    let places = [
        layout.root().to_path_buf(),
        layout.data_dir(),
        layout.lock(),
        layout.ralph_dir(),
        layout.tasks(),
    ];
    places.into_iter().find(|place| place.exists() && !can_be_written(place))
}

#[cfg(unix)]
fn can_be_written(place: &Path) -> bool {
    rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn can_be_written(place: &Path) -> bool {
    place.metadata().is_ok_and(|found| found.is_dir() || !found.permissions().readonly())
}

pub(crate) fn judge_writing(refused: Option<&Path>) -> Check {
    match refused {
        None => Check::ok(CheckId::Writable, "a run can write all its files"),
        Some(place) => {
            let found = format!("cannot write {}", place.display());
            let whose = format!("`ls -ld {}` shows the owner", super::quoted(place));
            let fix = Fix::todo(format!("give your user write permission: {whose}"));
            Check::problem(CheckId::Writable, found, fix)
        }
    }
}

pub(crate) fn judge_tasks(file: &TaskFile, layout: &Layout) -> Check {
    let name = layout.tasks_name();
    let validate = || Fix::run("ralph-loop validate");
    match file {
        TaskFile::Missing => {
            let found = format!("{name} not found: only prompt loops can run");
            Check::warning(CheckId::TaskList, found, Fix::run("ralph-loop init"))
        }
        TaskFile::Unreadable { why } => Check::problem(CheckId::TaskList, why, validate()),
        TaskFile::Inspected(Inspection { problems, .. }) if problems.is_empty() => {
            let stories = counted(file.stories(), "story", "stories");
            Check::ok(CheckId::TaskList, format!("{name}: {stories}, no problems"))
        }
        TaskFile::Inspected(Inspection { problems, .. }) => {
            let found = format!("{name} has {}", counted(problems.len(), "problem", "problems"));
            let shown = problems.iter().take(SHOWN_PROBLEMS).map(ToString::to_string);
            Check::problem(CheckId::TaskList, found, validate()).with_notes(shown)
        }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `gitignore` is the content of the file, empty if missing.
pub(crate) fn judge_ignored(gitignore: &[u8]) -> Check {
    match scaffold::extended_gitignore(gitignore).is_none() {
        true => Check::ok(CheckId::Ignored, "covers all files of runs"),
        false => {
            let found = "does not cover all files of runs";
            Check::warning(CheckId::Ignored, found, Fix::run("ralph-loop init"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_error::precondition;
    use crate::doctor::check::CheckState;

    #[test]
    fn broken_settings_are_shown_line_by_line() {
        let error = precondition("two problems:\n  a: no\n  b: no", "");
        let check = judge_settings(Err(&error));
        assert_eq!((check.state, check.found.as_str()), (CheckState::Problem, "two problems:"));
        assert_eq!(check.notes, ["a: no", "b: no"]);
    }

    fn judged(list: &str) -> Check {
        let file = TaskFile::Inspected(tasks::inspect(list.as_bytes()));
        judge_tasks(&file, &Layout::new("/p"))
    }

    #[test]
    fn a_list_with_problems_is_a_problem() {
        let check = judged(r#"{"project": 5}"#);
        assert_eq!(
            (check.state, check.fix),
            (CheckState::Problem, Some(Fix::run("ralph-loop validate")))
        );
        assert!(
            !check.notes.is_empty() && check.notes.len() <= SHOWN_PROBLEMS,
            "{:?}",
            check.notes
        );
        let unreadable = TaskFile::Unreadable { why: "no".into() };
        assert_eq!(judge_tasks(&unreadable, &Layout::new("/p")).state, CheckState::Problem);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "story", "stories"), "1 story");
        assert_eq!(counted(0, "story", "stories"), "0 stories");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_cannot_be_written_is_shown() {
        use std::os::unix::fs::PermissionsExt;
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(look_at_writing(&layout), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::set_permissions(layout.data_dir(), std::fs::Permissions::from_mode(0o555))
            .unwrap();
        // Root can write everywhere.
        let refused = (!rustix::process::getuid().is_root()).then(|| layout.data_dir());
        assert_eq!(look_at_writing(&layout), refused);
        let check = judge_writing(Some(Path::new("/p q/.ralph")));
        assert_eq!(check.state, CheckState::Problem);
        assert!(check.fix.unwrap().text().contains("`ls -ld '/p q/.ralph'`"));
    }

    #[test]
    fn a_missing_list_is_a_warning() {
        let check = judge_tasks(&TaskFile::Missing, &Layout::new("/p"));
        assert_eq!(check.state, CheckState::Warning);
        assert!(check.found.contains("ralph/tasks.json"), "{check:?}");
    }

    #[test]
    fn gitignore_must_cover_all_files_of_runs() {
        assert_eq!(judge_ignored(b"target/\n").state, CheckState::Warning);
        let all = ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/prompt-state.json\n\
                   .ralph/state.md\n.ralph/runs/\n.ralph/memory/\n.ralph/orders/\n.ralph/settings.local.json\n\
                   .ralph-tmp-*\n";
        assert_eq!(judge_ignored(all.as_bytes()).state, CheckState::Ok);
    }
}
