//! What commands can write.

use std::path::PathBuf;

use serde_json::json;
use simulator::{Script, ScriptedModel, Turn, Uuid};
use walls::NativeWall;

use crate::cell::{Cell, Went, answers};

/// Places outside the project where a command may try to leave a file of this name.
fn outside(cell: &Cell, name: &str) -> Vec<PathBuf> {
    let above = cell.home.project().parent().unwrap().to_path_buf();
    [cell.home.path(), above, "/tmp".into(), "/var/tmp".into()]
        .map(|folder| folder.join(name))
        .into()
}

fn touch_each(places: &[PathBuf]) -> String {
    places.iter().map(|place| format!("touch '{}'; ", place.display())).collect()
}

/// Those of them that were made. They do not stay.
fn made(places: &[PathBuf]) -> Vec<&PathBuf> {
    places.iter().filter(|place| std::fs::remove_file(place).is_ok()).collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn commands_write_in_the_project_and_nowhere_else() {
    let shelf = tempfile::tempdir().unwrap();
    let wall = NativeWall { writable: vec![shelf.path().into()], ..NativeWall::default() };
    let cell = Cell::new(wall);
    cell.put_in_home(".cargo/registry/here", "");
    let places = outside(&cell, &Uuid::new_v4().to_string());
    let inside = format!(
        "echo a > inside && echo b > '{}/on-the-shelf' && echo c > ~/.cargo/registry/cached \
         && echo d > \"$TMPDIR/short-lived\"",
        shelf.path().display()
    );
    let answers = cell.run([Turn::bash(touch_each(&places)), Turn::bash(inside)]);

    assert_eq!(answers[0].text.matches("Read-only file system").count(), 4, "{answers:?}");
    assert_eq!(made(&places).len(), 0);
    assert_eq!(answers[1].went, Went::Well, "{answers:?}");
    assert!(cell.home.project().join("inside").exists());
    assert!(shelf.path().join("on-the-shelf").exists());
    assert!(cell.home.path().join(".cargo/registry/cached").exists());
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn without_the_wall_the_same_commands_get_out() {
    let cell = Cell::new(NativeWall::default());
    let places = outside(&cell, &Uuid::new_v4().to_string());
    let model = ScriptedModel::start(Script::new([Turn::bash(touch_each(&places))])).unwrap();
    cell.home.session(&model).run().unwrap();
    assert_eq!(made(&places).len(), 4);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn neither_asking_to_leave_nor_the_background_nor_a_monitor_leads_out() {
    let cell = Cell::new(NativeWall::default());
    let names = ["asked", "background", "monitor"];
    let leave = |name: &str| format!("touch ~/{name}; touch tried-{name}");
    let ask = json!({
        "command": leave("asked"), "description": "x", "dangerouslyDisableSandbox": true,
    });
    let watch = json!({ "command": leave("monitor"), "description": "x", "timeout_ms": 60_000 });
    let all_tried = "until [ -e tried-background ] && [ -e tried-monitor ]; do sleep 0.05; done";
    cell.run([
        Turn::tool("Bash", ask),
        Turn::bash_in_background(leave("background")),
        Turn::tool("Monitor", watch),
        Turn::bash(all_tried),
    ]);
    for name in names {
        assert!(cell.home.project().join(format!("tried-{name}")).exists(), "{name}");
        assert!(!cell.home.path().join(name).exists(), "{name}");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn everything_can_be_added_and_committed() {
    let cell = Cell::new(NativeWall::default());
    cell.put_in_project("left-alone.mine", "what the user ignores everywhere");
    let answers = cell.run([
        Turn::bash("echo a > work && git add -A && git commit -qm one && git status --porcelain"),
        Turn::tool(
            "Write",
            json!({ "file_path": cell.home.project().join(".vscode/tasks.json"), "content": "{}" }),
        ),
        Turn::bash("git add -A && git commit -qm two && git status --porcelain"),
    ]);
    assert!(answers.iter().all(|answer| answer.went == Went::Well), "{answers:?}");
    assert_eq!(cell.git(&["log", "--format=%s"]), "two\none");
    assert_eq!(cell.git(&["ls-files"]), ".vscode/tasks.json\nwork");
    assert_eq!(cell.git(&["status", "--porcelain"]), "?? left-alone.mine");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn a_project_in_a_folder_of_its_repository_can_be_committed_once_the_history_is_open() {
    let mut cell = Cell::new(NativeWall::default());
    let shop = cell.put_in_project("shop/here", "").parent().unwrap().to_path_buf();
    let commit = || Turn::bash("git add here && git commit -qm work");
    let run = |cell: &Cell| {
        let model = ScriptedModel::start(Script::new([commit()])).unwrap();
        answers(&cell.session(&model).project(&shop).run().unwrap())[0].went
    };
    assert_eq!(run(&cell), Went::Wrong);
    cell.wall.writable.push(cell.home.project().join(".git"));
    assert_eq!(run(&cell), Went::Well);
    assert_eq!(cell.git(&["ls-files"]), "shop/here");
}

/// Which is why command-guard stands beside the sandbox.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn tools_that_are_no_commands_are_not_in_the_sandbox() {
    let cell = Cell::new(NativeWall::default());
    let place = cell.home.path().join("written-by-a-tool");
    let answers = cell.run([Turn::tool("Write", json!({ "file_path": place, "content": "here" }))]);
    assert_eq!(answers[0].went, Went::Well, "{answers:?}");
    assert!(place.exists());
}
