//! What a page hears while its run goes on.

use events::samples;
use report_server::{Limits, Options};

use crate::harness::{Site, beginning, ending, options, warning};
use std::time::Duration;

#[test]
fn all_sections_come_first_and_then_what_changed() {
    let site = Site::open(options());
    let mut watching = site.watch();
    let first = watching.until("}}\n").unwrap();
    assert!(first.contains("text/event-stream") && first.contains("retry: "), "{first}");
    assert!(first.contains("event: sections\n") && first.contains("\"summary\":"), "{first}");
    site.write(samples::RUN, &warning("mind the gap"));
    let next = watching.until("}}\n").unwrap();
    assert!(next.contains("mind the gap"), "{next}");
    assert!(next.len() < first.len(), "{next}");
}

#[test]
fn what_stories_changed_comes_when_it_is_known_and_a_report_waits_for_it() {
    let site = Site::open(options());
    let mut watching = site.watch();
    assert!(watching.until("0 warnings do not change anything").is_some());
    let site = Site::open(options());
    assert!(site.get("/report.html").body().contains("0 warnings do not change anything"));
}

#[test]
fn everybody_who_watches_hears_the_same() {
    let site = Site::open(options());
    let mut all: Vec<_> = (0..5).map(|_| site.watch()).collect();
    site.write(samples::RUN, &warning("mind the gap"));
    for watching in &mut all {
        assert!(watching.until("mind the gap").is_some());
    }
}

#[test]
fn whoever_comes_back_hears_everything_anew() {
    let site = Site::open(options());
    drop(site.watch());
    site.write(samples::RUN, &warning("mind the gap"));
    let heard = site.watch().until("}}\n").unwrap();
    assert!(heard.contains("mind the gap") && heard.contains("\"summary\":"), "{heard}");
}

#[test]
fn who_hears_nothing_new_hears_that_the_server_is_there() {
    let limits = Limits { heartbeat: Duration::from_millis(30), ..options().limits };
    let site = Site::open(Options { limits, ..options() });
    let mut watching = site.watch();
    assert!(watching.until(": still here").is_some());
    assert!(watching.until(": still here").is_some());
}

#[test]
fn a_run_that_begins_later_is_the_one_to_see() {
    let site = Site::without_a_run(options());
    let mut watching = site.watch();
    site.write(samples::RUN, &beginning());
    assert!(watching.until(samples::RUN).is_some());
    site.write(samples::RUN, &ending());
    site.write("20261116-010000-cd34", &beginning());
    assert!(watching.until("20261116-010000-cd34").is_some());
    assert!(site.get("/").body().contains("20261116-010000-cd34"));
}

#[test]
fn an_older_run_that_is_taken_up_again_is_the_one_to_see() {
    const NEWER: &str = "20261116-010000-cd34";
    let site = Site::without_a_run(options());
    let mut watching = site.watch();
    site.write(NEWER, &[beginning(), ending()].concat());
    assert!(watching.until(NEWER).is_some());
    let mut again = beginning();
    again[0].at = ending()[0].at + chrono::TimeDelta::seconds(1);
    site.write(samples::RUN, &again);
    assert!(watching.until(samples::RUN).is_some());
}

#[test]
fn more_pages_than_there_are_places_are_told_to_wait() {
    let limits = Limits { watchers: 2, ..options().limits };
    let site = Site::open(Options { limits, ..options() });
    let mut watching = [site.watch(), site.watch()];
    let third = site.get("/events");
    assert_eq!((third.status(), third.header("retry-after")), (503, Some("10")));
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.iter_mut().all(|watching| watching.until("mind the gap").is_some()));
    drop(watching);
    // The places are free once the server has noticed.
    while site.send(site.head("HEAD /events", "").as_bytes()).status() != 200 {}
}
