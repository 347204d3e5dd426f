//! How it ends: the run, the stream, the server.

use std::net::TcpListener;

use chrono::FixedOffset;
use events::{History, RunView, samples};
use html_report::{Diffs, NextStep};
use project::orders::Order;
use report_server::{Given, Material, Options, ServeError, Until, Which};

use crate::harness::{Nothing, Site, beginning, ending, options, warning};

#[test]
fn the_end_of_a_run_that_was_named_is_the_end_of_its_stream() {
    let named = Options { run: Which::Named(samples::RUN.into()), ..options() };
    let site = Site::open(named);
    let mut watching = site.watch();
    assert!(watching.until("\"summary\":").is_some());
    site.write(samples::RUN, &ending());
    let last = watching.until("event: end\n").unwrap();
    assert!(last.contains("event: sections\n"), "the last picture comes first: {last}");
    assert!(watching.until("more").is_none());
    assert_eq!(site.get("/").status(), 200);
}

#[test]
fn a_run_that_is_over_is_shown_and_ended_at_once() {
    let named = Options { run: Which::Named(samples::RUN.into()), ..options() };
    let site = Site::open(named);
    site.write(samples::RUN, &ending());
    assert!(site.watch().until("event: end\n").unwrap().contains("\"summary\":"));
}

#[test]
fn until_the_end_of_a_run_the_server_stays_and_then_it_goes() {
    let site = Site::open(Options { until: Until::RunEnds, ..options() });
    let (address, mut watching) = (site.address, site.watch());
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.until("mind the gap").is_some());
    site.write(samples::RUN, &ending());
    assert!(watching.until("event: end\n").is_some());
    site.wait().unwrap();
    TcpListener::bind(address).unwrap();
}

#[test]
fn a_server_that_is_stopped_leaves_its_port_whoever_watches() {
    let site = Site::open(options());
    let (address, mut watching) = (site.address, site.watch());
    let _half = site.connect();
    site.stopper.stop();
    site.wait().unwrap();
    assert!(watching.until("event: end\n").is_none());
    TcpListener::bind(address).unwrap();
}

/// Something on the page that nobody thought of.
struct Broken;

impl Material for Broken {
    fn diffs(&self, history: &History) -> Diffs {
        Nothing.diffs(history)
    }

    fn next_steps(&self, run: &str) -> Vec<NextStep> {
        Nothing.next_steps(run)
    }

    fn status(&self, run: &str) -> Option<String> {
        Nothing.status(run)
    }

    #[expect(clippy::panic, reason = "it is what the server has to live with")]
    fn offset(&self) -> FixedOffset {
        panic!("nobody thought of this")
    }

    fn give(&self, running: Option<&RunView>, order: &Order) -> Given {
        Nothing.give(running, order)
    }
}

#[test]
fn a_server_that_cannot_make_its_page_ends_and_says_so() {
    let site = Site::with(options(), &beginning(), Broken);
    let answer = site.get("/");
    assert!([0, 503].contains(&answer.status()), "{}", answer.0);
    assert!(matches!(site.wait(), Err(ServeError::NoPainter)));
}
