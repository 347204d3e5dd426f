//! The thread that reads a run's log and paints its page: when somebody asks for one, and while somebody
//! watches whenever there is something new, but never faster than anybody can look.

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
use crate::snapshot::{Outlook, Picture, Snapshot};
use crate::subject::{Change, Subject, Which};

/// What a page has that is not in the log.
pub trait Material: Send + Sync + 'static {
    /// Asked again when another iteration ended, on a thread that nobody waits for.
    fn diffs(&self, history: &History) -> Diffs;
    /// What a person can do now that a run is over.
    fn next_steps(&self, run: &str) -> Vec<NextStep>;
    /// The run for machines; `None` if it cannot be told.
    fn status(&self, run: &str) -> Option<String>;
    /// Of the times that are shown.
    fn offset(&self) -> FixedOffset;
    /// Tells the run something; `None` if the one on the page does not go on.
    fn give(&self, running: Option<&RunView>, order: &Order) -> Given;
}

/// What became of an order, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    Taken(String),
    Refused(String),
}

/// What the other thread wants.
#[derive(Debug)]
pub(crate) enum Ask {
    Page(oneshot::Sender<Page>),
    Report(oneshot::Sender<Page>),
    Status(oneshot::Sender<Option<Bytes>>),
    /// That the snapshot shows how things are.
    Picture(oneshot::Sender<()>),
    Order(Order, oneshot::Sender<Given>),
}

#[derive(Debug, Clone)]
pub(crate) enum Page {
    Of(Bytes),
    /// There is no run.
    Waiting,
}

pub(crate) struct Renderer<M> {
    pub(crate) subject: Subject,
    pub(crate) material: Arc<M>,
    pub(crate) until: Until,
    pub(crate) links: LiveLinks,
    pub(crate) limits: Limits,
    pub(crate) snapshot: watch::Sender<Snapshot>,
    /// A place for each that watches.
    pub(crate) places: Arc<Semaphore>,
    pub(crate) made: Made,
}

/// What was made of the run as it was at the last look.
#[derive(Default)]
pub(crate) struct Made {
    page: Option<Bytes>,
    report: Option<Bytes>,
    status: Option<Bytes>,
    next_steps: Option<Vec<NextStep>>,
    changes: Changes,
    /// For those who want it with all that changed.
    report_wanted: Vec<oneshot::Sender<Page>>,
    on_the_board: Published,
    /// The run that hangs there, and whether it went on.
    hung: Option<(String, RunState)>,
    short: Pace,
    whole: Pace,
}

/// What hangs there as it is now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd)]
enum Published {
    #[default]
    Nothing,
    /// What is short however long the run is.
    ShortSections,
    Everything,
}

impl<M: Material> Renderer<M> {
    /// Until nobody can ask any more.
    pub(crate) fn work(mut self, asks: &Receiver<Ask>) {
        loop {
            let ask = match asks.recv_timeout(self.limits.look) {
                Ok(ask) => Some(ask),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let looks = [self.subject.look(), self.made.changes.look()];
            if looks.contains(&Change::Some) {
                self.made.is_void();
            }
            self.hang();
            if let Some(ask) = ask {
                self.answer(ask);
            }
            self.hand_out_reports();
        }
    }

    /// Whoever asked may have gone: that is no matter.
    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Page(to) => drop(to.send(self.page())),
            Ask::Report(to) => self.made.report_wanted.push(to),
            Ask::Status(to) => drop(to.send(self.status())),
            Ask::Picture(to) => {
                self.paint(Published::Everything);
                let _ = to.send(());
            }
            Ask::Order(order, to) => {
                let shown = self.subject.shown().filter(|shown| shown.state == RunState::Running);
                let view = shown.map(|shown| &shown.history.view);
                let _ = to.send(self.material.give(view, &order));
            }
        }
    }

    /// Brings the snapshot up to date, if it is time and somebody looks.
    fn hang(&mut self) {
        let outlook = self.outlook();
        let is_last = outlook != self.snapshot.borrow().outlook;
        let is_watched = self.places.available_permits() < self.limits.watchers;
        if is_watched {
            self.paint(if is_last { Published::Everything } else { self.is_time_for() });
        }
        if is_last {
            self.snapshot.send_modify(|snapshot| snapshot.outlook = outlook);
        }
    }

    /// Another run, or the end of this one, does not wait.
    fn is_time_for(&self) -> Published {
        let (made, now) = (&self.made, Instant::now());
        let shown = self.subject.shown();
        let hung = made.hung.as_ref().map(|(run, state)| (run.as_str(), *state));
        if shown.map(|shown| (shown.id.as_str(), shown.state)) != hung || made.whole.is_rested(now)
        {
            Published::Everything
        } else if made.short.is_rested(now) {
            Published::ShortSections
        } else {
            Published::Nothing
        }
    }

    fn paint(&mut self, what: Published) {
        let Some(shown) = self.subject.shown().filter(|_| self.made.on_the_board < what) else {
            return;
        };
        let hung = (shown.id.clone(), shown.state);
        let begun = Instant::now();
        let make = match what {
            Published::Everything => html_report::sections,
            Published::Nothing | Published::ShortSections => html_report::short_sections,
        };
        let Some(sections) = self.with_input(make) else { return };
        let before = self.snapshot.borrow().picture.clone();
        let picture = Arc::new(Picture::of(sections, before.as_deref()));
        let news = picture.length_of_news(before.as_deref());
        self.snapshot.send_modify(|snapshot| snapshot.picture = Some(picture));
        let least = self.limits.between_pictures;
        let now = Instant::now();
        let pace = Pace::after(now, now - begun, news, least);
        if what == Published::Everything {
            (self.made.whole, self.made.hung) = (pace, Some(hung));
            // What is short does not wait for what is not.
            self.made.short = Pace::after(now, Duration::ZERO, 0, least);
        } else {
            self.made.short = pace;
        }
        self.made.on_the_board = what;
    }

    fn outlook(&self) -> Outlook {
        let is_over = self.subject.shown().is_some_and(|shown| shown.state != RunState::Running);
        let is_the_only_one =
            matches!(self.subject.which(), Which::Named(_)) || self.until == Until::RunEnds;
        if is_over && is_the_only_one { Outlook::NothingMore } else { Outlook::MoreToCome }
    }

    fn page(&mut self) -> Page {
        if self.made.page.is_none() {
            let links = self.links.clone();
            self.made.page = self.with_input(|input| html_report::live(input, &links).into());
        }
        self.made.page.clone().map_or(Page::Waiting, Page::Of)
    }

    fn hand_out_reports(&mut self) {
        if self.made.report_wanted.is_empty() || self.made.changes.are_under_way() {
            return;
        }
        if self.made.report.is_none() {
            self.made.report = self.with_input(|input| html_report::report(input).into());
        }
        // To paint it may have been what asked for the changes.
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
            self.made.status = self.material.status(&shown.id).map(Bytes::from);
        }
        self.made.status.clone()
    }

    /// `None` if there is no run.
    fn with_input<T>(&mut self, make: impl FnOnce(&Input<'_>) -> T) -> Option<T> {
        let shown = self.subject.shown()?;
        let (material, made) = (&self.material, &mut self.made);
        let next_steps = made.next_steps.get_or_insert_with(|| match shown.state {
            RunState::Running => Vec::new(),
            RunState::Ended | RunState::Died => material.next_steps(&shown.id),
        });
        Some(make(&Input {
            run: &shown.id,
            history: &shown.history,
            state: shown.state,
            diffs: made.changes.of(shown, material),
            next_steps,
            now: std::time::SystemTime::now().into(),
            offset: material.offset(),
            unread_lines: shown.unread_lines(),
            log: &shown.log_check(),
        }))
    }
}

impl Made {
    /// The changes stay: they are dear, and know themselves what they are of.
    fn is_void(&mut self) {
        (self.page, self.report, self.status, self.next_steps) = (None, None, None, None);
        self.on_the_board = Published::Nothing;
    }
}
