//! What `init` asks about the settings, in this order. A question that a flag answered is not asked.

use clap::ValueEnum;
use settings::{FailAction, Guardrail, GuardrailKind, Scm};

use super::ask::{self, Decision};
use super::{Silence, Talk};
use crate::cli::{AnswerArgs, ScmTaskArg};
use crate::scaffold::one_line;

/// What is known before the first question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// Those that can be started here; the first is the default.
    pub(crate) agents: Vec<&'static str>,
    /// Checks that go into the task list anyway.
    pub(crate) checks: Vec<String>,
    /// `ralph/tasks.json`.
    pub(crate) tasks_name: String,
}

/// Asks for what `given` leaves open.
pub(crate) fn complete(
    given: AnswerArgs,
    here: &Surroundings,
    talk: &mut dyn Talk,
) -> Result<AnswerArgs, Silence> {
    let mut answers = given;
    if answers.agent.is_none() {
        answers.agent = Some(agent(here, talk)?);
    }
    if answers.max_iterations.is_none() {
        // Left open, each kind of loop keeps its own.
        let question = "Maximum iterations [10, or 15 and more over stories]";
        answers.max_iterations = ask::optional_value(talk, question, positive)?;
    }
    if answers.guardrail.is_empty() {
        answers.guardrail = guardrails(here, talk)?;
    }
    if answers.scm_command.is_none() && answers.scm_task.is_empty() {
        scm(&mut answers, talk)?;
    }
    Ok(answers)
}

/// Asked where the project shows none: without a check, nothing but reviews finds broken work.
pub(crate) fn checks(talk: &mut dyn Talk) -> Result<Vec<String>, Silence> {
    talk.say("No check was found in this project. A story counts only after all checks passed.\n")?;
    let question = "Command that must pass, such as `npm test` (leave blank to finish)";
    let mut checks = Vec::new();
    while let Some(command) = ask::optional(talk, question)? {
        checks.push(command);
    }
    Ok(checks)
}

/// Whether the checks are to be run once, so that the first session does not have to find out that they fail.
pub(crate) fn wants_trial(checks: &[String], talk: &mut dyn Talk) -> Result<bool, Silence> {
    if checks.is_empty() {
        return Ok(false);
    }
    Ok(ask::decision_or_yes(talk, "Run the checks once now, to see whether they pass?")?
        == Decision::Yes)
}

/// Asked by `draft`, once the plan is valid.
pub(crate) fn wants_commit(talk: &mut dyn Talk) -> Result<bool, Silence> {
    Ok(ask::decision_or_yes(talk, "Commit the plan?")? == Decision::Yes)
}

fn agent(here: &Surroundings, talk: &mut dyn Talk) -> Result<String, Silence> {
    talk.say(&match here.agents.as_slice() {
        [] => "None of the agents with a name was found here; any program will do.\n".to_owned(),
        found => format!("Agents found here: {}\n", found.join(", ")),
    })?;
    let question = "Agent command (e.g., claude, codex, amp, or other LLM CLI)";
    ask::text(talk, question, here.agents.first().copied())
}

fn guardrails(here: &Surroundings, talk: &mut dyn Talk) -> Result<Vec<Guardrail>, Silence> {
    if !here.checks.is_empty() {
        let checks: Vec<String> = here.checks.iter().map(|check| one_line(check)).collect();
        talk.say(&format!(
            "Already checks of every story, in {}: {}\nGuardrails are more of that, for every kind \
             of loop.\n",
            here.tasks_name,
            checks.join(", "),
        ))?;
    }
    let mut guardrails = Vec::new();
    while let Some(command) = ask::optional(talk, "Add guardrail command (leave blank to finish)")?
    {
        let question = "  Fail action (APPEND|PREPEND|REPLACE)";
        let fail_action = ask::value(talk, question, "APPEND", |word| {
            FailAction::from_word(word).ok_or_else(|| "one of the three is expected".to_owned())
        })?;
        let hint = ask::optional(talk, "  Hint (optional, guidance for agent on failure)")?;
        let kind = GuardrailKind::default();
        guardrails.push(Guardrail { command, kind, fail_action, hint, time_limit: None });
    }
    Ok(guardrails)
}

fn scm(answers: &mut AnswerArgs, talk: &mut dyn Talk) -> Result<(), Silence> {
    if ask::decision(talk, "Configure SCM?")? == Decision::Yes {
        let default = Scm::default().command;
        answers.scm_command = Some(ask::text(talk, "  SCM command", Some(&default))?);
        let question = "  SCM tasks (comma-separated, e.g., commit,push)";
        answers.scm_task = ask::value(talk, question, "commit", tasks)?;
    }
    Ok(())
}

fn positive(answer: &str) -> Result<u64, String> {
    match answer.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("a whole number above 0 is expected".into()),
    }
}

fn tasks(answer: &str) -> Result<Vec<ScmTaskArg>, String> {
    let tasks: Result<Vec<_>, String> =
        ask::items(answer).map(|word| ScmTaskArg::from_str(word, true)).collect();
    match tasks {
        Ok(tasks) if !tasks.is_empty() => Ok(tasks),
        _ => Err("commit, push or both are expected".into()),
    }
}

#[cfg(test)]
mod tests;
