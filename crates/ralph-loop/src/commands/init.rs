//! `ralph-loop init`: reads flags, asks for missing answers, then writes all files.

mod import;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use project::Layout;
use run_options::{ProofUse, ScmTask};
use serde::Serialize;
use serde_json::json;
use settings::{Agent, Draft, DraftAttempts, DraftLanes, Flags, Scm, Settings};

use super::{CommandResult, check_trial, layout, print, settings_or_default, stopped, today};
use crate::cli::{AnswerArgs, InitArgs, ProjectArgs};
use crate::command_error::precondition;
use crate::dialogue::{self, InitContext, NoAnswer, Terminal, UserIo};
use crate::scaffold::imported::{PlanSettings, Remark};
use crate::scaffold::{Existing, InitOptions, InitPlan, InitReport, one_line};
use crate::validate::{Validation, render};
use crate::{display, json, programs, resolve};

pub(super) fn init(args: &InitArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    refuse_project_above(&args.project, layout.root())?;
    let imported = import::imported(&args.import, &layout)?;
    let planned = imported.as_ref().map(|plan| plan.settings.clone()).unwrap_or_default();
    let mut given = args.settings.clone();
    given.max_iterations = given.max_iterations.or(planned.maximum_iterations);
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let (name, checks) = (args.name.clone(), args.verify.clone());
    let mut options = InitOptions { layout, name, existing, checks, imported };
    let mut plan = InitPlan::new(&options, today())?;
    let terminal = match args.yes || args.json {
        true => None,
        false => Terminal::open().context("cannot open the terminal")?,
    };
    let answered = match terminal {
        None => Ok(InitAnswers { existing, answers: given, ..InitAnswers::default() }),
        Some(mut terminal) => ask(&options, &given, &plan, &mut terminal),
    };
    let InitAnswers { existing, answers, checks, wants_trial } = match answered {
        Ok(answered) => answered,
        Err(no_answer) => return stopped(no_answer, "nothing was written"),
    };
    if !checks.is_empty() {
        options.checks = checks;
        plan = InitPlan::new(&options, today())?;
    }
    let checks = plan.checks().unwrap_or_default().to_vec();
    let stay = plan.has_settings && existing == Existing::Keep;
    let ignored = stay && args.settings != AnswerArgs::default();
    if let Some(imported) = plan.imported.as_mut().filter(|_| stay) {
        imported.remarks.extend(ignored_plan_values(&planned, &options.layout));
    }
    let attempts = planned.most_attempts.map(|most| DraftAttempts { most });
    let setup: Vec<String> = plan.setup.iter().map(|found| found.command.clone()).collect();
    let lanes = (!setup.is_empty()).then_some(DraftLanes { setup });
    let draft = Draft { attempts, validation: planned.validation, lanes, ..draft(&answers) };
    if draft.proof.is_some() {
        plan.frameworks.clear();
    }
    plan.add_settings(settings::render(&draft), existing)?;
    let report = plan.write()?;
    let validation = validation(&report, &options.layout)?;
    if args.json {
        print(&json::pretty(&InitOutput { report, validation })?);
        return Ok(ExitCode::SUCCESS);
    }
    print(&report.to_string());
    if let Some(validation) = &validation {
        let look = display::look(&settings_or_default(&options.layout).display);
        print(&format!("\n{}", render(validation, &look)));
    }
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

#[derive(Serialize)]
struct InitOutput {
    #[serde(flatten)]
    report: InitReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Validation>,
}

/// Of the list with the imported stories; `None` if there are none.
fn validation(report: &InitReport, layout: &Layout) -> Result<Option<Validation>> {
    let imported = report.plan.as_ref().filter(|plan| plan.stories > 0);
    imported.map(|_| Validation::read(layout, &settings_or_default(layout))).transpose()
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

/// Values of the plan that differ from the settings which are kept.
fn ignored_plan_values(planned: &PlanSettings, layout: &Layout) -> Vec<Remark> {
    let kept = resolve::settings(layout, &Flags::default()).ok();
    let kept = kept.and_then(|loaded| serde_json::to_value(loaded.settings).ok());
    let kept = kept.unwrap_or_default();
    let values = [
        ("maximumIterations", json!(planned.maximum_iterations)),
        ("attempts.most", json!(planned.most_attempts)),
        ("validation", json!(planned.validation)),
    ];
    let ignored = values.into_iter().filter(|(key, value)| {
        let kept = kept.pointer(&format!("/{}", key.replace('.', "/")));
        !value.is_null() && kept != Some(value)
    });
    let remark = |(key, value)| {
        let message = format!("the existing settings are kept; the plan has {key} {value}");
        Remark::new("settingKept", key, message)
    };
    ignored.map(remark).collect()
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
        Existing::Keep if plan.has_settings => dialogue::overwrite(layout, user)?,
        existing => existing,
    };
    let mut answered = InitAnswers { existing, answers: given.clone(), ..InitAnswers::default() };
    let checks = match plan.checks() {
        Some(none) if none.is_empty() => {
            answered.checks = dialogue::checks(user)?;
            answered.checks.clone()
        }
        checks => checks.unwrap_or_default(),
    };
    let (agents, tasks_name) = (programs::installed_agents(), layout.tasks_name());
    let here = InitContext { agents, checks, tasks_name };
    if !plan.has_settings || existing == Existing::Replace {
        answered.answers = dialogue::complete(answered.answers, &here, user)?;
    }
    answered.wants_trial = dialogue::wants_trial(&here.checks, user)?;
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
    let response = answers.completion_response.clone().unwrap_or(default.completion_response);
    Draft {
        maximum_iterations: answers.max_iterations,
        completion_response: Some(response),
        agent: Some(agent),
        guardrails: answers.guardrail.clone(),
        scm: scm(answers),
        proof: answers.proof.then_some(ProofUse::Require),
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
