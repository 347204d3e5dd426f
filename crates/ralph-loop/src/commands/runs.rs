//! `ralph-loop runs`.

use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, FixedOffset, Utc};
use events::{LoopKind, RunEnd, run_logs};
use serde::Serialize;

use super::{CommandResult, layout, print_result, settings_or_default};
use crate::cli::StatusArgs;
use crate::report::format::{cost_cell, duration};
use crate::report::{Align, Column, Look, Role, table};
use crate::run_report::RunReport;
use crate::status::RunState;
use crate::{display, json, run_report};

const COLUMNS: [Column<'_>; 6] = [
    Column { name: "Run", align: Align::Left, optional: false },
    // The id contains it too.
    Column { name: "Started", align: Align::Left, optional: true },
    Column { name: "Result", align: Align::Left, optional: false },
    Column { name: "Stories", align: Align::Right, optional: true },
    Column { name: "Worked", align: Align::Right, optional: true },
    Column { name: "Cost", align: Align::Right, optional: true },
];

/// One row of the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RunRow {
    run: String,
    #[serde(rename = "loop")]
    kind: LoopKind,
    name: String,
    state: RunState,
    /// None unless it ended.
    end: Option<RunEnd>,
    exit_code: Option<u8>,
    started: Option<DateTime<Utc>>,
    seconds: f64,
    done: u64,
    /// 0 in a loop without them.
    stories: u64,
    /// None if no agent of it reports what it costs.
    cost_usd: Option<f64>,
}

pub(super) fn runs(args: &StatusArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let ids = run_logs::ids(&layout).context("cannot read the runs")?;
    let reports: Result<Vec<_>, _> = ids.iter().map(|id| run_report::read(&layout, id)).collect();
    let reports = reports.context("cannot read the runs' events")?;
    let listed: Vec<RunRow> = reports.into_iter().flatten().map(RunRow::of).collect();
    let look = || display::look(&args.look.over(settings_or_default(&layout).display));
    let text = || text(&listed, &look(), display::offset());
    print_result(&json::or_text(args.json, &listed, text)?)?;
    Ok(ExitCode::SUCCESS)
}

impl RunRow {
    fn of(report: RunReport) -> Self {
        let end = report.end.as_ref();
        Self {
            kind: report.kind,
            state: report.state,
            end: end.map(|end| end.end),
            exit_code: end.map(|end| end.exit_code),
            started: report.started,
            seconds: report.seconds,
            done: report.completed.len() as u64,
            stories: report.stories,
            cost_usd: report.cost_usd,
            run: report.run,
            name: report.name,
        }
    }

    fn result(&self) -> (Role, String) {
        match (self.state, self.end) {
            (RunState::Running, _) => (Role::Accent, "running".to_owned()),
            (_, Some(end @ RunEnd::Complete)) => (Role::Good, end.to_string()),
            (_, Some(end)) => (Role::Warn, end.to_string()),
            (_, None) => (Role::Bad, "ended without a result".to_owned()),
        }
    }

    fn row(&self, offset: FixedOffset) -> Vec<(Role, String)> {
        let at = |at: DateTime<Utc>| at.with_timezone(&offset).format("%F %H:%M").to_string();
        let stories = match self.stories {
            0 => "-".to_owned(),
            stories => format!("{}/{stories}", self.done),
        };
        vec![
            (Role::Strong, self.run.clone()),
            (Role::Plain, self.started.map(at).unwrap_or_default()),
            self.result(),
            (Role::Plain, stories),
            (Role::Plain, duration(self.seconds)),
            (Role::Plain, cost_cell(self.cost_usd)),
        ]
    }
}

fn text(listed: &[RunRow], look: &Look, offset: FixedOffset) -> String {
    if listed.is_empty() {
        return "no runs yet; start one with `ralph-loop`\n".to_owned();
    }
    let rows: Vec<_> = listed.iter().map(|run| run.row(offset)).collect();
    let lines = table(&COLUMNS, &rows, look, 0);
    lines.iter().map(|line| line.paint(&look.palette) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use chrono::Offset;

    use super::*;
    use crate::report::test_events::{a_prompt_loop, a_run_with_failures, log};
    use crate::report::{Marks, Palette};

    #[test]
    fn each_run_is_a_row_with_its_result() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = project::Layout::new(dir.path());
        let look =
            |width| Look { palette: Palette::plain(), marks: Marks::ASCII, width: Some(width) };
        let shown = |width| {
            let ids = run_logs::ids(&layout).unwrap();
            let read = |id: &String| RunRow::of(run_report::read(&layout, id).unwrap().unwrap());
            let listed: Vec<RunRow> = ids.iter().map(read).collect();
            text(&listed, &look(width), Utc.fix())
        };
        assert!(shown(100).starts_with("no runs yet"));
        let mut killed = a_run_with_failures();
        killed.pop();
        let prompt_loop = a_prompt_loop(LoopKind::Prompt, "main", 0.0);
        for (id, events) in
            [("20261115-010000-ab12", &killed), ("20261115-020000-cd34", &prompt_loop)]
        {
            std::fs::create_dir_all(layout.run_dir(id)).unwrap();
            std::fs::write(layout.run_dir(id).join("events.jsonl"), log(events)).unwrap();
        }
        assert!(shown(70).contains(" ended without a result "), "{}", shown(70));
        let shown = shown(100);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].starts_with("Run                   Started           Result"), "{shown}");
        assert!(
            lines[1].starts_with("20261115-020000-cd34  2026-11-15 01:00  complete"),
            "{shown}"
        );
        assert!(
            lines[2].contains("ended without a result") && lines[2].contains(" 3/6 "),
            "{shown}"
        );
    }
}
