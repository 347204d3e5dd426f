//! Random edits of several stories at once: each accepted change is in the final files, and the checks pass on every
//! commit of the run's branch.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use crate::in_process::agent;
use crate::in_process::lanes::Lanes;
use crate::in_process::project::{BRANCH, Project, story};

#[derive(Debug, Clone, Copy)]
enum Edit {
    NewFile,
    /// A line that other stories edit too.
    SharedLine,
    /// A file that other stories delete or rename too.
    Delete,
    Rename,
    DeleteOwn,
    RenameOwn,
    /// A file that the next story may rename.
    ChangeNext,
    Binary,
    Mode,
}

const EDITS: [Edit; 9] = [
    Edit::NewFile,
    Edit::SharedLine,
    Edit::Delete,
    Edit::Rename,
    Edit::DeleteOwn,
    Edit::RenameOwn,
    Edit::ChangeNext,
    Edit::Binary,
    Edit::Mode,
];

/// Long enough for git to recognise it after an edit.
const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn own(id: &str) -> [String; 2] {
    [format!("src/own-{id}.rs"), format!("src/renamed-{id}.rs")]
}

fn next(id: &str) -> String {
    let number: u64 = id.trim_start_matches("US-").parse().unwrap();
    format!("US-{}", number + 1)
}

fn apply(agent: &Project, id: &str, edit: Edit) {
    let old = agent.root().join("src/old.rs");
    match edit {
        Edit::NewFile => agent.write(&format!("src/more/{id}.rs"), id),
        Edit::SharedLine => agent.write("src/lib.rs", &format!("pub fn sum() {{ {id} }}\n")),
        Edit::Delete => drop(fs::remove_file(old)),
        Edit::Rename if old.exists() => {
            fs::rename(old, agent.root().join(format!("src/{id}-renamed.rs"))).unwrap();
        }
        Edit::Rename => {}
        Edit::DeleteOwn => {
            let _ = fs::remove_file(agent.root().join(format!("src/gone-{id}.rs")));
        }
        Edit::RenameOwn => {
            let [from, to] = own(id).map(|name| agent.root().join(name));
            let _ = fs::rename(from, to);
        }
        Edit::ChangeNext => {
            let names = own(&next(id));
            let name = names.iter().find(|name| agent.root().join(name).exists()).unwrap();
            agent.write(name, &(agent.read(name) + &format!("// {id}\n")));
        }
        Edit::Binary => {
            let bytes = [agent.read("bin/data").as_bytes(), b"\0", id.as_bytes()].concat();
            agent.write("bin/data", std::str::from_utf8(&bytes).unwrap());
        }
        Edit::Mode => make_executable(agent),
    }
}

#[cfg(unix)]
fn make_executable(agent: &Project) {
    use std::os::unix::fs::PermissionsExt;
    let tool = agent.root().join("bin/tool");
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Project) {}

/// Keeps the text of both sides, and adds its own edits where git cannot merge.
fn resolve(agent: &Project, id: &str, edits: &[Edit]) {
    let text = agent.read("src/lib.rs");
    let is_mark =
        |line: &&str| ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|m| line.starts_with(m));
    let mut kept: String =
        text.lines().filter(|line| !is_mark(line)).map(|line| format!("{line}\n")).collect();
    if edits.iter().any(|edit| matches!(edit, Edit::SharedLine)) && !kept.contains(id) {
        kept.push_str(&format!("// {id}\n"));
    }
    agent.write("src/lib.rs", &kept);
    let is_binary = edits.iter().any(|edit| matches!(edit, Edit::Binary));
    if is_binary && !agent.read("bin/data").contains(id) {
        apply(agent, id, Edit::Binary);
    }
}

fn every_change_is_kept(work: &[Vec<Edit>]) {
    let ids: Vec<String> = (1..=work.len()).map(|number| format!("US-{number}")).collect();
    let stories: Vec<Value> = ids.iter().map(|id| story(id)).collect();
    let run = Lanes::new(work.len() as u64, &stories, &["pass"]);
    let git = |args: &[&str]| run.project.git(args);
    git(&["switch", "-q", BRANCH]);
    run.project.commit("src/old.rs", "one\ntwo\nthree\n");
    for number in 1..=work.len() + 1 {
        let id = format!("US-{number}");
        run.project.commit(&format!("src/gone-{id}.rs"), "gone\n");
        run.project.commit(&own(&id)[0], &format!("// file of {number}\n{TEXT}"));
    }
    run.project.commit("bin/data", "\0base");
    run.project.commit("bin/tool", "#!/bin/sh\n");
    git(&["switch", "-q", "main"]);
    run.completes(|agent, id| {
        let edits = &work[ids.iter().position(|known| known == id).unwrap()];
        let status = agent.story(id)["reviewStatus"].clone();
        if status.is_null() {
            edits.iter().for_each(|edit| apply(agent, id, *edit));
        } else if status == "changes_requested" {
            resolve(agent, id, edits);
        }
        agent::work_on(agent, id)
    });
    assert_eq!(run.merged().into_iter().collect::<BTreeSet<_>>(), ids.iter().cloned().collect());
    let (files, lib, data) = (run.files(), run.shown("src/lib.rs"), run.shown("bin/data"));
    for (id, edits) in ids.iter().zip(work) {
        assert!(files.contains(&format!("src/{id}.rs")), "{id}: {files:?}");
        for edit in edits {
            let is_kept = match edit {
                Edit::NewFile => files.contains(&format!("src/more/{id}.rs")),
                Edit::SharedLine => lib.contains(id.as_str()),
                Edit::Binary => data.contains(id.as_str()),
                Edit::Mode => {
                    cfg!(windows) || git(&["ls-tree", BRANCH, "bin/tool"]).starts_with("100755")
                }
                Edit::DeleteOwn => !files.contains(&format!("src/gone-{id}.rs")),
                Edit::RenameOwn => {
                    let [from, to] = own(id);
                    files.contains(&to) && !files.contains(&from)
                }
                Edit::ChangeNext => {
                    let names = own(&next(id));
                    let name = names.iter().find(|name| files.contains(*name)).unwrap();
                    run.shown(name).contains(&format!("// {id}"))
                }
                // Others may have renamed it, or edited it meanwhile.
                Edit::Delete | Edit::Rename => true,
            };
            assert!(is_kept, "{id} {edit:?}: {files:?} {lib} {data:?}");
        }
    }
    let mut passing = 0;
    let commits = git(&["rev-list", "--first-parent", "--reverse", BRANCH]);
    for commit in commits.lines() {
        let text = git(&["show", &format!("{commit}:ralph/tasks.json")]);
        let inspection = tasks::inspect(text.as_bytes());
        assert!(inspection.problems.is_empty(), "{commit}: {:?}", inspection.problems);
        let list = inspection.list.unwrap();
        let passes: Vec<&str> = list
            .stories
            .iter()
            .filter(|story| story.passes)
            .map(|story| story.id.as_str())
            .collect();
        assert!(passes.len() == passing || passes.len() == passing + 1, "{passes:?}");
        passing = passes.len();
        // A story that passes there has its file there: its check passed on these files.
        let files = git(&["ls-tree", "-r", "--name-only", commit]);
        assert!(passes.iter().all(|id| files.contains(&format!("src/{id}.rs"))), "{commit}");
        let lib = git(&["show", &format!("{commit}:src/lib.rs")]);
        assert!(!lib.contains("<<<<<<<"), "{commit}: {lib}");
    }
    assert_eq!(passing, work.len());
}

/// Other cases with `PROPTEST_CASES=100`; each is a whole run.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(), failure_persistence: None, max_shrink_iters: 8, ..ProptestConfig::default()
    })]

    #[test]
    fn random_edits_of_stories_at_once_are_all_kept(
        work in prop::collection::vec(
            prop::collection::vec(prop::sample::select(&EDITS[..]), 1..4), 2..5)
    ) {
        every_change_is_kept(&work);
    }
}
