//! Repositories within the project: their files are their own.

use events::RunEnd;
use simulator::{Act, Mode, When};

use super::{assert_rewound, branch_of, fails, project};
use crate::harness::Project;
use crate::stories::story;

/// A repository beside the project, to be a submodule of it.
fn library(project: &Project) -> String {
    let path = project.bin().join("library");
    std::fs::create_dir(&path).unwrap();
    test_repo::init(&path);
    std::fs::write(path.join("lib.txt"), "one\n").unwrap();
    test_repo::commit_all(&path);
    path.to_str().unwrap().to_owned()
}

const ALLOWED: &str = "git -c protocol.file.allow=always";

fn with_submodule(project: &Project) -> String {
    let library = library(project);
    project.git(&["-c", "protocol.file.allow=always", "submodule", "-q", "add", &library, "sub"]);
    test_repo::commit_all(&project.path());
    library
}

/// One that fails with these acts, and one whose agent commits only what is its own.
fn then_another(project: Project, acts: impl IntoIterator<Item = Act>) -> Project {
    let implement = [
        Act::write("work/US-002.txt", "done"),
        Act::submit("done"),
        Act::bash("git add work ralph && git commit -q -m 'feat: [US-002]'"),
    ];
    let review = [Act::approve("done"), Act::bash("git commit -q -m 'review: [US-002]' ralph")];
    let scenario = fails("US-001", acts)
        .rule(When::mode(Mode::Implement), implement)
        .rule(When::mode(Mode::Review), review);
    project.scenario(scenario)
}

fn two() -> Project {
    project(["US-001", "US-002"].map(story))
}

#[test]
fn a_submodule_that_the_story_added_leaves_the_branch_and_its_files_stay() {
    let project = two();
    let library = library(&project);
    let acts = [Act::bash(format!("{ALLOWED} submodule -q add '{library}' sub"))];
    let project = then_another(project, acts);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert!(!project.has(".gitmodules"));
    let entry = project.git(&["ls-tree", &branch_of(&run, "US-001"), "sub"]);
    assert!(entry.starts_with("160000 commit "), "{entry}");
    assert_eq!(project.read("sub/lib.txt"), "one\n", "kept");
    assert!(run.warnings().contains("sub"), "{}", run.warnings());
    let committed = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!committed.lines().any(|name| name.starts_with("sub")), "{committed}");
    assert_eq!(project.story("US-002")["passes"], true, "the others get done all the same");
    // A leftover folder does not block the run.
    project.run(["--resume"]).assert_end(RunEnd::StoriesFailed);
}

#[test]
fn an_existing_submodule_is_restored() {
    let project = two();
    with_submodule(&project);
    let before = project.git(&["ls-tree", "HEAD", "sub"]);
    let acts = [Act::bash(
        "cd sub && echo two >lib.txt && git -c user.name=a -c user.email=a@localhost \
                   commit -qam two",
    )];
    let project = then_another(project, acts);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert_eq!(project.git(&["ls-tree", "HEAD", "sub"]), before);
    assert_ne!(project.git(&["ls-tree", &branch_of(&run, "US-001"), "sub"]), before);
    assert_eq!(project.read("sub/lib.txt"), "two\n", "its files are its own repository's");
    assert!(run.warnings().contains("sub"), "{}", run.warnings());
    assert_eq!(project.git(&["status", "--porcelain"]), "M sub");
    assert_eq!(project.story("US-002")["passes"], true);
    project.run(["--resume"]).assert_end(RunEnd::StoriesFailed);
}

#[test]
fn a_submodule_that_the_story_moved_is_restored_in_the_branch() {
    let project = two();
    with_submodule(&project);
    let before = project.git(&["ls-tree", "HEAD", "sub", ".gitmodules"]);
    let project = then_another(project, [Act::bash("git mv sub moved")]);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert_eq!(project.git(&["ls-tree", "HEAD", "sub", ".gitmodules"]), before);
    assert_eq!(project.git(&["ls-tree", "HEAD", "moved"]), "");
    assert_eq!(project.read("moved/lib.txt"), "one\n", "kept");
    assert_eq!(project.story("US-002")["passes"], true);
    project.run(["--resume"]).assert_end(RunEnd::StoriesFailed);
}

#[test]
fn an_unchanged_submodule_does_not_block() {
    let project = two();
    with_submodule(&project);
    let project = project.scenario(fails("US-001", [Act::append("src/code.txt", "half\n")]));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(project.git(&["submodule", "status"]).matches("sub").count(), 1);
    assert_eq!(project.read("sub/lib.txt"), "one\n");
}
