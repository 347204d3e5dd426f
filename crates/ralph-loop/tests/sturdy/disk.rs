//! A full or read-only disk: a clear error, no damage, and the next run resumes once there is
//! space.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_fs::TempDir;
use events::{LoopEvent, RunEnd};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Finished, Project, Unprivileged, say_skipped, tool};

/// Asserts an error with a hint before any change.
#[track_caller]
fn assert_refused(run: &Finished, named: &str) {
    run.assert_exit(2);
    assert_text(&run.stderr, contains("error: "));
    assert!(run.stderr.contains(named), "{named} is not named: {}", run.stderr);
    let hints = ["hint: check that the folder is writable", "`chmod -R u+rwX .`"];
    assert!(hints.iter().any(|hint| run.stderr.contains(hint)), "{}", run.stderr);
    assert_text(&run.stderr, contains("panicked").not());
    assert_eq!(run.count(|event| matches!(event, LoopEvent::IterationStarted { .. })), 0);
}

#[track_caller]
fn assert_failed_on_the_way(run: &Finished) {
    run.assert_exit(1);
    run.assert_event("the end", |event| {
        matches!(
            event,
            LoopEvent::RunEnded(events::RunEnded { end: RunEnd::DiskFailed, exit_code: 1, .. })
        )
    });
    let hints = ["hint: check that the folder is writable", "`chmod -R u+rwX .`"];
    assert!(hints.iter().any(|hint| run.stderr.contains(hint)), "{}", run.stderr);
    assert_text(&run.stderr, contains("panicked").not());
}

#[test]
fn a_file_in_the_place_of_the_data_folder_is_named() {
    let project = Project::new(1, &[]);
    project.write(".ralph", "I was here first\n");
    test_repo::commit_all(project.root());
    assert_refused(&project.run(&[]), ".ralph");
    std::fs::remove_file(project.layout().data_dir()).unwrap();
    test_repo::commit_all(project.root());
    project.run(&[]).assert_exit(0);
    project.assert_complete();
}

/// Makes a folder read-only for a runner without privileges; then writable again, and all is well.
fn read_only(folder: &str, named: &str) {
    let mut project = Project::new(1, &[]);
    std::fs::create_dir_all(project.layout().data_dir()).unwrap();
    let Some(mut user) = Unprivileged::of(&mut project) else { return };
    let folder = project.root().join(folder);
    let set = |mode| std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
    set(0o555);
    let run = project.run(&[]);
    set(0o755);
    assert_refused(&run, named);
    project.run(&[]).assert_exit(0);
    user.give_back(&mut project);
    project.assert_complete();
}

#[test]
fn a_data_folder_that_is_read_only_is_named() {
    read_only(".ralph", ".ralph/lock");
}

#[test]
fn a_project_without_a_data_folder_that_is_read_only_is_named() {
    let mut project = Project::new(1, &[]);
    let Some(mut user) = Unprivileged::of(&mut project) else { return };
    let set = |mode| {
        std::fs::set_permissions(project.root(), PermissionsExt::from_mode(mode)).unwrap();
    };
    set(0o555);
    let run = project.run(&[]);
    set(0o755);
    assert_refused(&run, ".ralph");
    user.give_back(&mut project);
    project.run(&[]).assert_exit(0);
    project.assert_complete();
}

#[test]
fn a_file_size_limit_ends_the_run_and_the_next_one_resumes() {
    let mut project = Project::new(3, &[]);
    // In blocks of 512 bytes: enough to begin, too little for the record of a whole run.
    let limited = "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\"";
    project.wrapper = ["sh", "-c", limited].map(str::to_owned).into();
    let run = project.run(&[]);
    assert_failed_on_the_way(&run);
    assert_text(&run.stderr, contains("File too large"));
    project.assert_quiet();
    project.assert_sound_repository();
    project.list();
    let iterations = project.counter("iterations");

    project.wrapper = Vec::new();
    let next = project.run(&[]);
    next.assert_exit(0).assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(resumed), .. }
            if resumed.iterations >= iterations)
    });
    project.assert_complete();
}

/// A small file system of its own, for as long as this lives.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` with a message if that is not allowed.
    pub(crate) fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let options = format!("size={size},mode=0755");
        let mounted =
            tool("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output().unwrap();
        if !mounted.status.success() {
            let why = String::from_utf8_lossy(&mounted.stderr);
            say_skipped(&format!("no small disk can be mounted here: {}", why.trim()));
            return None;
        }
        Some(Self(at.to_path_buf()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = tool("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_ends_the_run_and_the_next_one_resumes() {
    let around = TempDir::new().unwrap();
    let place = around.path().canonicalize().unwrap().join("disk");
    let Some(_disk) = SmallDisk::mount(&place, "4m") else { return };
    let project = Project::at(around, place.join("repo"), 2, &[]);
    // Ignored by git, as the waste of a build is.
    let fill = "cat /dev/zero >.ralph-tmp-waste; true";
    let acts = [Act::write("work/US-1.txt", "x\n"), Act::bash(fill), Act::finish("Full.")];
    let when = When::mode(Mode::Implement).story("US-1").visit(1);
    project.scenario(&Scenario::new().rule(when, acts));
    let run = project.run(&[]);
    // Whether the runner notices it first or git does.
    run.assert_exit(1);
    assert_text(&run.stderr, contains("free some disk space"));
    assert_text(&run.stderr, contains("No space left on device"));
    project.list();
    project.state().unwrap();

    let again = project.run(&[]);
    again.assert_exit(2);
    assert_text(&again.stderr, contains("free some disk space"));
    assert_text(&again.stderr, contains("No space left on device"));
    project.list();
    project.state().unwrap();

    std::fs::remove_file(project.root().join(".ralph-tmp-waste")).unwrap();
    project.run(&[]).assert_exit(0).assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. })
    });
    project.assert_complete();
}
