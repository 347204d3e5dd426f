//! Which questions are asked, and what becomes of the answers.

use clap::Parser;
use settings::FailAction;

use super::*;
use crate::cli::{Cli, Command};
use crate::dialogue::script::Script;

fn given(flags: &[&str]) -> AnswerArgs {
    let args = ["ralph-loop", "init"].iter().chain(flags);
    match Cli::parse_from(args).command {
        Some(Command::Init(args)) => args.settings,
        other => panic!("{other:?}"),
    }
}

fn here() -> Surroundings {
    Surroundings { agents: vec!["codex", "amp"], ..Surroundings::default() }
}

#[test]
fn enter_everywhere_gives_the_defaults() {
    let mut talk = Script::new(["", "", "", ""]);
    let answers = complete(given(&[]), &here(), &mut talk).unwrap();
    let expected = "\
Agents found here: codex, amp
Agent command (e.g., claude, codex, amp, or other LLM CLI) [codex]: 
Maximum iterations [10, or 15 and more over stories]: 
Add guardrail command (leave blank to finish): 
Configure SCM? (y/N): 
";
    assert_eq!(talk.said(), expected);
    assert_eq!((answers.agent.as_deref(), answers.max_iterations), (Some("codex"), None));
    assert!(answers.completion_response.is_none() && answers.agent_flag.is_empty());
    assert!(answers.guardrail.is_empty());
    assert_eq!((answers.scm_command, answers.scm_task), (None, vec![]));
}

#[test]
fn everything_can_be_answered() {
    let mut talk = Script::new([
        "my-agent",
        "25", //
        "make lint",
        "prepend",
        "Only lint.",
        "make test",
        "",
        "",
        "", //
        "y",
        "hg",
        "Commit, push",
    ]);
    let answers = complete(given(&[]), &here(), &mut talk).unwrap();
    assert!(talk.is_used_up());
    assert_eq!(answers.agent.as_deref(), Some("my-agent"));
    assert_eq!(answers.max_iterations, Some(25));
    let guardrails: Vec<_> = answers
        .guardrail
        .iter()
        .map(|g| (g.command.as_str(), g.fail_action, g.hint.as_deref()))
        .collect();
    let expected = [
        ("make lint", FailAction::Prepend, Some("Only lint.")),
        ("make test", FailAction::Append, None),
    ];
    assert_eq!(guardrails, expected);
    assert_eq!(answers.scm_command.as_deref(), Some("hg"));
    assert_eq!(answers.scm_task, [ScmTaskArg::Commit, ScmTaskArg::Push]);
}

#[test]
fn what_cannot_be_used_is_asked_again() {
    let mut talk = Script::new([
        "claude",
        "0",
        "-3",
        "ten",
        "1.5",
        "99999999999999999999",
        "4",
        "x",
        "drop",
        "REPLACE",
        "",
        "",
        "y",
        "",
        "commit,fetch",
        ",",
        "push",
    ]);
    let answers = complete(given(&[]), &Surroundings::default(), &mut talk).unwrap();
    assert_eq!(answers.max_iterations, Some(4));
    assert_eq!(talk.said().matches("a whole number above 0").count(), 5);
    assert_eq!(answers.guardrail[0].fail_action, FailAction::Replace);
    assert_eq!(talk.said().matches("one of the three").count(), 1);
    assert_eq!(answers.scm_command.as_deref(), Some("git"));
    assert_eq!(answers.scm_task, [ScmTaskArg::Push]);
    assert_eq!(talk.said().matches("commit, push or both").count(), 2);
}

#[test]
fn without_an_agent_in_path_one_has_to_be_named() {
    let mut talk = Script::new(["", "llm", "", "", ""]);
    let answers = complete(given(&[]), &Surroundings::default(), &mut talk).unwrap();
    assert_eq!(answers.agent.as_deref(), Some("llm"));
    assert!(talk.said().starts_with("None of the agents with a name was found here"));
    assert!(talk.said().contains("LLM CLI): \n  an answer is needed here\n"), "{}", talk.said());
}

#[test]
fn each_flag_takes_its_own_question_away() {
    let questions: [(&[&str], &str); 5] = [
        (&["--agent", "x"], "Agent command"),
        (&["-n", "3"], "Maximum iterations"),
        (&["--guardrail", "x"], "Add guardrail"),
        (&["--scm-command", "git"], "Configure SCM"),
        (&["--scm-task", "push"], "Configure SCM"),
    ];
    for (flags, question) in questions {
        let mut talk = Script::new(["", "", "", ""]);
        complete(given(flags), &here(), &mut talk).unwrap();
        assert!(!talk.said().contains(question), "{flags:?}");
        assert_eq!(talk.said().matches(": \n").count(), 3, "{flags:?}");
    }
    let all: Vec<&str> = questions.iter().flat_map(|(flags, _)| *flags).copied().collect();
    let mut talk = Script::new([]);
    complete(given(&all), &here(), &mut talk).unwrap();
    assert_eq!(talk.said(), "");
}

#[test]
fn the_checks_of_the_task_list_are_told_before_guardrails_are_asked_for() {
    let here = Surroundings {
        checks: vec!["cargo test".into(), "a\nb".into()],
        tasks_name: "ralph/tasks.json".into(),
        ..here()
    };
    let mut talk = Script::new(["", "", "", ""]);
    complete(given(&[]), &here, &mut talk).unwrap();
    let told = "Already checks of every story, in ralph/tasks.json: cargo test, a b\n";
    let (before, after) = talk.said().split_once(told).unwrap();
    assert!(before.contains("Maximum iterations") && after.contains("Add guardrail"));
}

#[test]
fn a_project_without_checks_is_asked_for_them() {
    let mut talk = Script::new(["npm test", "make lint", ""]);
    assert_eq!(checks(&mut talk).unwrap(), ["npm test", "make lint"]);
    assert!(talk.said().starts_with("No check was found in this project."), "{}", talk.said());
}

#[test]
fn checks_are_tried_unless_the_user_says_no() {
    let known = ["npm test".to_owned()];
    let wants = |checks: &[String], answers: &[&'static str]| {
        wants_trial(checks, &mut Script::new(answers.iter().copied())).unwrap()
    };
    assert!(wants(&known, &[""]));
    assert!(!wants(&known, &["n"]));
    assert!(!wants(&[], &[]), "there is nothing to try, and nothing to ask");
}

#[test]
fn an_end_at_any_question_ends_the_dialogue() {
    const FULL: [&str; 8] = ["a", "1", "d", "append", "e", "", "y", "git"];
    for answered in 0..FULL.len() {
        let mut talk = Script::new(FULL[..answered].iter().copied());
        let end = complete(given(&[]), &here(), &mut talk);
        assert!(matches!(end, Err(Silence::End)), "after {answered} answers");
    }
}
