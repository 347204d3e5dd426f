//! `ralph-loop settings`: what holds, and who said it. Writes nothing.

use std::process::ExitCode;

use settings::{Guard, Origin, SCHEMA, Source};

use super::prompt::PROMPT_LOOP;
use super::run::STORY_LOOP;
use super::{Done, layout, print};
use crate::cli::{LoopArgs, RunArgs, SettingsArgs};
use crate::command_error::CommandError;
use crate::report::{Line, Look, Role};
use crate::{display, resolve};

/// Values that are wider do not push the sources of all others to the right.
const WIDEST: usize = 60;
const GAP: usize = 2;

pub(crate) fn settings(args: &SettingsArgs) -> Done {
    if args.schema {
        print(SCHEMA);
        return Ok(ExitCode::SUCCESS);
    }
    refuse_start(&args.run)?;
    let layout = layout(&args.run.common.project)?;
    let loaded = resolve::settings(&layout, &args.run.flags())?;
    if args.json {
        let json = serde_json::to_string_pretty(&loaded)
            .map_err(|error| CommandError::io("write JSON")(error.into()))?;
        print(&format!("{json}\n"));
    } else {
        let look = display::look(&loaded.settings.display);
        print(&render(&with_open(&loaded.origins), &look));
    }
    Ok(ExitCode::SUCCESS)
}

/// What says how a run starts is no setting.
fn refuse_start(args: &RunArgs) -> Result<(), CommandError> {
    let LoopArgs { resume, fresh, dry_run, .. } = args.common;
    let given = [
        ("--resume", resume),
        ("--fresh", fresh),
        ("--dry-run", dry_run),
        ("--allow-dirty", args.allow_dirty),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(CommandError::precondition(
            format!("{flag} says how a run starts and is no setting"),
            "leave it out here; `ralph-loop run` takes it",
        )),
    }
}

/// People also want to see what holds where the settings leave it open. Those are no values of
/// theirs: one depends on the loop, the other is the guard's.
fn with_open(origins: &[Origin]) -> Vec<Origin> {
    let mut all = origins.to_vec();
    let mut show = |path: &str, value: String, before: &str| {
        if all.iter().all(|origin| origin.path != path) {
            let at = all.iter().position(|origin| origin.path.starts_with(before));
            let open = Origin { path: path.into(), value, source: Source::Default };
            all.insert(at.unwrap_or(all.len()), open);
        }
    };
    let (prompt, stories) = (PROMPT_LOOP.max_iterations, STORY_LOOP.max_iterations);
    let iterations = format!("{prompt} over a prompt, {stories} over stories");
    show("maximumIterations", iterations, "");
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
            origin("display.color", "\"auto\"", Source::Default),
        ];
        let shown = |origins: &[Origin]| -> Vec<String> {
            let said = with_open(origins).into_iter();
            said.map(|origin| format!("{} = {}", origin.path, origin.value)).collect()
        };
        assert_eq!(
            shown(&set),
            [
                "maximumIterations = 10 over a prompt, 15 over stories",
                "completionResponse = \"DONE\"",
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
