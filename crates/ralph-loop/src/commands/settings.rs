//! `ralph-loop settings`: what holds, and who said it. Writes nothing.

use std::fmt::Display;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use settings::{Guard, Origin, SCHEMA, Source};

use super::limits_in_effect::in_words;
use super::prompt::PROMPT_LOOP;
use super::run::{ITERATIONS_PER_STORY, STORY_LOOP};
use super::{Done, layout_with, print};
use crate::cli::{LoopArgs, RunArgs, SettingsArgs};
use crate::command_error::precondition;
use crate::report::{Line, Look, Role};
use crate::resolve::Loop;
use crate::{display, json, resolve};

/// Values that are wider do not push the sources of all others to the right.
const WIDEST: usize = 60;
const GAP: usize = 2;

pub(crate) fn settings(args: &SettingsArgs) -> Done {
    if args.schema {
        print(SCHEMA);
        return Ok(ExitCode::SUCCESS);
    }
    refuse_start(&args.run)?;
    let layout = layout_with(&args.run.common.project, &args.run.common.config)?;
    let loaded = resolve::settings(&layout, &args.run.flags())?;
    // What is of no use to one kind of loop alone may be meant for the other.
    resolve::time_limits(&loaded, &PROMPT_LOOP)
        .or_else(|_| resolve::time_limits(&loaded, &STORY_LOOP))?;
    if args.json {
        print(&json::pretty(&loaded)?);
    } else {
        let look = display::look(&loaded.settings.display);
        print(&render(&with_open(&loaded.origins), &look));
    }
    Ok(ExitCode::SUCCESS)
}

/// What says how a run starts is no setting.
fn refuse_start(args: &RunArgs) -> Result<()> {
    let LoopArgs { resume, fresh, dry_run, .. } = args.common;
    let given = [
        ("--resume", resume),
        ("--fresh", fresh),
        ("--dry-run", dry_run),
        ("--allow-dirty", args.allow_dirty),
        ("--story", args.story.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(precondition(
            format!("{flag} says how a run starts and is no setting"),
            "leave it out here; `ralph-loop run` takes it",
        )),
    }
}

/// People also want to see what holds where the settings leave it open. Those are no values of
/// theirs: they depend on the loop, or are the guard's.
fn with_open(origins: &[Origin]) -> Vec<Origin> {
    let mut all = origins.to_vec();
    let mut show = |path: &str, value: String, before: &str| {
        if all.iter().all(|origin| origin.path != path) {
            let at = all.iter().position(|origin| origin.path.starts_with(before));
            let open = Origin { path: path.into(), value, source: Source::Default };
            all.insert(at.unwrap_or(all.len()), open);
        }
    };
    let of_loop = |over_prompt: &dyn Display, over_stories: &dyn Display| {
        format!("{over_prompt} over a prompt, {over_stories} over stories")
    };
    let stories = STORY_LOOP.max_iterations;
    let stories = format!("{stories} or {ITERATIONS_PER_STORY} a story");
    let most = of_loop(&PROMPT_LOOP.max_iterations, &stories);
    show("maximumIterations", most, "");
    let of_loop = |part: fn(&Loop) -> Option<Duration>| {
        let said = |kind| part(kind).map_or("none".into(), in_words);
        of_loop(&said(&PROMPT_LOOP), &said(&STORY_LOOP))
    };
    // Each before what follows it, from the last.
    show("timeLimits.iteration", of_loop(|kind| kind.session.hard), "timeLimits.review");
    show("timeLimits.iterationSoft", of_loop(|kind| kind.session.soft), "timeLimits.iteration");
    show("timeLimits.run", of_loop(|kind| kind.run.hard), "timeLimits.idle");
    show("timeLimits.runSoft", of_loop(|kind| kind.run.soft), "timeLimits.run");
    show("guard.maxBlocks", Guard::USUAL_MAX_BLOCKS.to_string(), "display.");
    all
}

fn render(origins: &[Origin], look: &Look) -> String {
    let said: Vec<Line> = origins.iter().map(said).collect();
    let widths = said.iter().map(Line::width);
    let column = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let lines = said.into_iter().zip(origins).map(|(line, origin)| {
        let gap = column.saturating_sub(line.width()) + GAP;
        let role = if origin.source == Source::Default { Role::Dim } else { Role::Accent };
        let line = line.append(Line::indented(gap)).with(role, origin.source.to_string());
        line.paint(&look.palette) + "\n"
    });
    lines.collect()
}

fn said(origin: &Origin) -> Line {
    let role = if origin.source == Source::Default { Role::Plain } else { Role::Strong };
    Line::empty().with(Role::Plain, &origin.path).with(Role::Dim, " = ").with(role, &origin.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Marks, Palette};

    fn origin(path: &str, value: &str, source: Source) -> Origin {
        Origin { path: path.into(), value: value.into(), source }
    }

    #[test]
    fn what_is_left_open_is_shown_with_what_then_holds() {
        let set = [
            origin("completionResponse", "\"DONE\"", Source::Default),
            origin("timeLimits.iterationSoft", "\"9m\"", Source::Flag("x")),
            origin("timeLimits.reviewSoft", "\"3m\"", Source::Default),
            origin("timeLimits.run", "\"2h\"", Source::Flag("x")),
            origin("timeLimits.idle", "\"15m\"", Source::Default),
            origin("display.color", "\"auto\"", Source::Default),
        ];
        let shown = |origins: &[Origin]| -> Vec<String> {
            let said = with_open(origins).into_iter();
            said.map(|origin| format!("{} = {}", origin.path, origin.value)).collect()
        };
        assert_eq!(
            shown(&set),
            [
                "maximumIterations = 10 over a prompt, 15 or 5 a story over stories",
                "completionResponse = \"DONE\"",
                "timeLimits.iterationSoft = \"9m\"",
                "timeLimits.iteration = 1h over a prompt, 20m over stories",
                "timeLimits.reviewSoft = \"3m\"",
                "timeLimits.runSoft = none over a prompt, 45m over stories",
                "timeLimits.run = \"2h\"",
                "timeLimits.idle = \"15m\"",
                "guard.maxBlocks = 6",
                "display.color = \"auto\"",
            ]
        );
        let said = origin("maximumIterations", "3", Source::Flag("--max-iterations"));
        assert_eq!(shown(&[said])[0], "maximumIterations = 3");
    }

    #[test]
    fn sources_stand_in_a_column_unless_a_value_is_very_long() {
        let long = format!("\"{}\"", "x".repeat(60));
        let origins = [
            origin("maximumIterations", "20", Source::File(".ralph/settings.json".into())),
            origin("agent.flags", "[]", Source::Default),
            origin("variables.A", &long, Source::Flag("--variable")),
        ];
        let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: None };
        assert_eq!(
            render(&origins, &look),
            format!(
                "maximumIterations = 20  .ralph/settings.json\n\
                 agent.flags = []        default\n\
                 variables.A = {long}  --variable\n"
            )
        );
    }
}
