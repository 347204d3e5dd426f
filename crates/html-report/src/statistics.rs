//! The page with statistics across runs.

mod days;

use std::collections::BTreeMap;

use events::Figures;
use events::format::{cost_cell, count, duration, money, per_cent};

use crate::StatisticsInput;
use crate::document::{main, navigation, report_policy, skip, whole};
use crate::html::{Html, element};
use crate::sections::{code, quiet, section, tile};
use crate::table::table;
use crate::tally::{when, zone};

const NAVIGATION: [(&str, &str); 5] = [
    ("summary", "Summary"),
    ("days", "Days"),
    ("checks", "Checks"),
    ("agents", "Agents"),
    ("models", "Models"),
];

/// More rows are only counted: a forged log can name any number of checks.
const MOST_ROWS: usize = 500;

pub(crate) fn page(input: &StatisticsInput<'_>) -> String {
    let title = format!("{}: statistics", input.project);
    let sections = [
        summary(input),
        days::days(input),
        checks(input),
        by("agents", "Agents", "Agent", &input.statistics.agents),
        by("models", "Models", "Model", &input.statistics.models),
    ];
    let body = element("body")
        .add(skip("Skip to the statistics"))
        .add(head(input))
        .add(navigation(&NAVIGATION))
        .add(main(sections))
        .add(about(input));
    whole(&title, report_policy(), body.into())
}

fn head(input: &StatisticsInput<'_>) -> Html {
    let runs = count(input.statistics.runs, "run", "runs");
    let since = match input.period.since {
        Some(since) => format!(" since {}", when(since, input.period.offset)),
        None => String::new(),
    };
    let problems = input.statistics.logs.problems();
    element("header")
        .add(element("p").class("quiet").add(format!("Statistics of {runs}{since}")))
        .add(element("h1").add(input.project))
        .add_all(problems.iter().map(|text| element("p").class("warn").add(text)))
        .into()
}

fn summary(input: &StatisticsInput<'_>) -> Html {
    let statistics = input.statistics;
    let (total, stories) = (&statistics.total, &statistics.stories);
    let average = |name, value: Option<String>| {
        tile("plain", name, value.unwrap_or_else(|| "-".to_owned()), "on average")
    };
    let share = |name, part, whole| {
        tile("plain", name, part, format!("of {whole} ({})", per_cent(part, whole)))
    };
    let given_up = format!("{} given up", statistics.given_up);
    let without_cost = total.without_cost_in_words().unwrap_or_default();
    let tiles = [
        tile("good", "Stories done", total.stories_done, given_up),
        average(
            "Iterations a story",
            stories.iterations_per_story().map(|one| format!("{one:.1}")),
        ),
        average("Cost a story", stories.cost_per_story().map(money)),
        average("Time a story", stories.seconds_per_story().map(duration)),
        share("Reviews with findings", total.reviews_with_findings, total.reviews),
        share("Failed iterations", total.failed, total.iterations),
        share("Iterations that weakened tests", total.weakened_tests, total.iterations),
        tile("plain", "Cost", cost_cell(total.cost_usd), without_cost),
    ];
    let unfinished = "Averages of a story contain the work on unfinished stories.";
    section("summary", "Summary")
        .add(element("dl").class("tiles").add_all(tiles))
        .add(quiet(unfinished))
        .into()
}

fn checks(input: &StatisticsInput<'_>) -> Html {
    let section = section("checks", "Checks");
    let checks = input.statistics.checks_by_failures();
    if checks.is_empty() {
        return section.add(quiet("No checks have run.")).into();
    }
    let rows = checks.iter().take(MOST_ROWS).map(|(command, check)| {
        let share = per_cent(check.failed, check.runs);
        [code(command).into(), check.failed.into(), check.runs.into(), Html::from(share)]
    });
    let table = table("Checks that fail most", "Check, #Failed, #Runs, #Share", rows);
    section.add(table).add(more(checks.len())).into()
}

fn by(id: &'static str, heading: &str, name: &str, figures: &BTreeMap<String, Figures>) -> Html {
    let section = section(id, heading);
    if figures.is_empty() {
        return section.add(quiet("No iteration has started yet.")).into();
    }
    let columns = format!(
        "{name}, #Iterations, #Failed, #Stories done, #Reviews, #With findings, #Weakened tests, #Time, #Cost"
    );
    let rows = figures.iter().take(MOST_ROWS).map(|(name, one)| {
        [
            name.into(),
            one.iterations.into(),
            one.failed.into(),
            one.stories_done.into(),
            one.reviews.into(),
            one.reviews_with_findings.into(),
            one.weakened_tests.into(),
            duration(one.seconds).into(),
            cost_cell(one.cost_usd).into(),
        ]
    });
    let caption = "A review belongs to the reviewer, a finished story to what coded last";
    section.add(table(caption, &columns, rows)).add(more(figures.len())).into()
}

fn more(rows: usize) -> Option<Html> {
    let more = rows.saturating_sub(MOST_ROWS) as u64;
    (more > 0).then(|| quiet(format!("{} not shown.", count(more, "row is", "rows are"))).into())
}

fn about(input: &StatisticsInput<'_>) -> Html {
    let made = element("p")
        .add(format!("Made by Ralph {} from ", env!("CARGO_PKG_VERSION")))
        .add(code(".ralph/runs/*/events.jsonl"))
        .add(format!(" on {}.", when(input.now, input.period.offset)));
    let zone = quiet(format!("Days and times are {}.", zone(input.period.offset)));
    element("footer").id("about").add(made).add(zone).into()
}
