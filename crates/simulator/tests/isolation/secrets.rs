//! What commands and tools can read.

use serde_json::json;
use simulator::Turn;
use walls::NativeWall;

use crate::cell::{Cell, Went};

const SECRET: &str = "the-secret-itself";

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn credentials_are_closed_to_commands_and_to_tools() {
    let cell = Cell::new(NativeWall::default());
    let files = [".ssh/id", ".netrc", ".claude/.credentials.json"]
        .map(|name| cell.put_in_home(name, SECRET));
    // Claude Code refuses a command that names them, so one that does not is asked.
    cell.put_in_project("look", "cat ~/.ssh/id ~/.netrc ~/.claude/.credentials.json; echo looked");
    let reads = files.map(|file| Turn::tool("Read", json!({ "file_path": file })));
    let answers = cell.run([Turn::bash("sh look")].into_iter().chain(reads));
    assert_eq!(answers.len(), 4);
    assert!(answers[0].text.contains("looked"), "{answers:?}");
    for answer in &answers {
        assert!(!answer.text.contains(SECRET), "{answer:?}");
    }
    assert!(answers[1..].iter().all(|answer| answer.went == Went::Wrong), "{answers:?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn a_key_that_is_named_stays_readable_and_its_neighbours_do_not() {
    let mut cell = Cell::new(NativeWall::default());
    let key = cell.put_in_home(".ssh/signing", "the-key");
    cell.put_in_home(".ssh/id", SECRET);
    cell.wall.readable.push(key);
    cell.put_in_project("look", "cat ~/.ssh/signing ~/.ssh/id");
    let answers = cell.run([Turn::bash("sh look")]);
    assert!(answers[0].text.contains("the-key"), "{answers:?}");
    assert!(!answers[0].text.contains(SECRET), "{answers:?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and its sandbox"]
fn the_agents_own_key_is_not_in_the_environment_of_commands() {
    let cell = Cell::new(NativeWall::default());
    let answers = cell.run([Turn::bash("echo \"key: ${ANTHROPIC_API_KEY-none}\"")]);
    assert!(answers[0].text.contains("key: none"), "{answers:?}");
}
