//! The end of the run, the stream and the server.

use std::net::TcpListener;

use chrono::FixedOffset;
use events::{RunView, samples};
use html_report::{Diffs, NextStep, WaitingAnswer};
use project::orders::Order;
use report_server::{PageSource, ServeError, ServerOptions};

use crate::harness::{Nothing, Site, beginning, ending, options, warning};

#[test]
fn the_stream_of_a_named_run_ends_with_the_run() {
    let named = ServerOptions { run: Some(samples::RUN.into()), ..options() };
    let site = Site::open(named);
    let mut watching = site.watch();
    assert!(watching.until("\"summary\":").is_some());
    site.write(samples::RUN, &ending());
    let last = watching.until("event: end\n").unwrap();
    assert!(last.contains("event: sections\n"), "the last page comes first: {last}");
    assert!(watching.until("more").is_none());
    assert_eq!(site.get("/").status(), 200);
}

#[test]
fn the_stream_of_an_ended_run_ends_at_once() {
    let named = ServerOptions { run: Some(samples::RUN.into()), ..options() };
    let site = Site::open(named);
    site.write(samples::RUN, &ending());
    assert!(site.watch().until("event: end\n").unwrap().contains("\"summary\":"));
}

#[test]
fn the_server_ends_with_the_run() {
    let site = Site::open(ServerOptions { until_end: true, ..options() });
    let (address, mut watching) = (site.address, site.watch());
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.until("mind the gap").is_some());
    site.write(samples::RUN, &ending());
    assert!(watching.until("event: end\n").is_some());
    site.wait().unwrap();
    TcpListener::bind(address).unwrap();
}

#[test]
fn a_stopped_server_frees_its_port_despite_watchers() {
    let site = Site::open(options());
    let (address, mut watching) = (site.address, site.watch());
    let _half = site.connect();
    site.stopper.stop();
    site.wait().unwrap();
    assert!(watching.until("event: end\n").is_none());
    TcpListener::bind(address).unwrap();
}

/// Panics while rendering.
struct Broken;

impl PageSource for Broken {
    fn diffs(&self, view: &RunView) -> Diffs {
        Nothing.diffs(view)
    }

    fn next_steps(&self, run: &str) -> Vec<NextStep> {
        Nothing.next_steps(run)
    }

    fn waiting_answers(&self, run: &str) -> Option<Vec<WaitingAnswer>> {
        Nothing.waiting_answers(run)
    }

    fn status(&self, run: &str) -> Option<String> {
        Nothing.status(run)
    }

    #[expect(clippy::panic, reason = "it is what the server has to live with")]
    fn offset(&self) -> FixedOffset {
        panic!("rendering failed")
    }

    fn give(&self, running: Option<&RunView>, order: &Order) -> Result<String, String> {
        Nothing.give(running, order)
    }
}

#[test]
fn a_server_that_cannot_render_its_page_ends_with_an_error() {
    let site = Site::with(options(), &beginning(), Broken);
    let answer = site.get("/");
    assert!([0, 503].contains(&answer.status()), "{}", answer.0);
    assert!(matches!(site.wait(), Err(ServeError::RendererEnded)));
}
