//! A handoff for an iteration that left none.

use memory::{FallbackInput, FileAction, FileTouched, Handoff, fallback, read_handoff};

fn of(text: &str, commits: &[&str]) -> Handoff {
    let commits: Vec<String> = commits.iter().map(ToString::to_string).collect();
    fallback(&FallbackInput { story: "US-1", text, commits: &commits, files: &[] })
}

fn summary(text: &str) -> String {
    of(text, &[]).task_completed.summary
}

const SILENT: &str = "the iteration left no handoff";

#[test]
fn the_first_paragraph_is_the_summary() {
    assert_eq!(summary("I added\nthe form.\n\nMore to come."), "I added the form.");
    assert_eq!(
        summary("\r\n# Done\r\n\r\n---\r\nThe form is in.\r\n## Next\r\nMail."),
        "The form is in."
    );
    assert_eq!(summary("```\nlet a = 1;\n```\nA variable."), "A variable.");
    assert_eq!(summary("{\"task\": 1,\n\"b\": 2}\n| a | b |\nWords."), "Words.");
    assert_eq!(summary("\u{1b}[1mBold\u{1b}[0m words"), "Bold words");
}

#[test]
fn it_is_short() {
    let long = "many words ".repeat(1_000);
    let text = summary(&long);
    assert_eq!(text.chars().count(), 600);
    assert!(text.ends_with('…'));
}

#[test]
fn without_text_the_commits_are_the_summary() {
    let handoff = of("```\ncode\n```", &["add the form", " ", "test\nthe form"]);
    assert_eq!(handoff.task_completed.summary, "Commits: add the form; test the form");
    assert_eq!(handoff.recommendations, [""; 0]);
}

#[test]
fn with_text_the_commits_are_recommendations() {
    let handoff = of("The form is in.", &["add the form"]);
    assert_eq!(handoff.task_completed.summary, "The form is in.");
    assert_eq!(handoff.recommendations, ["Commits: add the form"]);
}

#[test]
fn without_anything_the_summary_is_fixed() {
    for text in ["", " \n", "---", "# Done", "```\nx", "…"] {
        assert_eq!(summary(text), SILENT, "{text}");
    }
}

#[test]
fn it_is_never_complete_and_always_readable() {
    for text in ["", "All done, fully complete!", "TODO: mail\nBlocked: DNS\nLearned: much"] {
        let handoff = of(text, &["a"]);
        assert!(!handoff.task_completed.fully_complete);
        assert_eq!(handoff.task_completed.task_id, "US-1");
        assert!(handoff.unfinished_business.is_empty() && handoff.bugs_encountered.is_empty());
        assert_eq!(
            read_handoff(&serde_json::to_value(&handoff).unwrap()),
            (Some(handoff), Vec::new())
        );
    }
}

#[test]
fn files_are_those_of_git_within_bounds() {
    let file = FileTouched { path: "a".into(), action: FileAction::Deleted };
    let files = vec![file; 300];
    let handoff = fallback(&FallbackInput { story: "", text: "", commits: &[], files: &files });
    assert_eq!(handoff.files_touched, files[..200]);
}
