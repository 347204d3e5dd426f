//! `ralph-loop init`: flags, then questions for what they leave open, then all files at once.

use std::process::ExitCode;

use chrono::Local;
use settings::{Agent, Draft, Scm, ScmTask, Settings};

use super::{Done, layout, print, stopped};
use crate::cli::{AnswerArgs, InitArgs};
use crate::command_error::CommandError;
use crate::dialogue::{self, Silence, Surroundings, Talk, Terminal};
use crate::programs;
use crate::scaffold::{Checks, Existing, InitOptions, Plan, one_line};

pub(crate) fn init(args: &InitArgs) -> Done {
    let options = InitOptions {
        layout: layout(&args.project)?,
        name: args.name.clone(),
        existing: if args.force { Existing::Replace } else { Existing::Keep },
        checks: if args.verify.is_empty() {
            Checks::Detect
        } else {
            Checks::Given(args.verify.clone())
        },
    };
    let plan = Plan::new(&options, Local::now().date_naive())?;
    let terminal = match args.yes {
        true => None,
        false => Terminal::open().map_err(CommandError::io("listen to the terminal"))?,
    };
    let (existing, answers) = match terminal {
        None => (options.existing, args.settings.clone()),
        Some(mut terminal) => match ask(&options, &args.settings, &plan, &mut terminal) {
            Ok(answered) => answered,
            Err(silence) => return stopped(silence, "nothing was written"),
        },
    };
    let unheard = plan.finds_settings()
        && existing == Existing::Keep
        && args.settings != AnswerArgs::default();
    let report = plan.with_settings(settings::render(&draft(&answers)), existing)?.write()?;
    print(&report.to_string());
    if unheard {
        print("\nnote: your settings stay as they are; --force replaces them by what you gave\n");
    }
    Ok(ExitCode::SUCCESS)
}

/// What becomes of settings that are here, and what the new ones say.
fn ask(
    options: &InitOptions,
    given: &AnswerArgs,
    plan: &Plan,
    talk: &mut dyn Talk,
) -> Result<(Existing, AnswerArgs), Silence> {
    let layout = &options.layout;
    talk.say(&format!(
        "Setting up {}. Enter takes what stands in [brackets]; Ctrl-C ends this and writes nothing.\n\n",
        one_line(plan.project())
    ))?;
    let existing = match options.existing {
        Existing::Keep if plan.finds_settings() => dialogue::overwrite(layout, talk)?,
        existing => existing,
    };
    if plan.finds_settings() && existing == Existing::Keep {
        return Ok((existing, given.clone()));
    }
    let here = Surroundings {
        agents: programs::installed_agents(),
        checks: plan.checks().iter().map(|check| check.command.clone()).collect(),
        tasks_name: layout.tasks_name(),
    };
    let answers = dialogue::complete(given.clone(), &here, talk)?;
    talk.say("\n")?;
    Ok((existing, answers))
}

/// Agent and completion always stand in the file, so that there is something to edit. Iterations only
/// if they were named: each kind of loop has a default of its own.
fn draft(answers: &AnswerArgs) -> Draft {
    let default = Settings::default();
    let agent = Agent {
        command: answers.agent.clone().unwrap_or(default.agent.command),
        flags: answers.agent_flag.clone(),
        ..Agent::default()
    };
    Draft {
        maximum_iterations: answers.max_iterations,
        completion_response: answers
            .completion_response
            .clone()
            .or(Some(default.completion_response)),
        agent: Some(agent),
        guardrails: answers.guardrail.clone(),
        scm: scm(answers),
        ..Draft::default()
    }
}

fn scm(answers: &AnswerArgs) -> Option<Scm> {
    if answers.scm_command.is_none() && answers.scm_task.is_empty() {
        return None;
    }
    let tasks: Vec<ScmTask> = answers.scm_task.iter().copied().map(ScmTask::from).collect();
    Some(Scm {
        command: answers.scm_command.clone().unwrap_or_else(|| Scm::default().command),
        // Nothing leaves the machine unless that was asked for.
        tasks: if tasks.is_empty() { vec![ScmTask::Commit] } else { tasks },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ScmTaskArg;

    #[test]
    fn without_answers_the_file_has_what_everybody_edits() {
        let expected = r#"{
  "$schema": "./settings.schema.json",
  "completionResponse": "DONE",
  "agent": {
    "command": "claude",
    "flags": []
  }
}
"#;
        assert_eq!(settings::render(&draft(&AnswerArgs::default())), expected);
    }

    #[test]
    fn half_an_answer_about_scm_is_completed() {
        let none = AnswerArgs::default;
        let only_command = AnswerArgs { scm_command: Some("hg".into()), ..none() };
        let only_task = AnswerArgs { scm_task: vec![ScmTaskArg::Push], ..none() };
        assert_eq!(scm(&none()), None);
        let scm = |args| scm(args).map(|scm| (scm.command, scm.tasks));
        assert_eq!(scm(&only_command), Some(("hg".into(), vec![ScmTask::Commit])));
        assert_eq!(scm(&only_task), Some(("git".into(), vec![ScmTask::Push])));
    }
}
