//! What the user has written for a run: settings, the task list, what git leaves out.

use std::path::{Path, PathBuf};

use anyhow::Result;
use project::Layout;
use settings::Loaded;
use tasks::Inspection;

use super::check::{Check, Fix, Id};
use crate::scaffold;
use crate::status::TaskFile;

const SHOWN_PROBLEMS: usize = 3;

pub(crate) fn judge_settings(loaded: Result<&Loaded, &anyhow::Error>) -> Check {
    match loaded {
        Ok(loaded) => {
            let files: Vec<String> = loaded.files.iter().map(ToString::to_string).collect();
            match files.is_empty() {
                true => Check::ok(Id::Settings, "as they come: there is no settings file"),
                false => Check::ok(Id::Settings, files.join(", ")),
            }
        }
        Err(error) => Check::refused(Id::Settings, error),
    }
}

/// What of these cannot be written, among the files and folders that a run writes to.
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
        None => Check::ok(Id::Writable, "a run can write where it has to"),
        Some(place) => {
            let found = format!("{} cannot be written", place.display());
            let whose = format!("`ls -ld {}` says whose it is", super::quoted(place));
            let fix = Fix::todo(format!("let your user write there: {whose}"));
            Check::problem(Id::Writable, found, fix)
        }
    }
}

pub(crate) fn judge_tasks(file: &TaskFile, layout: &Layout) -> Check {
    let name = layout.tasks_name();
    let validate = || Fix::run("ralph-loop validate");
    match file {
        TaskFile::Missing => {
            let found = format!("there is no {name}: only prompt loops can run");
            Check::warning(Id::TaskList, found, Fix::run("ralph-loop init"))
        }
        TaskFile::Unreadable { why } => Check::problem(Id::TaskList, why, validate()),
        TaskFile::Inspected(Inspection { problems, .. }) if problems.is_empty() => {
            let stories = counted(file.stories(), "story", "stories");
            Check::ok(Id::TaskList, format!("{name}: {stories}, no problems"))
        }
        TaskFile::Inspected(Inspection { problems, .. }) => {
            let found = format!("{name} has {}", counted(problems.len(), "problem", "problems"));
            let shown = problems.iter().take(SHOWN_PROBLEMS).map(ToString::to_string);
            Check::problem(Id::TaskList, found, validate()).with_notes(shown)
        }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `gitignore` as it lies on disk; empty where there is none.
pub(crate) fn judge_ignored(gitignore: &[u8]) -> Check {
    match scaffold::extended_gitignore(gitignore).is_none() {
        true => Check::ok(Id::Ignored, "knows what a run leaves behind"),
        false => {
            let found = "does not know all that a run leaves behind";
            Check::warning(Id::Ignored, found, Fix::run("ralph-loop init"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_error::precondition;
    use crate::doctor::check::State;

    #[test]
    fn broken_settings_are_told_line_by_line() {
        let error = precondition("two problems:\n  a: no\n  b: no", "");
        let check = judge_settings(Err(&error));
        assert_eq!((check.state, check.found.as_str()), (State::Problem, "two problems:"));
        assert_eq!(check.notes, ["a: no", "b: no"]);
    }

    fn judged(list: &str) -> Check {
        let file = TaskFile::Inspected(tasks::inspect(list.as_bytes()));
        judge_tasks(&file, &Layout::new("/p"))
    }

    #[test]
    fn a_list_with_problems_stands_in_the_way_and_is_to_be_validated() {
        let check = judged(r#"{"project": 5}"#);
        assert_eq!(
            (check.state, check.fix),
            (State::Problem, Some(Fix::run("ralph-loop validate")))
        );
        assert!(
            !check.notes.is_empty() && check.notes.len() <= SHOWN_PROBLEMS,
            "{:?}",
            check.notes
        );
        let unreadable = TaskFile::Unreadable { why: "no".into() };
        assert_eq!(judge_tasks(&unreadable, &Layout::new("/p")).state, State::Problem);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "story", "stories"), "1 story");
        assert_eq!(counted(0, "story", "stories"), "0 stories");
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_written_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(look_at_writing(&layout), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::set_permissions(layout.data_dir(), std::fs::Permissions::from_mode(0o555))
            .unwrap();
        // Nothing is closed to root.
        let refused = (!rustix::process::getuid().is_root()).then(|| layout.data_dir());
        assert_eq!(look_at_writing(&layout), refused);
        let check = judge_writing(Some(Path::new("/p q/.ralph")));
        assert_eq!(check.state, State::Problem);
        assert!(check.fix.unwrap().text().contains("`ls -ld '/p q/.ralph'`"));
    }

    #[test]
    fn without_a_list_other_loops_can_still_run() {
        let check = judge_tasks(&TaskFile::Missing, &Layout::new("/p"));
        assert_eq!(check.state, State::Warning);
        assert!(check.found.contains("ralph/tasks.json"), "{check:?}");
    }

    #[test]
    fn what_git_should_not_see_has_to_be_in_gitignore() {
        assert_eq!(judge_ignored(b"target/\n").state, State::Warning);
        let all = ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/prompt-state.json\n\
                   .ralph/state.md\n.ralph/runs/\n.ralph/memory/\n.ralph/orders/\n.ralph/settings.local.json\n\
                   .ralph-tmp-*\n";
        assert_eq!(judge_ignored(all.as_bytes()).state, State::Ok);
    }
}
