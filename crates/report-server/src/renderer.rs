//! The thread that reads a run's log and renders its page: on request, and after changes while pages are
//! watching, at a limited rate.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use events::{History, RunState, RunView};
use html_report::{Diffs, Input, LiveLinks, NextStep};
use hyper::body::Bytes;
use project::orders::Order;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::changes::Changes;
use crate::limits::Limits;
use crate::pace::Pace;
use crate::server::Until;
use crate::snapshot::{Outlook, RenderedPage, Snapshot};
use crate::subject::{Change, RunSelection, Subject};

/// Provides the data of a page that is not in the log.
pub trait PageSource: Send + Sync + 'static {
    /// Called after every iteration, on a separate thread.
    fn diffs(&self, history: &History) -> Diffs;
    /// Next steps after the run.
    fn next_steps(&self, run: &str) -> Vec<NextStep>;
    /// The status as JSON; `None` if it is not available.
    fn status(&self, run: &str) -> Option<String>;
    /// Time zone of the times shown.
    fn offset(&self) -> FixedOffset;
    /// Sends an order; `running` is `None` if the run on the page has ended.
    fn give(&self, running: Option<&RunView>, order: &Order) -> OrderResult;
}

/// The result of an order, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderResult {
    Accepted(String),
    Refused(String),
}

/// Requests of the server thread.
#[derive(Debug)]
pub(crate) enum RenderRequest {
    Page(oneshot::Sender<Page>),
    Report(oneshot::Sender<Page>),
    Status(oneshot::Sender<Option<Bytes>>),
    /// Brings the snapshot up to date.
    Update(oneshot::Sender<()>),
    Order(Order, oneshot::Sender<OrderResult>),
}

#[derive(Debug, Clone)]
pub(crate) enum Page {
    Of(Bytes),
    /// There is no run.
    Waiting,
}

pub(crate) struct Renderer<M> {
    pub(crate) subject: Subject,
    pub(crate) source: Arc<M>,
    pub(crate) until: Until,
    pub(crate) links: LiveLinks,
    pub(crate) limits: Limits,
    pub(crate) snapshot: watch::Sender<Snapshot>,
    /// One slot for each watching page.
    pub(crate) places: Arc<Semaphore>,
    pub(crate) made: RenderCache,
}

/// Rendered data of the current state of the run.
#[derive(Default)]
pub(crate) struct RenderCache {
    page: Option<Bytes>,
    report: Option<Bytes>,
    status: Option<Bytes>,
    next_steps: Option<Vec<NextStep>>,
    changes: Changes,
    /// Requests that wait for the file changes.
    report_wanted: Vec<oneshot::Sender<Page>>,
    published: Published,
    /// The published run and its state.
    published_run: Option<(String, RunState)>,
    short: Pace,
    whole: Pace,
}

/// RunSelection part of the snapshot is up to date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd)]
enum Published {
    #[default]
    Nothing,
    /// The sections whose size does not depend on the length of the run.
    ShortSections,
    Everything,
}

impl<M: PageSource> Renderer<M> {
    /// Runs until the server thread ends.
    pub(crate) fn work(mut self, asks: &Receiver<RenderRequest>) {
        loop {
            let ask = match asks.recv_timeout(self.limits.look) {
                Ok(ask) => Some(ask),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let looks = [self.subject.look(), self.made.changes.look()];
            if looks.contains(&Change::Some) {
                self.made.clear();
            }
            self.update();
            if let Some(ask) = ask {
                self.answer(ask);
            }
            self.send_reports();
        }
    }

    /// The receiver may be gone, which is no error.
    fn answer(&mut self, ask: RenderRequest) {
        match ask {
            RenderRequest::Page(to) => drop(to.send(self.page())),
            RenderRequest::Report(to) => self.made.report_wanted.push(to),
            RenderRequest::Status(to) => drop(to.send(self.status())),
            RenderRequest::Update(to) => {
                self.render(Published::Everything);
                let _ = to.send(());
            }
            RenderRequest::Order(order, to) => {
                let shown = self.subject.shown().filter(|shown| shown.state == RunState::Running);
                let view = shown.map(|shown| &shown.history.view);
                let _ = to.send(self.source.give(view, &order));
            }
        }
    }

    /// Updates the snapshot if a page is watching and the rate limit allows it.
    fn update(&mut self) {
        let outlook = self.outlook();
        let is_last = outlook != self.snapshot.borrow().outlook;
        let is_watched = self.places.available_permits() < self.limits.watchers;
        if is_watched {
            self.render(if is_last { Published::Everything } else { self.due_part() });
        }
        if is_last {
            self.snapshot.send_modify(|snapshot| snapshot.outlook = outlook);
        }
    }

    /// Another run, or the end of this one, is not delayed.
    fn due_part(&self) -> Published {
        let (made, now) = (&self.made, Instant::now());
        let shown = self.subject.shown();
        let hung = made.published_run.as_ref().map(|(run, state)| (run.as_str(), *state));
        if shown.map(|shown| (shown.id.as_str(), shown.state)) != hung || made.whole.is_rested(now)
        {
            Published::Everything
        } else if made.short.is_rested(now) {
            Published::ShortSections
        } else {
            Published::Nothing
        }
    }

    fn render(&mut self, what: Published) {
        let Some(shown) = self.subject.shown().filter(|_| self.made.published < what) else {
            return;
        };
        let hung = (shown.id.clone(), shown.state);
        let begun = Instant::now();
        let make = match what {
            Published::Everything => html_report::sections,
            Published::Nothing | Published::ShortSections => html_report::short_sections,
        };
        let Some(sections) = self.with_input(make) else { return };
        let before = self.snapshot.borrow().page.clone();
        let page = Arc::new(RenderedPage::of(sections, before.as_deref()));
        let news = page.length_of_news(before.as_deref());
        self.snapshot.send_modify(|snapshot| snapshot.page = Some(page));
        let least = self.limits.between_pictures;
        let now = Instant::now();
        let pace = Pace::after(now, now - begun, news, least);
        if what == Published::Everything {
            (self.made.whole, self.made.published_run) = (pace, Some(hung));
            // Short sections have their own rate limit.
            self.made.short = Pace::after(now, Duration::ZERO, 0, least);
        } else {
            self.made.short = pace;
        }
        self.made.published = what;
    }

    fn outlook(&self) -> Outlook {
        let is_over = self.subject.shown().is_some_and(|shown| shown.state != RunState::Running);
        let is_the_only_one =
            matches!(self.subject.which(), RunSelection::Named(_)) || self.until == Until::RunEnds;
        if is_over && is_the_only_one { Outlook::NothingMore } else { Outlook::MoreToCome }
    }

    fn page(&mut self) -> Page {
        if self.made.page.is_none() {
            let links = self.links.clone();
            self.made.page = self.with_input(|input| html_report::live(input, &links).into());
        }
        self.made.page.clone().map_or(Page::Waiting, Page::Of)
    }

    fn send_reports(&mut self) {
        if self.made.report_wanted.is_empty() || self.made.changes.are_under_way() {
            return;
        }
        if self.made.report.is_none() {
            self.made.report = self.with_input(|input| html_report::report(input).into());
        }
        // Rendering may have requested the changes.
        if self.made.changes.are_under_way() {
            self.made.report = None;
            return;
        }
        let report = self.made.report.clone().map_or(Page::Waiting, Page::Of);
        for to in self.made.report_wanted.drain(..) {
            let _ = to.send(report.clone());
        }
    }

    fn status(&mut self) -> Option<Bytes> {
        if self.made.status.is_none() {
            let shown = self.subject.shown()?;
            self.made.status = self.source.status(&shown.id).map(Bytes::from);
        }
        self.made.status.clone()
    }

    /// `None` without a run.
    fn with_input<T>(&mut self, make: impl FnOnce(&Input<'_>) -> T) -> Option<T> {
        let shown = self.subject.shown()?;
        let (source, made) = (&self.source, &mut self.made);
        let next_steps = made.next_steps.get_or_insert_with(|| match shown.state {
            RunState::Running => Vec::new(),
            RunState::Ended | RunState::Died => source.next_steps(&shown.id),
        });
        Some(make(&Input {
            run: &shown.id,
            history: &shown.history,
            state: shown.state,
            diffs: made.changes.of(shown, source),
            next_steps,
            now: std::time::SystemTime::now().into(),
            offset: source.offset(),
            unread_lines: shown.unread_lines(),
            log: &shown.log_check(),
        }))
    }
}

impl RenderCache {
    /// Keeps the file changes, which are expensive and have their own version.
    fn clear(&mut self) {
        (self.page, self.report, self.status, self.next_steps) = (None, None, None, None);
        self.published = Published::Nothing;
    }
}
