//! `ralph-loop stats`.

mod text;

use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, Utc};
use events::{Period, Statistics};
use html_report::StatisticsInput;
use serde::Serialize;

use super::{CommandResult, layout, print_result, report, settings_or_default};
use crate::cli::StatsArgs;
use crate::{display, json};

/// The version of the JSON form.
const VERSION: u64 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatisticsReport<'s> {
    version: u64,
    at: DateTime<Utc>,
    since: Option<DateTime<Utc>>,
    per_story: StoryAverage,
    #[serde(flatten)]
    statistics: &'s Statistics,
}

/// Null without a finished story.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StoryAverage {
    iterations: Option<f64>,
    seconds: Option<f64>,
    cost_usd: Option<f64>,
}

pub(super) fn stats(args: &StatsArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let period = Period { since: args.since, offset: display::offset() };
    let statistics = Statistics::of_project(&layout, &period).context("cannot read the runs")?;
    if let Some(file) = &args.html {
        let project = layout.root().file_name().unwrap_or_default().to_string_lossy();
        let (now, statistics) = (events::now(), &statistics);
        let input = StatisticsInput { statistics, period: &period, project: &project, now };
        report::put(&layout, file, &html_report::statistics(&input))?;
        return Ok(ExitCode::SUCCESS);
    }
    let look = || display::look(&args.look.over(settings_or_default(&layout).display));
    let text = || text::text(&statistics, &period, &look());
    let report = StatisticsReport::of(&statistics, &period);
    print_result(&json::or_text(args.json, &report, text)?)?;
    Ok(ExitCode::SUCCESS)
}

impl<'s> StatisticsReport<'s> {
    fn of(statistics: &'s Statistics, period: &Period) -> Self {
        let stories = &statistics.stories;
        Self {
            version: VERSION,
            at: events::now(),
            since: period.since,
            per_story: StoryAverage {
                iterations: stories.iterations_per_story(),
                seconds: stories.seconds_per_story(),
                cost_usd: stories.cost_per_story(),
            },
            statistics,
        }
    }
}
