//! What the user has written for a run: settings, the task list, what git leaves out.

use project::Layout;
use settings::Loaded;
use tasks::Inspection;

use super::check::{Check, Fix, Id};
use crate::command_error::CommandError;
use crate::scaffold;
use crate::status::TaskFile;

const SHOWN_PROBLEMS: usize = 3;

pub(crate) fn judge_settings(loaded: Result<&Loaded, &CommandError>) -> Check {
    match loaded {
        Ok(loaded) => {
            let files: Vec<String> = loaded.files.iter().map(ToString::to_string).collect();
            match files.is_empty() {
                true => Check::ok(Id::Settings, "as they come: there is no settings file"),
                false => Check::ok(Id::Settings, files.join(", ")),
            }
        }
        Err(error) => {
            let text = error.to_string();
            let mut lines = text.lines().map(|line| line.trim().to_owned());
            let first = lines.next().unwrap_or_default();
            let fix = Fix::todo(error.hint().unwrap_or_default());
            Check::problem(Id::Settings, first, fix).with_notes(lines)
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
            let open = format!("{name}: {} stories, no problems", file.stories());
            Check::ok(Id::TaskList, open)
        }
        TaskFile::Inspected(Inspection { problems, .. }) => {
            let found = format!("{name} has {} problems", problems.len());
            let shown = problems.iter().take(SHOWN_PROBLEMS).map(ToString::to_string);
            Check::problem(Id::TaskList, found, validate()).with_notes(shown)
        }
    }
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
    use crate::doctor::check::State;

    #[test]
    fn broken_settings_are_told_line_by_line() {
        let error = CommandError::precondition("two problems:\n  a: no\n  b: no", "");
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
    fn without_a_list_other_loops_can_still_run() {
        let check = judge_tasks(&TaskFile::Missing, &Layout::new("/p"));
        assert_eq!(check.state, State::Warning);
        assert!(check.found.contains("ralph/tasks.json"), "{check:?}");
    }

    #[test]
    fn what_git_should_not_see_has_to_be_in_gitignore() {
        assert_eq!(judge_ignored(b"target/\n").state, State::Warning);
        let all = ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/prompt-state.json\n\
                   .ralph/state.md\n.ralph/runs/\n.ralph/memory/\n.ralph/settings.local.json\n\
                   .ralph-tmp-*\n";
        assert_eq!(judge_ignored(all.as_bytes()).state, State::Ok);
    }
}
