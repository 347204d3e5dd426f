//! `ralph-loop init`: reads flags, asks for missing answers, then writes all files.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use chrono::Local;
use project::Layout;
use run_options::{ScmTask, ValidationStrategy};
use settings::{Agent, Draft, DraftAttempts, Flags, Scm, Settings};

use super::{CommandResult, check_trial, layout, print, stopped};
use crate::cli::{AnswerArgs, InitArgs, ProjectArgs};
use crate::command_error::precondition;
use crate::dialogue::{self, InitContext, NoAnswer, Terminal, UserIo};
use crate::scaffold::from_plan::{self, ImportedPlan, PlanSettings, Remark};
use crate::scaffold::{Checks, Existing, InitError, InitOptions, InitPlan, one_line};
use crate::{json, programs, resolve};

pub(crate) fn init(args: &InitArgs) -> CommandResult {
    let imported = args.from_plan.as_deref().map(read_plan).transpose()?;
    let planned = imported.as_ref().map(|plan| plan.settings.clone()).unwrap_or_default();
    let mut given = args.settings.clone();
    given.max_iterations = given.max_iterations.or(planned.maximum_iterations);
    let layout = layout(&args.project)?;
    refuse_project_above(&args.project, layout.root())?;
    let mut options = InitOptions {
        layout,
        name: args.name.clone(),
        existing: if args.force { Existing::Replace } else { Existing::Keep },
        checks: if args.verify.is_empty() {
            Checks::Detect
        } else {
            Checks::Given(args.verify.clone())
        },
        imported,
    };
    let today = events::now().with_timezone(&Local).date_naive();
    let mut plan = InitPlan::new(&options, today)?;
    let terminal = match args.yes || args.json {
        true => None,
        false => Terminal::open().context("cannot open the terminal")?,
    };
    let answered = match terminal {
        None => {
            InitAnswers { existing: options.existing, answers: given, ..InitAnswers::default() }
        }
        Some(mut terminal) => match ask(&options, &given, &plan, &mut terminal) {
            Ok(answered) => answered,
            Err(no_answer) => return stopped(no_answer, "nothing was written"),
        },
    };
    let InitAnswers { existing, answers, checks, wants_trial } = answered;
    if !checks.is_empty() {
        options.checks = Checks::Given(checks);
        plan = InitPlan::new(&options, today)?;
    }
    let checks = commands(&plan);
    let stay = plan.finds_settings() && existing == Existing::Keep;
    let ignored = stay && args.settings != AnswerArgs::default();
    let remarks = if stay { ignored_plan_values(&planned, &options.layout) } else { Vec::new() };
    let draft =
        Draft { attempts: attempts(&planned), validation: planned.validation, ..draft(&answers) };
    let plan = plan.with_remarks(remarks).with_settings(settings::render(&draft), existing)?;
    let report = plan.write()?;
    if args.json {
        print(&json::pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    print(&report.to_string());
    if ignored {
        print(
            "\nnote: existing settings are kept; use --force to replace them with your answers\n",
        );
    }
    if wants_trial {
        check_trial::try_checks(&options.layout, &checks)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A project inside another project is rarely intended.
fn refuse_project_above(args: &ProjectArgs, root: &Path) -> Result<()> {
    let here = Path::new(".").canonicalize().context("cannot find the current folder")?;
    if args.project_dir.is_some() || root == here {
        return Ok(());
    }
    Err(precondition(
        format!("this folder is part of an existing project: {}", root.display()),
        "change to that folder, or create a separate project with `ralph-loop init --project-dir .`",
    ))
}

fn read_plan(path: &Path) -> Result<ImportedPlan, InitError> {
    const LARGEST: u64 = 64 * 1024 * 1024;
    let bytes = bounded_read::read_file(path, LARGEST)
        .map_err(|error| InitError::Unreadable { path: path.to_path_buf(), error })?;
    from_plan::read(&bytes)
        .map_err(|problems| InitError::Plan { path: path.to_path_buf(), problems })
}

fn attempts(planned: &PlanSettings) -> Option<DraftAttempts> {
    planned.most_attempts.map(|most| DraftAttempts { most })
}

/// Values of the plan that differ from the settings which are kept.
fn ignored_plan_values(planned: &PlanSettings, layout: &Layout) -> Vec<Remark> {
    let loaded = resolve::settings(layout, &Flags::default()).ok().map(|loaded| loaded.settings);
    let iterations = loaded.as_ref().and_then(|settings| settings.maximum_iterations);
    let attempts = loaded.as_ref().map(|settings| settings.attempts.most);
    let validation = loaded.as_ref().map(|settings| settings.validation);
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let text = |value: Option<ValidationStrategy>| {
        value.and_then(|value| serde_json::to_string(&value).ok())
    };
    let ignored = [
        ("maximumIterations", number(planned.maximum_iterations), number(iterations)),
        ("attempts.most", number(planned.most_attempts), number(attempts)),
        ("validation", text(planned.validation), text(validation)),
    ];
    let ignored = ignored.into_iter().filter(|(_, planned, here)| planned != here);
    ignored.filter_map(|(key, value, _)| Some(Remark::SettingKept { key, value: value? })).collect()
}

/// The user's answers on the terminal.
#[derive(Debug, Default)]
struct InitAnswers {
    /// Whether existing settings are kept.
    existing: Existing,
    answers: AnswerArgs,
    /// Only if none were detected.
    checks: Vec<String>,
    wants_trial: bool,
}

fn commands(plan: &InitPlan) -> Vec<String> {
    plan.checks().iter().map(|check| check.command.clone()).collect()
}

fn ask(
    options: &InitOptions,
    given: &AnswerArgs,
    plan: &InitPlan,
    user: &mut dyn UserIo,
) -> Result<InitAnswers, NoAnswer> {
    let layout = &options.layout;
    user.say(&format!(
        "Setting up {}. Press Enter for the default in [brackets], Ctrl-C to cancel without writing files.\n\n",
        one_line(plan.project())
    ))?;
    let existing = match options.existing {
        Existing::Keep if plan.finds_settings() => dialogue::overwrite(layout, user)?,
        existing => existing,
    };
    let mut answered = InitAnswers { existing, answers: given.clone(), ..InitAnswers::default() };
    let keeps_settings = plan.finds_settings() && existing == Existing::Keep;
    let mut checks = commands(plan);
    if plan.lacks_checks() {
        answered.checks = dialogue::checks(user)?;
        checks.clone_from(&answered.checks);
    }
    let here = InitContext {
        agents: programs::installed_agents(),
        checks: checks.clone(),
        tasks_name: layout.tasks_name(),
    };
    if !keeps_settings {
        answered.answers = dialogue::complete(answered.answers, &here, user)?;
    }
    answered.wants_trial = dialogue::wants_trial(&checks, user)?;
    user.say("\n")?;
    Ok(answered)
}

/// The file always has agent and completion, so that there is something to edit. It has iterations only if given,
/// because each kind of loop has its own default.
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
    let tasks = answers.scm_task.clone();
    Some(Scm {
        command: answers.scm_command.clone().unwrap_or_else(|| Scm::default().command),
        // A push needs an explicit answer.
        tasks: if tasks.is_empty() { vec![ScmTask::Commit] } else { tasks },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_answers_the_file_has_agent_and_completion() {
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
        let only_task = AnswerArgs { scm_task: vec![ScmTask::Push], ..none() };
        assert_eq!(scm(&none()), None);
        let scm = |args| scm(args).map(|scm| (scm.command, scm.tasks));
        assert_eq!(scm(&only_command), Some(("hg".into(), vec![ScmTask::Commit])));
        assert_eq!(scm(&only_task), Some(("git".into(), vec![ScmTask::Push])));
    }
}
