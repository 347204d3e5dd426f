//! The results of the project's checks: totals, and by iteration.

use events::format::{check_failure, duration};
use events::{CheckOutcome, CheckRecord, IterationRecord, Role};

use super::{badge, code, quiet, section};
use crate::PageInput;
use crate::chart::{self, ChartText, WIDTH, figure, legend, rect};
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::finite;

const LANE: f64 = 34.0;
const CELL: f64 = 20.0;
const LEFT: f64 = 210.0;
const TOP: f64 = 8.0;
/// Wider cells would look like bars.
const WIDEST: f64 = 18.0;
/// The longest command left of its lane.
const LONGEST: usize = 28;
/// The number of lanes; the table has every check.
const MOST_LANES: usize = 12;

struct Totals<'h> {
    command: &'h str,
    passed: u64,
    failed: u64,
    seconds: f64,
}

pub(super) fn checks(input: &PageInput<'_>) -> Html {
    let section = section("checks", "Checks");
    let totals = totals(&input.view.records);
    if totals.is_empty() {
        return section.add(quiet("No checks have run.")).into();
    }
    let columns = "Check, #Passed, #Failed, #Total time, #Average time";
    let rows = totals.iter().map(|check| {
        let runs = (check.passed + check.failed).max(1) as f64;
        [
            Html::from(code(check.command)),
            check.passed.into(),
            check.failed.into(),
            duration(check.seconds).into(),
            duration(check.seconds / runs).into(),
        ]
    });
    section.add(table("Totals by check", columns, rows)).add(strip(input, &totals)).into()
}

fn totals(iterations: &[IterationRecord]) -> Vec<Totals<'_>> {
    let mut totals: Vec<Totals<'_>> = Vec::new();
    for check in iterations.iter().flat_map(|record| &record.checks) {
        let at = totals.iter().position(|one| one.command == check.command).unwrap_or_else(|| {
            totals.push(Totals { command: &check.command, passed: 0, failed: 0, seconds: 0.0 });
            totals.len() - 1
        });
        let one = &mut totals[at];
        one.seconds += finite(check.seconds);
        match check.outcome {
            CheckOutcome::Passed => one.passed += 1,
            _ => one.failed += 1,
        }
    }
    totals
}

/// A lane for each check and a cell for each iteration with checks.
fn strip(input: &PageInput<'_>, totals: &[Totals<'_>]) -> Html {
    let checked: Vec<&IterationRecord> =
        input.view.records.iter().filter(|record| !record.checks.is_empty()).collect();
    let step = ((WIDTH - LEFT) / checked.len() as f64).min(WIDEST);
    let lanes = &totals[..totals.len().min(MOST_LANES)];
    let mut marks = Vec::new();
    for (lane, check) in lanes.iter().enumerate() {
        let middle = TOP + LANE * (lane as f64 + 0.5);
        let name: String = check.command.chars().take(LONGEST).collect();
        marks.push(chart::text(LEFT - 10.0, middle + 4.0, &name).class("name end").into());
        for (place, record) in checked.iter().enumerate() {
            let mut of_lane = record.checks.iter().filter(|one| one.command == check.command);
            let x = LEFT + step * place as f64;
            marks.extend(of_lane.next_back().map(|check| cell(record, check, x, middle, step)));
        }
    }
    let parts: Vec<String> = totals
        .iter()
        .map(|one| {
            format!("{} passed {} times and failed {} times", one.command, one.passed, one.failed)
        })
        .collect();
    let words = ChartText {
        id: "checks-strip",
        title: "Checks by iteration, oldest first",
        description: format!("{}.", parts.join("; ")),
    };
    let key = legend([("passed", "low: passed"), ("failed", "high: failed")]);
    let beneath = element("div").add(key).add(figures(&checked));
    figure(&words, TOP + LANE * lanes.len() as f64, marks, beneath.into())
}

fn cell(record: &IterationRecord, check: &CheckRecord, x: f64, middle: f64, step: f64) -> Html {
    let width = (step - 1.0).max(step * 0.8);
    let (class, height) = match check.outcome {
        CheckOutcome::Passed => ("passed", CELL * 0.4),
        _ => ("failed", CELL),
    };
    let outcome = check_failure(check.outcome).unwrap_or_else(|| "passed".to_owned());
    let tip = element("title").add(format!("iteration {}: {outcome}", record.number));
    rect(x, middle + CELL / 2.0 - height, width, height).class(class).add(tip).into()
}

fn figures(checked: &[&IterationRecord]) -> Html {
    let columns = "#Iteration, Check, Outcome, #Time, Output";
    let rows = checked.iter().flat_map(|record| {
        record.checks.iter().map(|check| {
            let outcome = match check_failure(check.outcome) {
                None => badge((Role::Good, "passed")),
                Some(failure) => badge((Role::Bad, &failure)),
            };
            let log = (!check.log.is_empty()).then(|| code(&check.log));
            [
                record.number.into(),
                code(&check.command).into(),
                outcome,
                duration(check.seconds).into(),
                log.into(),
            ]
        })
    });
    let table = table("Checks by iteration", columns, rows);
    folded("checks-figures", "Show as a table", table).into()
}
