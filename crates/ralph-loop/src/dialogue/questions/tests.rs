//! Which questions `init` asks, and how it parses the answers.

use clap::Parser;
use run_options::FailAction;

use super::*;
use crate::cli::{Cli, Command};
use crate::dialogue::scripted_user::ScriptedUser;

fn given(flags: &[&str]) -> AnswerArgs {
    let args = ["ralph-loop", "init"].iter().chain(flags);
    match Cli::parse_from(args).command {
        Some(Command::Init(args)) => args.settings,
        other => panic!("{other:?}"),
    }
}

fn here() -> InitContext {
    InitContext { agents: vec!["codex", "amp"], ..InitContext::default() }
}

#[test]
fn enter_everywhere_gives_the_defaults() {
    let mut user = ScriptedUser::new(["", "", "", ""]);
    let answers = complete(given(&[]), &here(), &mut user).unwrap();
    let expected = "\
Agents found: codex, amp
Agent command (e.g., claude, codex, amp, or other LLM CLI) [codex]: 
Maximum iterations [10, or 15 and more for stories]: 
Add guardrail command (leave blank to finish): 
Configure SCM? (y/N): 
";
    assert_eq!(user.output(), expected);
    assert_eq!((answers.agent.as_deref(), answers.max_iterations), (Some("codex"), None));
    assert!(answers.completion_response.is_none() && answers.agent_flag.is_empty());
    assert!(answers.guardrail.is_empty());
    assert_eq!((answers.scm_command, answers.scm_task), (None, vec![]));
}

#[test]
fn everything_can_be_answered() {
    let mut user = ScriptedUser::new([
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
    let answers = complete(given(&[]), &here(), &mut user).unwrap();
    assert!(user.is_used_up());
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
    assert_eq!(answers.scm_task, [ScmTask::Commit, ScmTask::Push]);
}

#[test]
fn invalid_answers_repeat_the_question() {
    let mut user = ScriptedUser::new([
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
    let answers = complete(given(&[]), &InitContext::default(), &mut user).unwrap();
    assert_eq!(answers.max_iterations, Some(4));
    assert_eq!(user.output().matches("a whole number above 0").count(), 5);
    assert_eq!(answers.guardrail[0].fail_action, FailAction::Replace);
    assert_eq!(user.output().matches("enter APPEND, PREPEND or REPLACE").count(), 1);
    assert_eq!(answers.scm_command.as_deref(), Some("git"));
    assert_eq!(answers.scm_task, [ScmTask::Push]);
    assert_eq!(user.output().matches("commit, push or both").count(), 2);
}

#[test]
fn without_an_agent_in_path_an_answer_is_required() {
    let mut user = ScriptedUser::new(["", "llm", "", "", ""]);
    let answers = complete(given(&[]), &InitContext::default(), &mut user).unwrap();
    assert_eq!(answers.agent.as_deref(), Some("llm"));
    assert!(user.output().starts_with("No known agent found."));
    assert!(user.output().contains("LLM CLI): \n  an answer is required\n"), "{}", user.output());
}

#[test]
fn each_flag_skips_its_question() {
    let questions: [(&[&str], &str); 5] = [
        (&["--agent", "x"], "Agent command"),
        (&["-n", "3"], "Maximum iterations"),
        (&["--guardrail", "x"], "Add guardrail"),
        (&["--scm-command", "git"], "Configure SCM"),
        (&["--scm-task", "push"], "Configure SCM"),
    ];
    for (flags, question) in questions {
        let mut user = ScriptedUser::new(["", "", "", ""]);
        complete(given(flags), &here(), &mut user).unwrap();
        assert!(!user.output().contains(question), "{flags:?}");
        assert_eq!(user.output().matches(": \n").count(), 3, "{flags:?}");
    }
    let all: Vec<&str> = questions.iter().flat_map(|(flags, _)| *flags).copied().collect();
    let mut user = ScriptedUser::new([]);
    complete(given(&all), &here(), &mut user).unwrap();
    assert_eq!(user.output(), "");
}

#[test]
fn the_checks_of_the_task_list_are_shown_before_the_guardrail_question() {
    let here = InitContext {
        checks: vec!["cargo test".into(), "a\nb".into()],
        tasks_name: "ralph/tasks.json".into(),
        ..here()
    };
    let mut user = ScriptedUser::new(["", "", "", ""]);
    complete(given(&[]), &here, &mut user).unwrap();
    let shown = "Checks of every story, in ralph/tasks.json: cargo test, a b\n";
    let (before, after) = user.output().split_once(shown).unwrap();
    assert!(before.contains("Maximum iterations") && after.contains("Add guardrail"));
}

#[test]
fn a_project_without_checks_is_asked_for_them() {
    let mut user = ScriptedUser::new(["npm test", "make lint", ""]);
    assert_eq!(checks(&mut user).unwrap(), ["npm test", "make lint"]);
    assert!(user.output().starts_with("No checks found in this project."), "{}", user.output());
}

#[test]
fn checks_are_tried_unless_the_user_says_no() {
    let known = ["npm test".to_owned()];
    let wants = |checks: &[String], answers: &[&'static str]| {
        wants_trial(checks, &mut ScriptedUser::new(answers.iter().copied())).unwrap()
    };
    assert!(wants(&known, &[""]));
    assert!(!wants(&known, &["n"]));
    assert!(!wants(&[], &[]), "without checks there is no question");
}

#[test]
fn end_of_input_at_any_question_ends_the_dialogue() {
    const FULL: [&str; 8] = ["a", "1", "d", "append", "e", "", "y", "git"];
    for answered in 0..FULL.len() {
        let mut user = ScriptedUser::new(FULL[..answered].iter().copied());
        let end = complete(given(&[]), &here(), &mut user);
        assert!(matches!(end, Err(NoAnswer::End)), "after {answered} answers");
    }
}
