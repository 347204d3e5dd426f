//! The page with statistics.

use chrono::FixedOffset;
use events::samples::{a_long_run, a_run, a_run_with_failures, a_run_with_lanes_to_its_end};
use events::{LogFigures, Period, RunView, Stamped, Statistics};

use super::hostile::{HOSTILE, poisoned};
use super::well_formed::assert_harmless;
use super::{now, parsed};
use crate::{StatisticsInput, statistics};

fn of(runs: &[Vec<Stamped>]) -> Statistics {
    let mut all = Statistics::default();
    runs.iter().for_each(|run| all.add(&RunView::of(run), &Period::default()));
    all
}

fn page_of(all: &Statistics) -> String {
    let period = Period { since: Some(now()), offset: FixedOffset::east_opt(3600).unwrap() };
    let (period, now) = (&period, now());
    statistics(&StatisticsInput { statistics: all, period, project: "shop <b>", now })
}

/// Of no run, of a few, and of one with very many iterations.
pub(super) fn pages() -> Vec<(&'static str, String)> {
    let few = of(&[a_run(), a_run_with_failures(), a_run_with_lanes_to_its_end()]);
    vec![
        ("no statistics", page_of(&Statistics::default())),
        ("statistics of a few runs", page_of(&few)),
        ("statistics of a long run", page_of(&of(&[a_long_run(100)]))),
    ]
}

#[test]
fn the_page_shows_shares_and_problems() {
    let mut few = of(&[a_run(), a_run_with_failures()]);
    few.logs = LogFigures { found: 3, unread: 1, ..LogFigures::default() };
    let page = page_of(&few);
    for text in [
        "Statistics of 2 runs since 2026-11-15 06:00",
        "shop &lt;b&gt;",
        "1 of 3 logs could not be read",
        "2 given up",
        ">claude<",
        ">cargo clippy<",
        "2026-11-15: 3 done",
    ] {
        assert!(page.contains(text), "{text}\n{page}");
    }
}

#[test]
fn names_in_logs_stay_text() {
    let clean = page_of(&of(&[poisoned(&a_run(), "x")]));
    let shape = |page: &str| parsed(page).descendants().filter(|node| node.is_element()).count();
    for text in HOSTILE {
        let page = page_of(&of(&[poisoned(&a_run(), text)]));
        assert_harmless(text, &parsed(&page));
        assert_eq!(shape(&page), shape(&clean), "{text:?}");
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\0', '\u{7}']), "{text:?}");
    }
}

#[test]
fn any_number_of_names_makes_a_page_of_limited_size() {
    let (mut forged, run) = (Statistics::default(), of(&[a_run()]));
    let (_, check) = run.checks.first_key_value().unwrap();
    for number in 0..20_000 {
        let name = format!("{number:06}{}", "<b>".repeat(1_000));
        forged.models.insert(name.clone(), run.total);
        forged.days.insert(name.clone(), run.total);
        forged.checks.insert(name, *check);
    }
    let page = page_of(&forged);
    assert!(page.len() < 16_000_000, "{}", page.len());
    assert!(page.contains("19500 rows are not shown."));
    parsed(&page);
}
