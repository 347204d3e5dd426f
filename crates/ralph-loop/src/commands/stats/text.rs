//! Statistics for people: sentences, and tables that fit 80 columns.

use std::collections::BTreeMap;

use events::{CheckFigures, Figures, Period, Statistics};

use crate::report::format::{cost, cost_cell, money};
use crate::report::{Align, Column, Line, Look, Role, count, per_cent, table};

/// The latest days, and the checks that fail most; --json and --html have all.
const MOST_ROWS: usize = 10;

const fn column(name: &str, align: Align) -> Column<'_> {
    Column { name, align, optional: false }
}

const DAYS: [Column<'_>; 5] = [
    column("Day", Align::Left),
    column("Done", Align::Right),
    column("Iterations", Align::Right),
    column("Failed", Align::Right),
    column("Cost", Align::Right),
];

const CHECKS: [Column<'_>; 4] = [
    column("Check", Align::Flexible),
    column("Failed", Align::Right),
    column("Runs", Align::Right),
    column("Share", Align::Right),
];

pub(super) fn text(statistics: &Statistics, period: &Period, look: &Look) -> String {
    let mut lines = vec![heading(statistics, period)];
    if statistics.runs > 0 {
        lines.push(Line::empty());
        lines.extend(sentences(statistics, look));
        lines.extend(days(statistics, look));
        lines.extend(checks(statistics, look));
        lines.extend(by("Agent", &statistics.agents, look));
        lines.extend(by("Model", &statistics.models, look));
        lines.push(below(Role::Dim, "Done: stories that it was the last to code."));
        lines.push(below(Role::Dim, "Findings: its reviews that found something."));
    }
    let warning = |text: &String| {
        Line::text(Role::Warn, format!("{} ", look.marks.warning)).with(Role::Plain, text)
    };
    lines.extend(statistics.logs.problems().iter().map(warning));
    look.paint(&lines)
}

fn sentences(statistics: &Statistics, look: &Look) -> Vec<Line> {
    let total = &statistics.total;
    let mut all = vec![statistics.stories_in_words()];
    all.extend(statistics.average_in_words());
    all.push(total.iterations_in_words());
    let in_all = total.cost_usd.map(|usd| format!("{} in total", money(usd)));
    all.push(in_all.unwrap_or_else(|| cost(None)));
    all.extend(total.without_cost_in_words());
    all.extend([total.reviews_in_words(), total.weakened_in_words()]);
    let line = |text: &String| Line::indented(2).paragraph(2, Role::Plain, text, look.columns());
    all.iter().flat_map(line).collect()
}

fn heading(statistics: &Statistics, period: &Period) -> Line {
    let since = period.since.map(|since| since.with_timezone(&period.offset).format("%F %H:%M"));
    let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
    match (statistics.runs, statistics.logs.found) {
        (0, 0) if since.is_empty() => {
            Line::text(Role::Plain, "no runs yet; start one with `ralph-loop`")
        }
        (0, _) => Line::text(Role::Plain, format!("no run{since}")),
        (runs, _) => Line::text(Role::Strong, format!("{}{since}", count(runs, "run", "runs"))),
    }
}

fn below(role: Role, text: impl AsRef<str>) -> Line {
    Line::indented(2).with(role, text)
}

/// A table below an empty line; nothing without rows.
fn listed<T>(
    columns: &[Column<'_>],
    all: impl ExactSizeIterator<Item = T>,
    row: impl Fn(T) -> Vec<String>,
    look: &Look,
) -> Vec<Line> {
    let left = all.len().saturating_sub(MOST_ROWS);
    let plain = |cells: Vec<String>| cells.into_iter().map(|text| (Role::Plain, text)).collect();
    let rows: Vec<_> = all.take(MOST_ROWS).map(|one| plain(row(one))).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let more = format!("{} {left} more: --json and --html have all", look.marks.ellipsis);
    let mut lines = vec![Line::empty()];
    lines.extend(table(columns, &rows, look, 2));
    lines.extend((left > 0).then(|| below(Role::Dim, more)));
    lines
}

fn days(statistics: &Statistics, look: &Look) -> Vec<Line> {
    let row = |(day, one): (&String, &Figures)| {
        vec![
            day.clone(),
            one.stories_done.to_string(),
            one.iterations.to_string(),
            one.failed.to_string(),
            cost_cell(one.cost_usd),
        ]
    };
    listed(&DAYS, statistics.days.iter().rev(), row, look)
}

fn checks(statistics: &Statistics, look: &Look) -> Vec<Line> {
    let row = |(command, check): (&str, CheckFigures)| {
        let share = per_cent(check.failed, check.runs);
        vec![command.to_owned(), check.failed.to_string(), check.runs.to_string(), share]
    };
    listed(&CHECKS, statistics.checks_by_failures().into_iter(), row, look)
}

/// One row for each agent or model.
fn by(name: &str, figures: &BTreeMap<String, Figures>, look: &Look) -> Vec<Line> {
    let columns = [
        column(name, Align::Flexible),
        column("Iterations", Align::Right),
        column("Failed", Align::Right),
        column("Done", Align::Right),
        column("Findings", Align::Right),
        column("Weakened", Align::Right),
        column("Cost", Align::Right),
    ];
    let row = |(name, one): (&String, &Figures)| {
        vec![
            name.clone(),
            one.iterations.to_string(),
            one.failed.to_string(),
            one.stories_done.to_string(),
            format!("{} of {}", one.reviews_with_findings, one.reviews),
            one.weakened_tests.to_string(),
            cost_cell(one.cost_usd),
        ]
    };
    listed(&columns, figures.iter(), row, look)
}

#[cfg(test)]
mod tests {
    use events::samples::{a_run, a_run_with_failures, at};
    use events::{LogFigures, RunView};

    use super::*;
    use crate::report::{Marks, Palette};

    const WIDTH: usize = 80;

    fn shown(statistics: &Statistics, period: &Period) -> String {
        let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: Some(WIDTH) };
        let text = text(statistics, period, &look);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        text
    }

    fn two_runs() -> Statistics {
        let mut all = Statistics::default();
        for run in [a_run(), a_run_with_failures()] {
            all.add(&RunView::of(&run), &Period::default());
        }
        all
    }

    #[test]
    fn sentences_and_tables_fit() {
        let expected = "\
2 runs

  3 stories done on 1 day (3.0 a day), 2 given up
  2.3 iterations, 11m 26s and $1.14 a story on average, with the work on
  unfinished stories
  7 iterations, 5 of them failed (71%)
  $3.41 in total
  1 of 1 review found something (100%)
  1 iteration weakened tests

  Day         Done  Iterations  Failed   Cost
  2026-11-15     3           7       5  $3.41

  Check         Failed  Runs  Share
  cargo clippy       1     1   100%
  cargo test         0     1     0%

  Agent    Iterations  Failed  Done  Findings  Weakened   Cost
  claude            1       0     0    1 of 1         0  $0.42
  unknown           6       5     3    0 of 0         1  $2.94

  Model          Iterations  Failed  Done  Findings  Weakened   Cost
  claude-opus-4           1       0     0    1 of 1         0  $0.42
  unknown                 6       5     3    0 of 0         1  $2.94
  Done: stories that it was the last to code.
  Findings: its reviews that found something.
";
        assert_eq!(shown(&two_runs(), &Period::default()), expected);
    }

    #[test]
    fn without_runs_it_says_what_to_do() {
        let none = Statistics::default();
        let start = "no runs yet; start one with `ralph-loop`\n";
        assert_eq!(shown(&none, &Period::default()), start);
        let since = Period { since: Some(at(0)), ..Period::default() };
        assert_eq!(shown(&none, &since), "no run since 2026-11-15 01:00\n");
        let logs = LogFigures { found: 2, unread: 2, ..LogFigures::default() };
        let unread = shown(&Statistics { logs, ..none }, &Period::default());
        assert_eq!(unread, "no run\n[WARN] 2 of 2 logs could not be read\n");
    }

    #[test]
    fn long_and_hostile_names_stay_in_their_line() {
        let mut all = two_runs();
        for number in 0..30 {
            let name = format!("{number}\u{1b}[2J\n\u{202e}{}", "日本語 ".repeat(200));
            let (total, check) = (all.total, all.checks["cargo test"]);
            all.agents.insert(name.clone(), total);
            all.days.insert(name.clone(), total);
            all.checks.insert(name, check);
        }
        let text = shown(&all, &Period::default());
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.lines().count() < 60, "{text}");
        assert_eq!(text.matches("more: --json and --html have all").count(), 3, "{text}");
    }
}
