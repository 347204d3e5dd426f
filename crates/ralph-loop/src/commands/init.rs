//! `ralph-loop init`: flags, then questions for what they leave open, then all files at once.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use chrono::Local;
use project::Layout;
use settings::{Agent, Draft, DraftAttempts, Flags, Scm, ScmTask, Settings};

use super::{Done, check_trial, layout, print, stopped};
use crate::cli::{AnswerArgs, InitArgs, ProjectArgs};
use crate::command_error::precondition;
use crate::dialogue::{self, Silence, Surroundings, Talk, Terminal};
use crate::scaffold::from_plan::{self, ImportedPlan, PlanSettings, Remark};
use crate::scaffold::{Checks, Existing, InitError, InitOptions, Plan, one_line};
use crate::{json, programs, resolve};

pub(crate) fn init(args: &InitArgs) -> Done {
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
    let today = engine::now().with_timezone(&Local).date_naive();
    let mut plan = Plan::new(&options, today)?;
    let terminal = match args.yes || args.json {
        true => None,
        false => Terminal::open().context("cannot listen to the terminal")?,
    };
    let answered = match terminal {
        None => Answered { existing: options.existing, answers: given, ..Answered::default() },
        Some(mut terminal) => match ask(&options, &given, &plan, &mut terminal) {
            Ok(answered) => answered,
            Err(silence) => return stopped(silence, "nothing was written"),
        },
    };
    let Answered { existing, answers, checks, wants_trial } = answered;
    if !checks.is_empty() {
        options.checks = Checks::Given(checks);
        plan = Plan::new(&options, today)?;
    }
    let checks = commands(&plan);
    let stay = plan.finds_settings() && existing == Existing::Keep;
    let unheard = stay && args.settings != AnswerArgs::default();
    let remarks = if stay { unheard_of(&planned, &options.layout) } else { Vec::new() };
    let draft =
        Draft { attempts: attempts(&planned), validation: planned.validation, ..draft(&answers) };
    let plan = plan.with_remarks(remarks).with_settings(settings::render(&draft), existing)?;
    let report = plan.write()?;
    if args.json {
        print(&json::pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    print(&report.to_string());
    if unheard {
        print("\nnote: your settings stay as they are; --force replaces them by what you gave\n");
    }
    if wants_trial {
        check_trial::try_checks(&options.layout, &checks)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A project in another one is rarely meant.
fn refuse_project_above(args: &ProjectArgs, root: &Path) -> Result<()> {
    let here = Path::new(".").canonicalize().context("cannot find the current folder")?;
    if args.project_dir.is_some() || root == here {
        return Ok(());
    }
    Err(precondition(
        format!("this folder is part of a project that is set up: {}", root.display()),
        "go there to change it; `ralph-loop init --project-dir .` sets up a project of its own here",
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

/// What the plan says and settings that stay do not.
fn unheard_of(planned: &PlanSettings, layout: &Layout) -> Vec<Remark> {
    let loaded = resolve::settings(layout, &Flags::default()).ok().map(|loaded| loaded.settings);
    let iterations = loaded.as_ref().and_then(|settings| settings.maximum_iterations);
    let attempts = loaded.as_ref().map(|settings| settings.attempts.most);
    let validation = loaded.as_ref().map(|settings| settings.validation);
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let word = |value: Option<settings::Validation>| {
        value.and_then(|value| serde_json::to_string(&value).ok())
    };
    let unheard = [
        ("maximumIterations", number(planned.maximum_iterations), number(iterations)),
        ("attempts.most", number(planned.most_attempts), number(attempts)),
        ("validation", word(planned.validation), word(validation)),
    ];
    let unheard = unheard.into_iter().filter(|(_, planned, here)| planned != here);
    unheard.filter_map(|(key, value, _)| Some(Remark::SettingKept { key, value: value? })).collect()
}

/// What the user said on the terminal.
#[derive(Debug, Default)]
struct Answered {
    /// What becomes of settings that are here.
    existing: Existing,
    answers: AnswerArgs,
    /// Where the project shows none.
    checks: Vec<String>,
    wants_trial: bool,
}

fn commands(plan: &Plan) -> Vec<String> {
    plan.checks().iter().map(|check| check.command.clone()).collect()
}

fn ask(
    options: &InitOptions,
    given: &AnswerArgs,
    plan: &Plan,
    talk: &mut dyn Talk,
) -> Result<Answered, Silence> {
    let layout = &options.layout;
    talk.say(&format!(
        "Setting up {}. Enter takes what stands in [brackets]; Ctrl-C ends this and writes nothing.\n\n",
        one_line(plan.project())
    ))?;
    let existing = match options.existing {
        Existing::Keep if plan.finds_settings() => dialogue::overwrite(layout, talk)?,
        existing => existing,
    };
    let mut answered = Answered { existing, answers: given.clone(), ..Answered::default() };
    let keeps_settings = plan.finds_settings() && existing == Existing::Keep;
    let mut checks = commands(plan);
    if plan.lacks_checks() {
        answered.checks = dialogue::checks(talk)?;
        checks.clone_from(&answered.checks);
    }
    let here = Surroundings {
        agents: programs::installed_agents(),
        checks: checks.clone(),
        tasks_name: layout.tasks_name(),
    };
    if !keeps_settings {
        answered.answers = dialogue::complete(answered.answers, &here, talk)?;
    }
    answered.wants_trial = dialogue::wants_trial(&checks, talk)?;
    talk.say("\n")?;
    Ok(answered)
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
