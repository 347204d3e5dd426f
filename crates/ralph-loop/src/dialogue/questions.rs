//! The questions of `init` about the settings, in this order. A flag skips its question.

use clap::ValueEnum;
use run_options::{FailAction, Guardrail, ScmTask, Word};
use settings::Scm;

use super::ask;
use super::{NoAnswer, UserIo};
use crate::cli::AnswerArgs;
use crate::scaffold::one_line;

/// Facts that the questions depend on.
#[derive(Debug, Clone, Default)]
pub(crate) struct InitContext {
    /// Installed agents; the first is the default.
    pub(crate) agents: Vec<&'static str>,
    /// Checks that the task list gets anyway.
    pub(crate) checks: Vec<String>,
    /// `ralph/tasks.json`.
    pub(crate) tasks_name: String,
}

/// Asks for the answers that `given` lacks.
pub(crate) fn complete(
    given: AnswerArgs,
    here: &InitContext,
    user: &mut dyn UserIo,
) -> Result<AnswerArgs, NoAnswer> {
    let mut answers = given;
    if answers.agent.is_none() {
        answers.agent = Some(agent(here, user)?);
    }
    if answers.max_iterations.is_none() {
        // Without an answer, each kind of loop keeps its default.
        let question = "Maximum iterations [10, or 15 and more for stories]";
        answers.max_iterations = ask::optional_value(user, question, positive)?;
    }
    if answers.guardrail.is_empty() {
        answers.guardrail = guardrails(here, user)?;
    }
    if answers.scm_command.is_none() && answers.scm_task.is_empty() {
        scm(&mut answers, user)?;
    }
    Ok(answers)
}

/// Asked if none were detected: without checks only reviews find broken work.
pub(crate) fn checks(user: &mut dyn UserIo) -> Result<Vec<String>, NoAnswer> {
    user.say("No checks found in this project. A story is done only after all checks pass.\n")?;
    let question = "Command that must pass, such as `npm test` (leave blank to finish)";
    let mut checks = Vec::new();
    while let Some(command) = ask::optional(user, question)? {
        checks.push(command);
    }
    Ok(checks)
}

/// Asks whether to run the checks once, so that failures show before the first session.
pub(crate) fn wants_trial(checks: &[String], user: &mut dyn UserIo) -> Result<bool, NoAnswer> {
    if checks.is_empty() {
        return Ok(false);
    }
    ask::confirm(user, "Run the checks once now, to see whether they pass?", true)
}

/// Asked by `draft`, once the plan is valid.
pub(crate) fn wants_commit(user: &mut dyn UserIo) -> Result<bool, NoAnswer> {
    ask::confirm(user, "Commit the plan?", true)
}

fn agent(here: &InitContext, user: &mut dyn UserIo) -> Result<String, NoAnswer> {
    user.say(&match here.agents.as_slice() {
        [] => "No known agent found. You can enter any program.\n".to_owned(),
        found => format!("Agents found: {}\n", found.join(", ")),
    })?;
    let question = "Agent command (e.g., claude, codex, amp, or other LLM CLI)";
    ask::text(user, question, here.agents.first().copied())
}

fn guardrails(here: &InitContext, user: &mut dyn UserIo) -> Result<Vec<Guardrail>, NoAnswer> {
    if !here.checks.is_empty() {
        let checks: Vec<String> = here.checks.iter().map(|check| one_line(check)).collect();
        user.say(&format!(
            "Checks of every story, in {}: {}\nGuardrails are additional checks for every kind of loop.\n",
            here.tasks_name,
            checks.join(", "),
        ))?;
    }
    let mut guardrails = Vec::new();
    while let Some(command) = ask::optional(user, "Add guardrail command (leave blank to finish)")?
    {
        let question = "  Fail action (APPEND|PREPEND|REPLACE)";
        let fail_action = ask::value(user, question, Some("APPEND"), |word| {
            FailAction::from_word(word).ok_or_else(|| "enter APPEND, PREPEND or REPLACE".to_owned())
        })?;
        let hint = ask::optional(user, "  Hint (optional, guidance for agent on failure)")?;
        guardrails.push(Guardrail { fail_action, hint, ..Guardrail::of_command(command) });
    }
    Ok(guardrails)
}

fn scm(answers: &mut AnswerArgs, user: &mut dyn UserIo) -> Result<(), NoAnswer> {
    if ask::confirm(user, "Configure SCM?", false)? {
        let default = Scm::default().command;
        answers.scm_command = Some(ask::text(user, "  SCM command", Some(&default))?);
        let question = "  SCM tasks (comma-separated, e.g., commit,push)";
        answers.scm_task = ask::value(user, question, Some("commit"), tasks)?;
    }
    Ok(())
}

fn positive(answer: &str) -> Result<u64, String> {
    match answer.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("enter a whole number above 0".into()),
    }
}

fn tasks(answer: &str) -> Result<Vec<ScmTask>, String> {
    let tasks: Result<Vec<_>, String> =
        ask::items(answer).map(|word| ScmTask::from_str(word, true)).collect();
    match tasks {
        Ok(tasks) if !tasks.is_empty() => Ok(tasks),
        _ => Err("enter commit, push or both".into()),
    }
}

#[cfg(test)]
mod tests;
