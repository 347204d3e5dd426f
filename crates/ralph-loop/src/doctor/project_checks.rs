//! The checks of the project, with the same rules as a run: its repository, the user's files (settings with the
//! webhook, task list, .gitignore, write permissions) and the files of runs.

use std::path::{Path, PathBuf};

use anyhow::Result;
use engine::{StartMode, StartPreconditions};
use project::Layout;
use settings::LoadedSettings;
use tasks::Inspection;

use super::check::{Check, CheckId, Fix};
use super::version::VersionOutput;
use super::{git, lanes, leftovers, proof};
use crate::preconditions::refuse_template;
use crate::programs::curl;
use crate::report::count;
use crate::status::TaskFile;
use crate::{resolve, scaffold};

const SHOWN_PROBLEMS: usize = 3;

/// `git` is the output of `git --version`.
pub(crate) fn look(
    layout: &Layout,
    loaded: Result<&LoadedSettings, &anyhow::Error>,
    git: &VersionOutput,
) -> Vec<Check> {
    if !layout.is_set_up() {
        let found = format!("not set up: {}", layout.root().display());
        let check = CheckId::Project.not_checked(found);
        return vec![check.with_fix(Fix::run("ralph-loop init"))];
    }
    let preconditions =
        StartPreconditions::of(layout, StartMode::Auto).map_err(anyhow::Error::from);
    let mut checks = match git {
        Ok(_) => git::judge(git::look(layout.root()).as_ref(), preconditions.as_ref().ok()),
        Err(_) => vec![CheckId::Repository.not_checked("git does not answer")],
    };
    let gitignore = layout.root().join(".gitignore");
    let gitignore = bounded_read::read_file(&gitignore, settings::SIZE_LIMIT).unwrap_or_default();
    checks.extend([
        judge_writing(look_at_writing(layout).as_deref()),
        judge_ignored(&gitignore),
        judge_settings(loaded),
    ]);
    checks.extend(loaded.ok().and_then(|loaded| judge_webhook(loaded, curl().as_deref())));
    let start = preconditions.as_ref().ok().filter(|_| git.is_ok());
    checks.push(task_list(layout, loaded.ok(), start));
    checks.extend(loaded.ok().and_then(|loaded| proof::look(layout, &loaded.settings)));
    checks.extend([
        leftovers::judge_lock(layout),
        leftovers::judge_marker(layout, preconditions.as_ref()),
        leftovers::judge_size(leftovers::size_of(&layout.data_dir(), leftovers::MOST_ENTRIES)),
    ]);
    let of_lanes = loaded.map(|loaded| lanes::look(layout, loaded, git)).unwrap_or_default();
    if !of_lanes.is_empty() {
        lanes::soften(&mut checks);
    }
    checks.extend(of_lanes);
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
        _ => return judge_tasks(&file, layout),
    };
    let branch = || preconditions?.refuse_branch(list.as_ref()?).err();
    let reviews = || {
        let settings = &loaded?.settings;
        let (review, at_cap) = (resolve::review_policy(settings), settings.review.at_cap);
        preconditions?.refuse_contradictions(list.as_ref()?, review, at_cap).err()
    };
    let of_engine = || branch().or_else(reviews).map(anyhow::Error::from);
    match refuse_template(layout).err().or_else(of_engine) {
        Some(error) => CheckId::TaskList.refused(&error),
        None => judge_tasks(&file, layout),
    }
}

fn judge_settings(loaded: Result<&LoadedSettings, &anyhow::Error>) -> Check {
    match loaded {
        Ok(loaded) => {
            let files: Vec<String> = loaded.files.iter().map(ToString::to_string).collect();
            let none = files.is_empty().then(|| "defaults (no settings file)".to_owned());
            CheckId::Settings.ok(none.unwrap_or_else(|| files.join(", ")))
        }
        Err(error) => CheckId::Settings.refused(error),
    }
}

/// The first path that a run must write and cannot.
fn look_at_writing(layout: &Layout) -> Option<PathBuf> {
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
pub(crate) fn can_be_written(place: &Path) -> bool {
    rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn can_be_written(place: &Path) -> bool {
    place.metadata().is_ok_and(|found| found.is_dir() || !found.permissions().readonly())
}

fn judge_writing(refused: Option<&Path>) -> Check {
    match refused {
        None => CheckId::Writable.ok("a run can write all its files"),
        Some(place) => {
            let found = format!("cannot write {}", place.display());
            let whose = format!("`ls -ld {}` shows the owner", super::quoted(place));
            let fix = Fix::todo(format!("give your user write permission: {whose}"));
            CheckId::Writable.problem(found, fix)
        }
    }
}

fn judge_tasks(file: &TaskFile, layout: &Layout) -> Check {
    let name = layout.tasks_name();
    let validate = || Fix::run("ralph-loop validate");
    match file {
        TaskFile::Missing => {
            let found = format!("{name} not found: only prompt loops can run");
            CheckId::TaskList.warning(found, Fix::run("ralph-loop init"))
        }
        TaskFile::Unreadable { why } => CheckId::TaskList.problem(why, validate()),
        TaskFile::Inspected(Inspection { problems, .. }) if problems.is_empty() => {
            let stories = count(file.stories() as u64, "story", "stories");
            CheckId::TaskList.ok(format!("{name}: {stories}, no problems"))
        }
        TaskFile::Inspected(Inspection { problems, .. }) => {
            let number = count(problems.len() as u64, "problem", "problems");
            let shown = problems.iter().take(SHOWN_PROBLEMS).map(ToString::to_string);
            CheckId::TaskList.problem(format!("{name} has {number}"), validate()).with_notes(shown)
        }
    }
}

/// `gitignore` is the content of the file, empty if missing.
fn judge_ignored(gitignore: &[u8]) -> Check {
    match scaffold::extended_gitignore(gitignore).is_none() {
        true => CheckId::Ignored.ok("covers all files of runs"),
        false => {
            let found = "does not cover all files of runs";
            CheckId::Ignored.warning(found, Fix::run("ralph-loop init"))
        }
    }
}

/// `None` without a webhook.
fn judge_webhook(loaded: &LoadedSettings, curl: Option<&Path>) -> Option<Check> {
    loaded.settings.notifications.webhook.as_ref()?;
    Some(match curl {
        Some(curl) => CheckId::Webhook.ok(format!("posted by {}", curl.display())),
        None => {
            let found = "a webhook is configured, but curl is not in PATH";
            CheckId::Webhook.warning(found, Fix::todo("install curl"))
        }
    })
}

#[cfg(test)]
mod tests {
    use settings::Flags;

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
                   .ralph/state.md\n.ralph/sync.json\n.ralph/runs/\n.ralph/memory/\n.ralph/orders/\n.ralph/settings.local.json\n\
                   .ralph-tmp-*\n";
        assert_eq!(judge_ignored(all.as_bytes()).state, CheckState::Ok);
    }

    #[test]
    fn a_webhook_needs_curl_and_nothing_else_does() {
        let none = Path::new("/nowhere/settings.json");
        let mut flags = Flags::new();
        let without = settings::load(none, none, &flags).unwrap();
        assert_eq!(judge_webhook(&without, None), None);
        flags.set("x", &["notifications", "webhook"], "https://example.com/hunter2");
        let with = settings::load(none, none, &flags).unwrap();
        let state = |curl| judge_webhook(&with, curl).map(|check| check.state);
        assert_eq!(state(None), Some(CheckState::Warning));
        assert_eq!(state(Some(Path::new("/usr/bin/curl"))), Some(CheckState::Ok));
        assert!(!format!("{:?}", judge_webhook(&with, None)).contains("hunter2"));
    }
}
