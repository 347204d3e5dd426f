//! The final review in the real Claude Code: its structured answer becomes a story.

use serde_json::json;
use simulator::Turn;

use crate::answers::answer;
use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, Stories, approved, submitted};

/// The story of the finding is the only one with these values.
const SUBMITS: &str =
    r#"s/"reviewStatus": null/"reviewStatus": "needs_review"/; s/"notes": ""/"notes": "built"/"#;
const APPROVES: &str = r#"s/"reviewStatus": "needs_review"/"reviewStatus": "approved"/; s/"passes": false/"passes": true/; s/"reviewCount": 0/"reviewCount": 1/"#;

fn edit(work: &str, edit: &str) -> Turn {
    Turn::bash(format!(
        "{work}; sed '{edit}' ralph/tasks.json > t && mv t ralph/tasks.json && git add -A && git commit -qm work"
    ))
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_finding_of_the_final_review_becomes_a_story() {
    let setup = RunSetup::with_plugin();
    let mut list = setup.list();
    list["userStories"].as_array_mut().unwrap().truncate(1);
    setup.put("ralph/tasks.json", &format!("{list:#}\n"));
    let mut stories = Stories::from(list);
    let finding = json!({
        "title": "A greeting without a name", "problem": "greet.sh prints Hello alone without a name.",
        "file": "greet.sh", "line": 1,
    });
    let build = stories.work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let model = model([
        vec![build, Turn::text("Submitted.")],
        vec![stories.work("true", 0, approved(1)), Turn::text(APPROVED)],
        // Claude Code itself refuses an answer that does not match the schema.
        vec![
            Turn::bash("git diff HEAD~1 --stat"),
            answer(json!({"findings": [{"title": "no problem"}]})),
            answer(json!({"findings": [finding]})),
        ],
        vec![edit("echo 'echo Hello ${1:?}' >greet.sh", SUBMITS), Turn::text("Submitted.")],
        vec![edit("true", APPROVES), Turn::text(APPROVED)],
        vec![answer(json!({"findings": []}))],
    ]);
    let output = setup.run(&model, &["--final-review", "on"]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("final-reviewed", "outcome"), ["stories", "clean"], "{output}");
    let modes = ["implement", "review", "final-review", "implement", "review", "final-review"];
    assert_eq!(output.each("iteration-started", "mode"), modes, "{output}");
    let added = &setup.list()["userStories"][1];
    assert_eq!((&added["id"], &added["passes"]), (&json!("FR-001"), &json!(true)), "{added}");
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    let first = &output.all("final-reviewed")[0]["findings"][0];
    assert_eq!((&first["file"], &first["line"]), (&json!("greet.sh"), &json!(1)));
}
