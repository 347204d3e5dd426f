//! The updates of a page during a run.

use events::samples;
use report_server::{ServerLimits, ServerOptions};

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
fn file_changes_are_sent_when_known_and_a_report_waits_for_them() {
    let site = Site::open(options());
    let mut watching = site.watch();
    assert!(watching.until("0 warnings do not change anything").is_some());
    let site = Site::open(options());
    assert!(site.get("/report.html").body().contains("0 warnings do not change anything"));
}

#[test]
fn all_watchers_get_the_same_updates() {
    let site = Site::open(options());
    let mut all: Vec<_> = (0..5).map(|_| site.watch()).collect();
    site.write(samples::RUN, &warning("mind the gap"));
    for watching in &mut all {
        assert!(watching.until("mind the gap").is_some());
    }
}

#[test]
fn a_reconnected_client_gets_all_sections() {
    let site = Site::open(options());
    drop(site.watch());
    site.write(samples::RUN, &warning("mind the gap"));
    let received = site.watch().until("}}\n").unwrap();
    assert!(received.contains("mind the gap") && received.contains("\"summary\":"), "{received}");
}

#[test]
fn heartbeats_are_sent_without_updates() {
    let limits = ServerLimits { heartbeat: Duration::from_millis(30), ..options().limits };
    let site = Site::open(ServerOptions { limits, ..options() });
    let mut watching = site.watch();
    assert!(watching.until(": still here").is_some());
    assert!(watching.until(": still here").is_some());
}

#[test]
fn a_newer_run_is_shown() {
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
fn a_resumed_older_run_is_shown() {
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
fn more_watchers_than_allowed_are_refused() {
    let limits = ServerLimits { watchers: 2, ..options().limits };
    let site = Site::open(ServerOptions { limits, ..options() });
    let mut watching = [site.watch(), site.watch()];
    let third = site.get("/events");
    assert_eq!((third.status(), third.header("retry-after")), (503, Some("10")));
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.iter_mut().all(|watching| watching.until("mind the gap").is_some()));
    drop(watching);
    // The slots are free after the server noticed.
    while site.send(site.head("HEAD /events", "").as_bytes()).status() != 200 {}
}
