//! The page of an active run, served by `ralph-loop serve`.

use std::path::Path;

use events::{LoopEvent, Stamped, samples};
use project::Layout;
use project::orders::{Order, OrderQueue};
use serde_json::Value;

use crate::child::Child;
use crate::chromium::Chromium;
use crate::hostile;
use crate::project::{Project, environment, program};
use crate::tab::{Key, Tab};

/// Any long enough value.
const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef";

/// The connection status on the page.
const CONNECTION: &str = "document.getElementById('connection').textContent";

pub(crate) struct Server {
    _process: Child,
    pub(crate) link: String,
}

impl Server {
    fn start(project: &Project) -> Self {
        Self::on_port(project.folder(), "0")
    }

    fn on_port(folder: &Path, port: &str) -> Self {
        Self::with(folder, &["--port", port])
    }

    pub(crate) fn with(folder: &Path, more: &[&str]) -> Self {
        let mut args = ["serve", "--json", "-d"].map(Into::into).to_vec();
        args.push(folder.as_os_str().to_owned());
        args.extend(more.iter().map(Into::into));
        let mut environment = environment(folder);
        environment.push(("RALPH_SERVE_TOKEN".into(), TOKEN.into()));
        let process = Child::start(&program(), args, environment);
        let link = process.find(|line| {
            let said: Value = serde_json::from_str(line).ok()?;
            Some(said["url"].as_str()?.to_owned())
        });
        Self { _process: process, link }
    }

    /// `http://127.0.0.1:<port>`
    fn origin(&self) -> &str {
        self.link.split("/?").next().unwrap()
    }

    fn port(&self) -> &str {
        self.origin().rsplit(':').next().unwrap()
    }
}

/// A run in the middle of an iteration, and its next events.
fn a_run_in_two() -> (Vec<Stamped>, Vec<Stamped>) {
    let mut first = samples::a_run();
    let ends = |event: &Stamped| matches!(event.event, LoopEvent::IterationEnded { .. });
    let second = first.split_off(first.iter().position(ends).unwrap());
    (first, second)
}

fn assert_asked_only(tab: &mut Tab, origin: &str) {
    let requests = &tab.seen().requests;
    assert!(!requests.is_empty());
    assert!(requests.iter().all(|url| url.starts_with(&format!("{origin}/"))), "{requests:#?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn events_update_the_open_page_and_open_details_stay_open() {
    let (first, second) = a_run_in_two();
    let project = Project::active(first);
    let server = Server::start(&project);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    assert_eq!(tab.text_of("location.href"), format!("{}/", server.origin()));
    tab.wait_for(&format!("{CONNECTION}.includes('live')"));

    assert!(tab.text_of("document.title").ends_with(": running"));

    let rows = "document.querySelectorAll('#iterations tbody tr').length";
    assert_eq!(tab.number_of(rows), 1.0);
    tab.evaluate("window.before = true; document.querySelector('#iterations details').open = true");
    project.say(&second[..second.len() - 1]);
    tab.wait_for(&format!("{rows} === 2"));
    assert_eq!(tab.evaluate("window.before"), true);
    assert_eq!(tab.evaluate("document.querySelector('#iterations details').open"), true);

    project.say(&second[second.len() - 1..]);
    tab.wait_for("document.querySelector('#head .state').textContent.includes('interrupted')");
    assert_eq!(tab.evaluate("window.before"), true);
    assert!(tab.text_of("document.title").ends_with(": interrupted"));
    assert_asked_only(&mut tab, server.origin());
    let seen = tab.seen();
    assert!(seen.complaints.is_empty() && seen.exceptions.is_empty(), "{seen:#?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn the_page_reports_a_lost_server_and_reconnects() {
    let (first, second) = a_run_in_two();
    let project = Project::active(first);
    let server = Server::start(&project);
    let (origin, port) = (server.origin().to_owned(), server.port().to_owned());
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    tab.wait_for(&format!("{CONNECTION}.includes('live')"));
    drop(server);
    tab.wait_for(&format!("{CONNECTION}.includes('lost')"));
    project.say(&second);

    let server = Server::on_port(project.folder(), &port);
    tab.wait_for(&format!("{CONNECTION}.includes('live')"));
    tab.wait_for("document.querySelectorAll('#iterations tbody tr').length === 2");
    assert_eq!(server.origin(), origin);
    assert_asked_only(&mut tab, &origin);
    assert_eq!(tab.seen().exceptions, [""; 0]);
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_wrong_token_gets_an_error_page_without_run_data() {
    let project = Project::active(a_run_in_two().0);
    let server = Server::start(&project);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&format!("{}/?token=guessed", server.origin()));
    let status = "performance.getEntriesByType('navigation')[0].responseStatus";
    assert_eq!(tab.number_of(status), 401.0);
    let said = tab.text_of("document.body.innerText");
    assert!(said.contains("Token missing or wrong") && !said.contains("US-00"), "{said}");
    assert_asked_only(&mut tab, server.origin());
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn hostile_text_stays_text_in_page_updates() {
    let events = hostile::events();
    let project = Project::active(events[..1].to_vec());
    let server = Server::start(&project);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.bypass_policies();
    tab.open(&server.link);
    tab.wait_for(&format!("{CONNECTION}.includes('live')"));
    project.say(&events[1..]);
    tab.wait_for("document.querySelectorAll('#iterations tbody tr').length > 1");
    tab.unfold_everything();
    hostile::assert_harmless(&mut tab);
    assert_eq!(tab.evaluate("document.scripts.length"), 1);
    assert_asked_only(&mut tab, server.origin());
    let seen = tab.seen();
    assert_eq!(seen.exceptions, [""; 0]);
    // Without its policy, the browser requests an icon and gets 404.
    let others = seen.complaints.iter().filter(|complaint| !complaint.contains("/favicon.ico"));
    assert_eq!(others.count(), 0, "{seen:#?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn orders_from_the_page_reach_the_run_and_the_answer_is_shown() {
    let project = Project::active(a_run_in_two().0);
    let server = Server::with(project.folder(), &["--allow-orders"]);
    let queue = OrderQueue::open(&Layout::new(project.folder())).unwrap();
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    let answer = "document.getElementById('order-answer').textContent";
    let press = |kind: &str| format!("document.querySelector('[data-order={kind}]').click()");

    tab.evaluate(&press("pause"));
    tab.wait_for(&format!("{answer}.includes('pausing after this iteration')"));
    tab.evaluate("window.confirm = (text) => { window.asked = text; return false }");
    tab.evaluate(&press("stop"));
    assert!(tab.text_of("window.asked").starts_with("Stop the run?"));
    tab.evaluate("window.confirm = (text) => { window.asked = text; return true }");
    tab.evaluate(&press("skip"));
    tab.wait_for(&format!("{answer}.includes('skipping US-002 now')"));
    assert!(tab.text_of("window.asked").starts_with("Skip US-002?"));

    let line = "document.getElementById('steer-text')";
    tab.evaluate(&format!("{line}.value = 'Mind <b>the</b> gap'; {line}.focus()"));
    tab.press(Key::Enter);
    tab.wait_for(&format!("{answer}.includes('added to the next implementing session')"));
    assert_eq!(tab.text_of(&format!("{line}.value")), "");

    let message: Vec<Order> =
        queue.read(&[]).order_files.into_iter().map(|one| one.order).collect();
    let story = Some(samples::id("US-002"));
    let steer = Order::Steer { text: "Mind <b>the</b> gap".into(), story: None };
    assert_eq!(message, [Order::Pause, Order::Skip { story }, steer]);
    assert_asked_only(&mut tab, server.origin());
    let seen = tab.seen();
    assert!(seen.complaints.is_empty() && seen.exceptions.is_empty(), "{seen:#?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_failed_order_is_reported_and_its_text_is_kept() {
    let project = Project::with(&samples::a_run());
    let server = Server::with(project.folder(), &["--allow-orders"]);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    let line = "document.getElementById('steer-text')";
    tab.evaluate(&format!("{line}.value = 'too late'; {line}.form.requestSubmit()"));
    let answer = "document.getElementById('order-answer')";
    tab.wait_for(&format!("{answer}.textContent.includes('no loop is running here')"));
    assert_eq!(tab.text_of(&format!("{answer}.className")), "bad");
    drop(server);
    tab.evaluate(&format!("{line}.form.requestSubmit()"));
    tab.wait_for(&format!("{answer}.textContent.includes('no response from the server')"));
    assert_eq!(tab.text_of(&format!("{line}.value")), "too late");
}
