//! Pipes in place of files of git. git waits for a writer of the pipe, and the runner would wait
//! for git.

use std::time::{Duration, Instant};

use crate::attack_target::AttackTarget;

/// A git of the runner gives up after 120 seconds.
const AT_ONCE: Duration = Duration::from_secs(50);

#[track_caller]
fn are_removed(script: &str, places: &[&str]) {
    let target = AttackTarget::new();
    target.project.git(&["branch", "other"]);
    let attacked = target.attack(script);
    let began = Instant::now();
    let run = attacked.is_not_counted();
    assert!(began.elapsed() < AT_ONCE, "{script}: {:#?}", run.events);
    for place in places {
        assert!(run.findings().contains(place), "{place}: {:#?}", run.events);
        assert!(!is_pipe(&attacked.project.path().join(place)), "{place}");
    }
}

fn is_pipe(path: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_fifo())
}

#[test]
fn in_the_folder_of_git() {
    let places = [
        ".git/refs/heads/new",
        ".git/logs/HEAD",
        ".git/objects/info/commit-graph",
        ".git/objects/pack/multi-pack-index",
        ".git/CHERRY_PICK_HEAD",
        ".git/packed-refs",
        ".git/modules/x/config",
    ];
    let pipes = "for f in refs/heads/new logs/HEAD objects/info/commit-graph \
                 objects/pack/multi-pack-index CHERRY_PICK_HEAD packed-refs modules/x/config; do\n\
                 mkdir -p .git/modules/x; rm -f .git/$f; mkfifo .git/$f; done\n";
    are_removed(pipes, &places);
}

#[test]
fn a_link_to_one_in_the_folder_of_git() {
    let link = "mkfifo ../pipe; rm .git/logs/HEAD; ln -s \"$PWD/../pipe\" .git/logs/HEAD";
    are_removed(link, &[".git/logs/HEAD"]);
}

#[test]
fn in_the_place_of_the_branch_of_the_run() {
    are_removed(
        "rm .git/refs/heads/ralph/demo; mkfifo .git/refs/heads/ralph/demo",
        &[".git/refs/heads/ralph/demo"],
    );
}

#[test]
fn in_the_place_of_an_object() {
    let object = "o=$(git rev-parse HEAD:src/code.txt); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)\n\
                  rm -f $f; mkfifo $f";
    are_removed(object, &[]);
}

/// git reads the attributes of a folder only once it reads a file there.
#[test]
fn in_the_place_of_attributes() {
    let attributes =
        "mkdir sub; echo x > sub/new.txt; mkfifo sub/.gitattributes; mkfifo .gitmodules";
    are_removed(attributes, &["sub/.gitattributes"]);
}
