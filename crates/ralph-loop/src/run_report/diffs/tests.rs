use std::path::Path;

use events::samples::{
    a_prompt_loop, a_run, a_run_with_failures, iteration_ended, iteration_started, stamped,
};
use events::{IterationStatus, LoopEvent, Stamped};
use html_report::DiffLine;
use tasks::Mode;

use super::*;

struct Repository {
    dir: assert_fs::TempDir,
    /// A story run whose iterations all belong to US-002.
    events: Vec<Stamped>,
    iterations: u64,
}

impl Repository {
    fn new() -> Self {
        let dir = assert_fs::TempDir::new().unwrap();
        test_repo::init(dir.path());
        let repository = Self { dir, events: a_run()[..1].to_vec(), iterations: 2 };
        repository.write("src/old.rs", "fn a_line_of_some_length() {}\n".repeat(20));
        repository.write("gone.txt", "gone\n");
        test_repo::commit_all(repository.path());
        repository
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// An iteration that does `work` and commits it.
    fn iterate(&mut self, work: impl FnOnce(&Self)) {
        let before = test_repo::git(self.path(), &["rev-parse", "HEAD"]);
        work(self);
        let after = test_repo::commit_all(self.path());
        self.record(&before, &after);
    }

    fn record(&mut self, before: &str, after: &str) {
        self.iterations += 1;
        let number = self.iterations;
        let mut started = iteration_started(number, 1, Mode::Implement);
        let mut ended = iteration_ended(number, Mode::Implement, IterationStatus::Accepted);
        if let LoopEvent::IterationStarted(events::IterationStarted { checkpoint, .. }) =
            &mut started
        {
            *checkpoint = before.to_owned();
        }
        if let LoopEvent::IterationEnded(events::IterationEnded { commit, .. }) = &mut ended {
            *commit = Some(after.to_owned());
        }
        self.events.extend([stamped(1, started), stamped(2, ended)]);
    }

    fn diffs(&self) -> Diffs {
        diffs(&Layout::new(self.path()), &RunView::of(&self.events))
    }
}

/// The files of the only range.
fn files(diffs: &Diffs) -> &[FileDiff] {
    assert_eq!((diffs.stories.len(), diffs.stories[0].ranges.len()), (1, 1), "{diffs:#?}");
    &diffs.stories[0].ranges[0].files
}

fn file<'d>(diffs: &'d Diffs, path: &str) -> &'d FileDiff {
    files(diffs).iter().find(|file| file.path == path).unwrap()
}

#[test]
fn consecutive_iterations_are_one_change_without_the_runners_files() {
    let mut repository = Repository::new();
    repository.iterate(|all| {
        std::fs::rename(all.path().join("src/old.rs"), all.path().join("src/new.rs")).unwrap();
        all.write("ralph/progress.txt", "noise");
    });
    repository.iterate(|all| {
        std::fs::remove_file(all.path().join("gone.txt")).unwrap();
        all.write("a \"b\".txt", "x\n");
    });
    let diffs = repository.diffs();
    let shown: Vec<_> =
        files(&diffs).iter().map(|file| (file.path.as_str(), file.was.as_deref())).collect();
    assert_eq!(
        shown,
        [("a \"b\".txt", None), ("gone.txt", None), ("src/new.rs", Some("src/old.rs"))]
    );
    assert_eq!(diffs.stories[0].ranges[0].iterations, [3, 4]);
    let FileText::Lines { shown, .. } = &file(&diffs, "gone.txt").text else { unreachable!() };
    assert_eq!(
        shown[..],
        [DiffLine::HunkHeader("@@ -1 +0,0 @@".into()), DiffLine::Removed("gone".into())]
    );
    assert_eq!(diffs.stories[0].counts(), (3, 1, 1));
}

fn added(file: &FileDiff) -> Vec<&str> {
    let FileText::Lines { shown, .. } = &file.text else { return Vec::new() };
    let texts = shown.iter().filter_map(|line| match line {
        DiffLine::Added(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn every_file_name_keeps_its_own_lines() {
    let names = ["0", "run.sh", "z b/run.sh", "z/\"quoted\"", "z/é", "z/日本"];
    #[cfg(unix)]
    let names = [&names[..], &["z/\ttab", "z/\nline", "z/\x1b[31m", "z\\"]].concat();
    let mut repository = Repository::new();
    repository.iterate(|all| {
        names.iter().for_each(|name| all.write(name, format!("of {name:?}\n")));
        #[cfg(unix)]
        {
            std::fs::remove_file(all.path().join("gone.txt")).unwrap();
            std::os::unix::fs::symlink("0", all.path().join("gone.txt")).unwrap();
        }
    });
    let diffs = repository.diffs();
    for name in names.iter() {
        assert_eq!(added(file(&diffs, name)), [format!("of {name:?}")]);
    }
    #[cfg(unix)]
    assert_eq!(added(file(&diffs, "gone.txt")), ["0"]);
}

#[test]
fn binary_files_are_listed() {
    let mut repository = Repository::new();
    repository.iterate(|all| {
        all.write("logo.png", b"\x89PNG\0\0");
        all.write("latin.txt", b"caf\xe9\n");
    });
    let diffs = repository.diffs();
    assert_eq!(file(&diffs, "logo.png").text, FileText::Binary);
    let FileText::Lines { shown, .. } = &file(&diffs, "latin.txt").text else { unreachable!() };
    assert_eq!(shown[1], DiffLine::Added("caf\u{fffd}".into()));
}

#[test]
fn omitted_lines_are_counted_and_the_command_shows_them() {
    let mut repository = Repository::new();
    repository.iterate(|all| {
        for name in ["a", "b", "c", "d", "e", "f"] {
            all.write(name, "line\n".repeat(PER_FILE * 2));
        }
    });
    let diffs = repository.diffs();
    let shown = files(&diffs).iter().map(|file| match &file.text {
        FileText::Lines { shown, left_out, .. } => (shown.len(), *left_out),
        FileText::Binary => unreachable!(),
    });
    let shown: Vec<(usize, u64)> = shown.collect();
    assert_eq!(shown[0], (PER_FILE, PER_FILE as u64 + 1));
    assert_eq!(shown.iter().map(|(lines, _)| lines).sum::<usize>(), PER_STORY);
    assert_eq!(shown[5], (0, 2 * PER_FILE as u64));
    let command = &diffs.stories[0].ranges[0].command;
    assert!(command.starts_with("git diff ") && command.ends_with(" -- . ':!ralph'"), "{command}");
}

#[test]
fn a_huge_patch_still_lists_its_files() {
    let mut repository = Repository::new();
    repository.iterate(|all| all.write("min.js", "x".repeat(LARGEST_PATCH + 1)));
    let diffs = repository.diffs();
    let FileText::Lines { shown, left_out, .. } = &file(&diffs, "min.js").text else {
        unreachable!()
    };
    assert_eq!((shown.len(), *left_out), (0, 1));
}

#[test]
fn missing_commits_are_noted() {
    let mut repository = Repository::new();
    repository.record(&"1".repeat(40), &"2".repeat(40));
    repository.record("$(reboot)", "x");
    let diffs = repository.diffs();
    assert_eq!(diffs.stories[0].ranges, []);
    for note in &diffs.stories[0].notes {
        assert!(note.ends_with("its commits no longer exist in this repository."), "{note}");
    }
    assert_eq!(diffs.stories[0].notes.len(), 2);
}

#[test]
fn without_a_repository_the_reason_is_noted() {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let note = |events: &[Stamped]| diffs(&layout, &RunView::of(events)).notes.concat();
    assert!(note(&a_run()).starts_with("Cannot show the changes: "), "{}", note(&a_run()));
    let mut events = a_run();
    for stamped in &mut events {
        if let LoopEvent::IterationStarted(events::IterationStarted { checkpoint, .. }) =
            &mut stamped.event
        {
            checkpoint.clear();
        }
    }
    assert!(note(&events).starts_with("The run was not in a git repository"), "{}", note(&events));
    assert_eq!(diffs(&layout, &RunView::default()), Diffs::default());
}

#[test]
fn the_branch_of_a_given_up_story_is_named() {
    let repository = Repository { events: a_run_with_failures(), ..Repository::new() };
    let diffs = repository.diffs();
    let failed =
        diffs.stories.iter().find(|diff| diff.story.as_ref().unwrap().as_str() == "US-003");
    let notes = failed.unwrap().notes.concat();
    assert!(
        notes.contains("its work is on branch wip/ralph-fail-US-003-20261115-020640"),
        "{notes}"
    );
    assert!(notes.contains("`git diff ralph/shop...wip/"), "{notes}");
}

#[test]
fn a_run_without_stories_has_one_change() {
    let mut repository = Repository::new();
    repository.iterate(|all| all.write("plan.md", "x\n"));
    repository.events[0] = a_prompt_loop(LoopKind::Plan, "main", 0.0).swap_remove(0);
    for stamped in &mut repository.events {
        if let LoopEvent::IterationStarted(events::IterationStarted { story, .. }) =
            &mut stamped.event
        {
            *story = None;
        }
    }
    let diffs = repository.diffs();
    assert_eq!(diffs.stories[0].story, None);
    assert_eq!(files(&diffs)[0].path, "plan.md");
}
