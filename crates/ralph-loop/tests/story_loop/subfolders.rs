//! Every command finds the project from a folder below its root.

use std::process::Output;

use events::RunEnd;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

fn below(project: &Project, args: &[&str]) -> Output {
    let folder = project.path().join("src/deep");
    std::fs::create_dir_all(&folder).unwrap();
    project.command(&program("ralph-loop")).current_dir(folder).args(args).output().unwrap()
}

#[test]
fn a_run_works_in_the_root_and_others_find_it_there() {
    let project = Project::new([story("US-001")]);
    let agent = program("simulated-agent");
    let agent = agent.to_str().unwrap();
    let args = ["run", "--output", "json", "--agent-program", agent, "--sandbox=guard"];
    Outcome::of_run(&project, &below(&project, &args)).assert_end(RunEnd::Complete);
    assert_eq!(project.story("US-001")["passes"], true);
    assert!(!project.has("src/deep/.ralph"));
    let printed = |args: &[&str]| {
        let Output { stdout, stderr, .. } = below(&project, args);
        String::from_utf8([stdout, stderr].concat()).unwrap()
    };
    assert!(printed(&["status"]).contains("US-001"));
    assert!(printed(&["report"]).contains("The one story is done"));
    let validate = printed(&["validate"]);
    assert!(!validate.contains("ralph/tasks.json not found"), "{validate}");
    assert!(printed(&["steer", "x"]).contains("no loop is running here"));
    let watch = printed(&["watch"]);
    assert!(!watch.contains("no run to watch"), "{watch}");
    let archive = printed(&["archive"]);
    assert!(project.has("ralph-archive"), "{archive}");
}

#[test]
fn a_project_is_not_set_up_within_another_unless_that_is_asked_for() {
    let project = Project::new([story("US-001")]);
    let refused = below(&project, &["init", "--yes"]);
    assert_eq!(refused.status.code(), Some(2));
    let printed = String::from_utf8(refused.stderr).unwrap();
    let root = project.path().canonicalize().unwrap();
    assert!(
        printed.contains(&format!("part of an existing project: {}", root.display())),
        "{printed}"
    );
    assert!(printed.contains("hint: ") && printed.contains("--project-dir ."), "{printed}");
    assert!(!project.has("src/deep/ralph"));
    let forced = below(&project, &["init", "--yes", "--project-dir", "."]);
    assert_eq!(forced.status.code(), Some(0));
    assert!(project.has("src/deep/ralph/tasks.json"));
    let inner = String::from_utf8(below(&project, &["status"]).stderr).unwrap();
    let expected = format!("/src/deep, which is inside the project {}\n", root.display());
    assert!(inner.starts_with("note: ") && inner.ends_with(&expected), "{inner}");
    let outer = project.call(&["status"]).stderr;
    assert_eq!(String::from_utf8(outer).unwrap(), "");
}
