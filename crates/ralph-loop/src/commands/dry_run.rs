//! `--dry-run`: shows the first iteration without running it.

mod context_table;
mod in_effect;

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use agents::CommandLine;
use engine::{DryRun, FirstIteration, LaneOptions, PromptDryRun, PromptOptions, StoryOptions};
use serde_json::{Value, json};
use tasks::{BlockedStory, Selection};

use super::{CommandResult, print};
use crate::cli::OutputFormat;
use crate::report::neutral_block;
use in_effect::InEffect;

pub(super) fn show(options: &StoryOptions, format: OutputFormat) -> CommandResult {
    let dry = engine::dry_run(options)?;
    let effect = InEffect::of_stories(options);
    let lanes = options.lanes.as_ref();
    print_as(format, &as_json(&dry, &effect, lanes), &text(&dry, &effect, lanes))
}

pub(super) fn show_prompt(options: &PromptOptions, format: OutputFormat) -> CommandResult {
    let dry = engine::dry_run_prompt(options)?;
    let effect = InEffect::of_prompt(options);
    print_as(format, &prompt_as_json(&dry, &effect), &prompt_text(&dry, &effect))
}

fn print_as(format: OutputFormat, json: &Value, text: &str) -> CommandResult {
    match format {
        OutputFormat::Json | OutputFormat::Result => print(&crate::json::pretty(json)?),
        // Stories, feedback and check output are untrusted text.
        OutputFormat::Human if io::stdout().is_terminal() => {
            print(&format!("{}\n", neutral_block(text).join("\n")));
        }
        OutputFormat::Human => print(text),
    }
    Ok(ExitCode::SUCCESS)
}

/// The file from which the printed command line reads the prompt.
const PROMPT_FILE: &str = "prompt.txt";

fn command_text(command: &CommandLine, prompt: &str) -> String {
    format!(
        "\nCommand, with the prompt in {PROMPT_FILE} (--output json | jq -r .prompt > {PROMPT_FILE}):\n{}\n",
        command.pasteable(prompt, PROMPT_FILE)
    )
}

fn prompt_text(dry: &PromptDryRun, effect: &InEffect) -> String {
    let mut text = format!("Prompt:\n{}\n\n", dry.prompt.trim_end());
    for command in &dry.guardrails {
        let _ = writeln!(text, "Guardrail: {command}");
    }
    text + &effect.lines()
        + &unknown_variables(&dry.unknown_variables)
        + &command_text(&dry.command, &dry.prompt)
}

fn prompt_as_json(dry: &PromptDryRun, effect: &InEffect) -> Value {
    json!({
        "next": "work",
        "guardrails": dry.guardrails,
        "timeLimits": effect.limits_json(),
        "isolation": effect.isolation_json(),
        "unknownVariables": dry.unknown_variables,
        "command": dry.command.pasteable(&dry.prompt, PROMPT_FILE),
        "prompt": dry.prompt,
    })
}

fn text(dry: &DryRun, effect: &InEffect, lanes: Option<&LaneOptions>) -> String {
    let mut text = dry.first.as_ref().map(prompts).unwrap_or_default();
    text += &match &dry.selection {
        Selection::Complete => "Every story is done: nothing to do.\n".to_owned(),
        Selection::Blocked(stories) => {
            let reasons: Vec<String> = stories.iter().map(|story| format!("  {story}\n")).collect();
            format!("No story can be worked on:\n{}", reasons.concat())
        }
        Selection::Work { mode, story } => format!("Next: {mode} {story}\n"),
    };
    text.push_str(&uncommitted(&dry.uncommitted, lanes));
    let Some(first) = &dry.first else { return text };
    if let Some(estimate) = &dry.estimate {
        let _ = writeln!(text, "Estimate: {}", estimate.in_words());
        if let Some(short) = estimate.shortfall() {
            let _ = writeln!(text, "          {short}");
        }
    }
    let _ = writeln!(text, "Branch: {}", first.branch);
    if let Some(LaneOptions { jobs, dir, .. }) = lanes {
        let lanes = if *jobs == 1 { "lane" } else { "lanes" };
        let _ =
            writeln!(text, "Clones: {jobs} {lanes} and one for verification, in {}", dir.display());
    }
    for command in &first.checks {
        let _ = writeln!(text, "Check: {command}");
    }
    if first.checks.is_empty() {
        text.push_str("Checks: none are configured\n");
    }
    text += &effect.lines();
    text += &unknown_variables(&first.unknown_variables);
    for problem in &first.skill_problems {
        let _ = writeln!(text, "Skill: {problem}");
    }
    if let Some(why) = &first.compaction {
        let _ = writeln!(text, "Compacts first: {why}");
    }
    text + &command_text(&first.command, &first.prompt)
}

fn unknown_variables(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("Unknown variables: {}\n", names.join(", ")),
    }
}

/// Empty if there are no such changes.
fn uncommitted(paths: &[String], lanes: Option<&LaneOptions>) -> String {
    let named = match paths {
        [] => return String::new(),
        [path] => path.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    };
    match lanes {
        None => format!("Commit first: {named} (or start with --allow-dirty)\n"),
        Some(_) => format!("Uncommitted, so not in the clones: {named}\n"),
    }
}

/// The prompts for the agent, with their sections if the context has a budget.
fn prompts(first: &FirstIteration) -> String {
    let mut text = String::new();
    if !first.system_prompt.is_empty() {
        let _ = write!(text, "Added to the system prompt:\n{}\n\n", first.system_prompt.trim_end());
    }
    let _ = write!(text, "Prompt:\n{}\n\n", first.prompt.trim_end());
    if let Some(context) = &first.context {
        let lines = context_table::lines(context).join("\n");
        let _ = write!(text, "Tokens (approximate):\n{lines}\n\n");
    }
    text
}

fn as_json(dry: &DryRun, effect: &InEffect, lanes: Option<&LaneOptions>) -> Value {
    let (next, mode, story, blocked) = match &dry.selection {
        Selection::Complete => ("complete", None, None, Vec::new()),
        Selection::Blocked(stories) => {
            ("blocked", None, None, stories.iter().map(BlockedStory::to_string).collect())
        }
        Selection::Work { mode, story } => ("work", Some(*mode), Some(story), Vec::new()),
    };
    let first = dry.first.as_ref();
    json!({
        "next": next,
        "mode": mode,
        "story": story,
        "blocked": blocked,
        "uncommitted": dry.uncommitted,
        "branch": first.map(|first| &first.branch),
        "lanes": lanes.map(|lanes| json!({ "jobs": lanes.jobs, "dir": lanes.dir })),
        "estimate": dry.estimate,
        "checks": first.map(|first| &first.checks),
        "timeLimits": effect.limits_json(),
        "isolation": effect.isolation_json(),
        "unknownVariables": first.map(|first| &first.unknown_variables),
        "skillProblems": first.map(|first| &first.skill_problems),
        "compaction": first.and_then(|first| first.compaction.as_ref()),
        "context": first.and_then(|first| first.context.as_ref()).map(context_table::json),
        "systemPrompt": first.map(|first| &first.system_prompt).filter(|text| !text.is_empty()),
        "command": first.map(|first| first.command.pasteable(&first.prompt, PROMPT_FILE)),
        "prompt": first.map(|first| &first.prompt),
    })
}
