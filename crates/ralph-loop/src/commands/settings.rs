//! `ralph-loop settings`: shows the effective settings and where each value comes from.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use settings::{Guard, Origin, SCHEMA, Source};

use super::prompt::PROMPT_LOOP;
use super::run::{ITERATIONS_PER_STORY, STORY_LOOP};
use super::{CommandResult, layout_with_config, print, refuse_given};
use crate::cli::{LoopArgs, RunArgs, SettingsArgs};
use crate::command_error::precondition;
use crate::report::{Line, Look, Role};
use crate::resolve::LoopDefaults;
use crate::{display, json, resolve};

/// Wider values do not move the column of sources.
const WIDEST: usize = 60;
const GAP: usize = 2;

pub(super) fn settings(args: &SettingsArgs) -> CommandResult {
    if args.schema {
        print(SCHEMA);
        return Ok(ExitCode::SUCCESS);
    }
    refuse_start(&args.run)?;
    let layout = layout_with_config(&args.run.common.place)?;
    let loaded = resolve::settings(&layout, &args.run.flags())?;
    // A limit that is invalid for one kind of loop can be meant for the other.
    resolve::time_limits(&loaded, &PROMPT_LOOP)
        .or_else(|_| resolve::time_limits(&loaded, &STORY_LOOP))?;
    let look = || display::look(&loaded.settings.display);
    let text = || render(&with_open(&loaded.origins), &look());
    print(&json::or_text(args.json, &loaded, text)?);
    Ok(ExitCode::SUCCESS)
}

/// Refuses flags that are not settings.
fn refuse_start(args: &RunArgs) -> Result<()> {
    let LoopArgs { resume, fresh, dry_run, .. } = args.common;
    let given = [
        ("--resume", resume),
        ("--fresh", fresh),
        ("--dry-run", dry_run),
        ("--allow-dirty", args.allow_dirty),
        ("--story", args.story.is_some()),
    ];
    let hint = "omit it here; pass it to `ralph-loop run`";
    refuse_given(&given, |flag| precondition(format!("{flag} is not a setting"), hint))
}

/// Adds the defaults of values that the settings leave open: they depend on the loop or on the hooks.
fn with_open(origins: &[Origin]) -> Vec<Origin> {
    let of_loops = |over_prompt: String, over_stories: String| {
        format!("{over_prompt} in prompt loops, {over_stories} in story loops")
    };
    let stories = format!("{} or {ITERATIONS_PER_STORY} per story", STORY_LOOP.max_iterations);
    let time = |part: fn(&LoopDefaults) -> Option<Duration>| {
        let text = |time| humantime::format_duration(time).to_string();
        let [over_prompt, over_stories] =
            [PROMPT_LOOP, STORY_LOOP].map(|kind| part(&kind).map_or("none".into(), text));
        of_loops(over_prompt, over_stories)
    };
    // In reverse order, each before its successor.
    let open = [
        ("maximumIterations", of_loops(PROMPT_LOOP.max_iterations.to_string(), stories), ""),
        ("timeLimits.iteration", time(|kind| kind.session.hard), "timeLimits.review"),
        ("timeLimits.iterationSoft", time(|kind| kind.session.soft), "timeLimits.iteration"),
        ("timeLimits.run", time(|kind| kind.run.hard), "timeLimits.idle"),
        ("timeLimits.runSoft", time(|kind| kind.run.soft), "timeLimits.run"),
        ("guard.maxBlocks", Guard::DEFAULT_MAX_BLOCKS.to_string(), "display."),
    ];
    let mut all = origins.to_vec();
    for (path, value, before) in open {
        if all.iter().all(|origin| origin.path != path) {
            let at = all.iter().position(|origin| origin.path.starts_with(before));
            let open = Origin { path: path.into(), value, source: Source::Default };
            all.insert(at.unwrap_or(all.len()), open);
        }
    }
    all
}

fn render(origins: &[Origin], look: &Look) -> String {
    let shown: Vec<Line> = origins.iter().map(setting_line).collect();
    let widths = shown.iter().map(Line::width);
    let column = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let lines = shown.into_iter().zip(origins).map(|(line, origin)| {
        let gap = column.saturating_sub(line.width()) + GAP;
        let role = if origin.source == Source::Default { Role::Dim } else { Role::Accent };
        let line = line.append(Line::indented(gap)).with(role, origin.source.to_string());
        line.paint(&look.palette) + "\n"
    });
    lines.collect()
}

fn setting_line(origin: &Origin) -> Line {
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
    fn open_values_are_shown_with_their_defaults() {
        let set = [
            origin("completionResponse", "\"DONE\"", Source::Default),
            origin("timeLimits.iterationSoft", "\"9m\"", Source::Flag("x")),
            origin("timeLimits.reviewSoft", "\"3m\"", Source::Default),
            origin("timeLimits.run", "\"2h\"", Source::Flag("x")),
            origin("timeLimits.idle", "\"15m\"", Source::Default),
            origin("display.color", "\"auto\"", Source::Default),
        ];
        let shown = |origins: &[Origin]| -> Vec<String> {
            let open = with_open(origins).into_iter();
            open.map(|origin| format!("{} = {}", origin.path, origin.value)).collect()
        };
        assert_eq!(
            shown(&set),
            [
                "maximumIterations = 10 in prompt loops, 15 or 5 per story in story loops",
                "completionResponse = \"DONE\"",
                "timeLimits.iterationSoft = \"9m\"",
                "timeLimits.iteration = 1h in prompt loops, 20m in story loops",
                "timeLimits.reviewSoft = \"3m\"",
                "timeLimits.runSoft = none in prompt loops, 45m in story loops",
                "timeLimits.run = \"2h\"",
                "timeLimits.idle = \"15m\"",
                "guard.maxBlocks = 6",
                "display.color = \"auto\"",
            ]
        );
        let flag = origin("maximumIterations", "3", Source::Flag("--max-iterations"));
        assert_eq!(shown(&[flag])[0], "maximumIterations = 3");
    }

    #[test]
    fn sources_are_aligned_unless_a_value_is_very_long() {
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
