//! `ralph-loop lanes`: lists the clones of the project and removes those without work of their own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use engine::{LaneFolder, LaneFolderState, lane_folders, prune_lanes};
use serde::Serialize;

use super::{CommandResult, layout_with_config, print_result};
use crate::cli::LanesArgs;
use crate::command_error::first_five;
use crate::doctor::{size_of, size_text};
use crate::report::{Align, Column, Look, Role, age, neutral_line, table};
use crate::{display, json, resolve};

const COLUMNS: [Column<'_>; 7] = [
    Column { name: "Run", align: Align::Left, optional: false },
    Column { name: "Lane", align: Align::Left, optional: false },
    Column { name: "Story", align: Align::Left, optional: true },
    Column { name: "State", align: Align::Left, optional: false },
    Column { name: "Size", align: Align::Right, optional: false },
    Column { name: "Used", align: Align::Right, optional: true },
    Column { name: "Folder", align: Align::Flexible, optional: false },
];

/// The exit code if a clone could not be removed.
const NOT_REMOVED: u8 = 1;

/// A clone.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct LaneRow {
    run: String,
    lane: String,
    story: Option<String>,
    state: &'static str,
    /// Why it stays; null for a clone that `prune` removes.
    why: Option<String>,
    bytes: u64,
    used: Option<DateTime<Utc>>,
    folder: PathBuf,
}

/// The result of `prune`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Pruned {
    dry_run: bool,
    removed: Vec<LaneRow>,
    kept: Vec<LaneRow>,
}

pub(super) fn lanes(args: &LanesArgs) -> CommandResult {
    let layout = layout_with_config(&args.place)?;
    let loaded = resolve::settings(&layout, &args.flags())?;
    let dir = resolve::lanes_dir(&loaded, &layout)?;
    let found = lane_folders(&layout, &dir)?;
    // Before they are removed.
    let sizes: HashMap<PathBuf, u64> =
        found.iter().map(|lane| (lane.folder.clone(), size_of(&lane.folder, usize::MAX))).collect();
    let row = |lane: LaneFolder| {
        let bytes = sizes.get(&lane.folder).copied().unwrap_or_default();
        LaneRow::of(lane, bytes)
    };
    let Some(_prune) = args.action else {
        let rows: Vec<LaneRow> = found.into_iter().map(row).collect();
        let look = || display::look(&loaded.settings.display);
        let text = || list(&rows, events::now(), &look());
        print_result(&json::or_text(args.json, &rows, text)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let pruned: Vec<_> = match args.dry_run {
        true => found.into_iter().map(|lane| (lane, None)).collect(),
        false => prune_lanes(&layout, &dir)?,
    };
    let rows = pruned.into_iter().map(|(lane, error)| {
        let row = row(lane);
        let why = error.map(|error| format!("it cannot be removed: {error}"));
        (LaneRow { why: row.why.clone().or_else(|| why.clone()), ..row }, why.is_some())
    });
    let rows: Vec<(LaneRow, bool)> = rows.collect();
    let has_failed = rows.iter().any(|(_, has_failed)| *has_failed);
    let rows = rows.into_iter().map(|(row, _)| row);
    let (removed, kept) = rows.partition(|row| row.why.is_none());
    let pruned = Pruned { dry_run: args.dry_run, removed, kept };
    print_result(&json::or_text(args.json, &pruned, || pruned.text())?)?;
    Ok(if has_failed { ExitCode::from(NOT_REMOVED) } else { ExitCode::SUCCESS })
}

impl LaneRow {
    fn of(lane: LaneFolder, bytes: u64) -> Self {
        let state = match &lane.state {
            LaneFolderState::Running => "running",
            LaneFolderState::Interrupted => "interrupted",
            LaneFolderState::Unsaved(_) => "unsaved",
            LaneFolderState::Saved => "saved",
            LaneFolderState::Unclear(_) => "unclear",
        };
        Self {
            state,
            why: why_kept(&lane.state),
            bytes,
            used: lane.used.map(DateTime::from),
            run: lane.run_id,
            lane: lane.lane,
            story: lane.story,
            folder: lane.folder,
        }
    }

    fn row(&self, now: DateTime<Utc>) -> Vec<(Role, String)> {
        let role = match self.state {
            "running" => Role::Accent,
            "saved" => Role::Good,
            _ => Role::Warn,
        };
        vec![
            (Role::Strong, self.run.clone()),
            (Role::Plain, self.lane.clone()),
            (Role::Plain, self.story.clone().unwrap_or_else(|| "-".into())),
            (role, self.state.to_owned()),
            (Role::Plain, size_text(self.bytes)),
            (Role::Plain, self.used.map(|used| age(used, now)).unwrap_or_default()),
            (Role::Dim, self.folder.display().to_string()),
        ]
    }
}

fn why_kept(state: &LaneFolderState) -> Option<String> {
    match state {
        LaneFolderState::Saved => None,
        LaneFolderState::Running => Some("its run is in progress".into()),
        LaneFolderState::Interrupted => {
            Some("its run was interrupted; `ralph-loop` continues it".into())
        }
        LaneFolderState::Unsaved(own) if own.refs.is_empty() => {
            let files = first_five(own.files.iter().map(String::as_str));
            Some(format!("uncommitted files: {files}"))
        }
        LaneFolderState::Unsaved(own) => {
            let refs = first_five(own.refs.iter().map(String::as_str));
            Some(format!("commits that no ref of the project contains, at {refs}"))
        }
        LaneFolderState::Unclear(why) => Some(why.clone()),
    }
}

fn list(rows: &[LaneRow], now: DateTime<Utc>, look: &Look) -> String {
    if rows.is_empty() {
        return "no lanes; `ralph-loop --separate` works in one\n".to_owned();
    }
    let cells: Vec<_> = rows.iter().map(|row| row.row(now)).collect();
    let mut text = look.paint(&table(&COLUMNS, &cells, look, 0));
    if rows.iter().any(|row| row.why.is_none()) {
        text.push_str(
            "\n`ralph-loop lanes prune` removes the saved ones: the project has their work\n",
        );
    }
    text
}

impl Pruned {
    fn text(&self) -> String {
        let (removed, kept) = match self.dry_run {
            true => ("would remove", "would keep"),
            false => ("removed", "kept"),
        };
        if self.removed.is_empty() && self.kept.is_empty() {
            return "no lanes\n".to_owned();
        }
        let bytes = self.removed.iter().map(|row| row.bytes).sum();
        let mut text = match &self.removed[..] {
            [] => "nothing to remove\n".to_owned(),
            rows => format!("{removed} {}, {}\n", number(rows), size_text(bytes)),
        };
        let path = |row: &LaneRow| neutral_line(&row.folder.display().to_string());
        text.extend(self.removed.iter().map(|row| format!("  {}\n", path(row))));
        if !self.kept.is_empty() {
            text.push_str(&format!("{kept} {}\n", number(&self.kept)));
        }
        for row in &self.kept {
            let why = neutral_line(row.why.as_deref().unwrap_or_default());
            text.push_str(&format!("  {}\n    {why}\n", path(row)));
        }
        text
    }
}

fn number(rows: &[LaneRow]) -> String {
    match rows.len() {
        1 => "1 clone".to_owned(),
        number => format!("{number} clones"),
    }
}
