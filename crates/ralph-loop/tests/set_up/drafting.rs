//! `ralph-loop draft` with Claude Code on a terminal: the session uses it, and the plan is committed on request.

use std::os::unix::fs::PermissionsExt;

use crate::project::Project;
use crate::terminal::Terminal;

/// Records its mode, asks a question and writes the plan.
const CLAUDE: &str = r#"#!/bin/sh
if [ "$1" = -p ]; then echo headless >>../sessions; exit 1; fi
[ -t 0 ] && [ -t 1 ] && [ "$1" = -- ] || exit 1
printf '%s' "$2" >../prompt
printf 'Which states? '
read -r states
sed "s/Replace this example with your first story/Store $states of a task/;
     s/Something a reviewer can check, such as: //; s/<[a-z]*>/x/g" ralph/tasks.json >../plan
cp ../plan ralph/tasks.json
printf '# PRD\n\nFilters.\n' >ralph/prd.md
"#;

fn project() -> Project {
    let project = Project::new();
    project.write("../bin/claude", CLAUDE);
    let claude = project.root().join("../bin/claude");
    std::fs::set_permissions(claude, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(project.init(&["--yes", "--verify", "make test"]).output().unwrap().status.success());
    test_repo::init_for_commits(&project.root());
    test_repo::commit_all(&project.root());
    project
}

fn draft(project: &Project) -> Terminal {
    let path = std::env::var("PATH").unwrap();
    let bin = project.root().with_file_name("bin");
    let args =
        ["draft", "a", "filter", "--agent", "claude", "--no-sandbox", "--allow-missing-hooks"];
    let mut command = project.call(&args);
    command.env("PATH", format!("{}:{path}", bin.display())).env("IS_SANDBOX", "1");
    Terminal::start(command)
}

#[test]
fn the_session_gets_the_terminal_and_the_plan_is_committed_if_the_user_agrees() {
    let project = project();
    let mut terminal = draft(&project);
    terminal.answer("Which states? ", "the state");
    terminal.expect("Store the state of a task");
    terminal.answer("Commit the plan? (Y/n): ", "");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert!(finished.screen.contains("Committed as "), "{}", finished.screen);
    let changed = test_repo::git(&project.root(), &["show", "--name-only", "--format=%s", "HEAD"]);
    assert_eq!(changed.trim(), "plan: a filter\n\nralph/prd.md\nralph/tasks.json");
    let prompt = project.read("../prompt");
    assert!(prompt.starts_with("# Plan a Ralph loop") && prompt.contains("a filter"), "{prompt}");
    assert!(!prompt.contains("You cannot ask questions"), "{prompt}");
}

#[test]
fn a_plan_is_not_committed_if_the_user_declines() {
    let project = project();
    let mut terminal = draft(&project);
    terminal.answer("Which states? ", "the state");
    terminal.answer("Commit the plan? (Y/n): ", "n");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert!(
        finished.screen.contains("Not committed: commit ralph/prd.md and ralph/tasks.json"),
        "{}",
        finished.screen
    );
    let dirty = test_repo::git(&project.root(), &["status", "--porcelain"]);
    assert!(dirty.contains(" M ralph/tasks.json"), "{dirty}");
}

#[test]
fn a_session_without_changes_ends_the_draft() {
    let project = project();
    project.write("../bin/claude", "#!/bin/sh\necho \"$1\" >>../sessions\n");
    let finished = draft(&project).finish();
    assert_eq!(finished.code, Some(1), "{}", finished.screen);
    assert!(finished.screen.contains("the agent changed neither"), "{}", finished.screen);
    assert_eq!(project.read("../sessions"), "--\n");
}

#[test]
fn errors_after_the_session_are_repaired_without_the_terminal() {
    let project = project();
    let headless = r#"cat >../repair; sed 's/"US-999"//' ../plan >ralph/tasks.json
echo '{"type":"result","subtype":"success","is_error":false,"result":"repaired","session_id":"s"}'; exit"#;
    let claude = CLAUDE.replace("echo headless >>../sessions; exit 1", headless);
    let breaks = r#"s/\"dependsOn\": \[\]/\"dependsOn\": [\"US-999\"]/; s/<[a-z]*>"#;
    project.write("../bin/claude", &claude.replace("s/<[a-z]*>", breaks));
    let mut terminal = draft(&project);
    terminal.answer("Which states? ", "the state");
    terminal.expect("1 story after 1 repair round");
    terminal.answer("Commit the plan? (Y/n): ", "y");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    let repair = project.read("../repair");
    assert!(repair.contains("You cannot ask questions"), "{repair}");
    assert!(repair.contains("- error unknown-dependency: US-001 dependsOn"), "{repair}");
}
