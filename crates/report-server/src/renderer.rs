//! The thread that reads a run's log and renders its page: on request, and after changes while pages are
//! watching, at a limited rate.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use events::{RunState, RunView};
use html_report::{Answers, Diffs, LiveLinks, NextStep, PageInput, WaitingAnswer};
use hyper::body::Bytes;
use project::orders::Order;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::diff_loader::DiffLoader;
use crate::limits::ServerLimits;
use crate::rate_limit::RateLimit;
use crate::run_follower::RunFollower;
use crate::snapshot::{PageSnapshot, RenderedPage};

/// Provides the data of a page that is not in the log.
pub trait PageSource: Send + Sync + 'static {
    /// Called after every iteration, on a separate thread.
    fn diffs(&self, view: &RunView) -> Diffs;
    /// Next steps after the run.
    fn next_steps(&self, run: &str) -> Vec<NextStep>;
    /// Answers that no session of the run has received; `None` if nothing can be answered, as a newer run has begun.
    fn waiting_answers(&self, run: &str) -> Option<Vec<WaitingAnswer>>;
    /// The status as JSON; `None` if it is not available.
    fn status(&self, run: &str) -> Option<String>;
    /// Time zone of the times shown.
    fn offset(&self) -> FixedOffset;
    /// Sends an order; `running` is `None` if the run on the page has ended. Returns the reply or the refusal as JSON.
    fn give(&self, running: Option<&RunView>, order: &Order) -> Result<String, String>;
}

/// Requests of the server thread.
#[derive(Debug)]
pub(crate) enum RenderRequest {
    /// `None` without a run.
    Page(oneshot::Sender<Option<Bytes>>),
    /// `None` without a run.
    Report(oneshot::Sender<Option<Bytes>>),
    Status(oneshot::Sender<Option<Bytes>>),
    /// Brings the snapshot up to date.
    Update(oneshot::Sender<()>),
    Order(Order, oneshot::Sender<Result<String, String>>),
}

pub(crate) struct Renderer<M> {
    pub(crate) follower: RunFollower,
    pub(crate) source: Arc<M>,
    pub(crate) until_end: bool,
    pub(crate) links: LiveLinks,
    pub(crate) limits: ServerLimits,
    pub(crate) snapshot: watch::Sender<PageSnapshot>,
    /// One slot for each watching page.
    pub(crate) watcher_slots: Arc<Semaphore>,
    pub(crate) cache: RenderCache,
}

/// Rendered data of the current state of the run.
#[derive(Default)]
pub(crate) struct RenderCache {
    page: Option<Bytes>,
    report: Option<Bytes>,
    status: Option<Bytes>,
    next_steps: Option<Vec<NextStep>>,
    answers: Option<Answers>,
    diffs: DiffLoader,
    /// Requests that wait for the file changes.
    report_wanted: Vec<oneshot::Sender<Option<Bytes>>>,
    published: Published,
    /// The published run and its state.
    published_run: Option<(String, RunState)>,
    /// Limits of updating the short sections, and all of them.
    short: RateLimit,
    whole: RateLimit,
}

/// The part of the snapshot that is up to date.
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
    pub(crate) fn work(mut self, requests: &Receiver<RenderRequest>) {
        loop {
            let request = match requests.recv_timeout(self.limits.log_interval) {
                Ok(request) => Some(request),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let changed = [self.follower.update(), self.cache.diffs.update()];
            if changed.contains(&true) {
                self.cache.clear();
            }
            self.update();
            if let Some(request) = request {
                self.answer(request);
            }
            self.send_reports();
        }
    }

    /// The receiver may be gone, which is no error.
    fn answer(&mut self, request: RenderRequest) {
        match request {
            RenderRequest::Page(to) => {
                self.forget_answers();
                let _ = to.send(self.page());
            }
            RenderRequest::Report(to) => self.cache.report_wanted.push(to),
            RenderRequest::Status(to) => drop(to.send(self.status())),
            RenderRequest::Update(to) => {
                self.render(Published::Everything);
                let _ = to.send(());
            }
            RenderRequest::Order(order, to) => {
                let shown =
                    self.follower.shown.as_ref().filter(|shown| shown.state == RunState::Running);
                let view = shown.map(|shown| &shown.view);
                let _ = to.send(self.source.give(view, &order));
                if matches!(order, Order::Answer { .. }) {
                    self.forget_answers();
                }
            }
        }
    }

    /// Updates the snapshot if a page is watching and the rate limit allows it.
    fn update(&mut self) {
        let is_final = self.is_final();
        let has_flipped = is_final != self.snapshot.borrow().is_final;
        let is_watched = self.watcher_slots.available_permits() < self.limits.watchers;
        if is_watched {
            self.render(if has_flipped { Published::Everything } else { self.due_part() });
        }
        if has_flipped {
            self.snapshot.send_modify(|snapshot| snapshot.is_final = is_final);
        }
    }

    /// Another run, or the end of this one, is not delayed.
    fn due_part(&self) -> Published {
        let (cache, now) = (&self.cache, Instant::now());
        let shown = self.follower.shown.as_ref();
        let published = cache.published_run.as_ref().map(|(run, state)| (run.as_str(), *state));
        if shown.map(|shown| (shown.id.as_str(), shown.state)) != published
            || cache.whole.is_over(now)
        {
            Published::Everything
        } else if cache.short.is_over(now) {
            Published::ShortSections
        } else {
            Published::Nothing
        }
    }

    fn render(&mut self, what: Published) {
        let Some(shown) = self.follower.shown.as_ref().filter(|_| self.cache.published < what)
        else {
            return;
        };
        let published_run = (shown.id.clone(), shown.state);
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
        let least = self.limits.update_interval;
        let now = Instant::now();
        let limit = RateLimit::after(now, now - begun, news, least);
        if what == Published::Everything {
            (self.cache.whole, self.cache.published_run) = (limit, Some(published_run));
            // Short sections have their own rate limit.
            self.cache.short = RateLimit::after(now, Duration::ZERO, 0, least);
        } else {
            self.cache.short = limit;
        }
        self.cache.published = what;
    }

    /// Without a running loop, an answer changes nothing but the queue of orders.
    fn forget_answers(&mut self) {
        if self.follower.shown.as_ref().is_some_and(|shown| has_question(&shown.view)) {
            self.cache.clear();
        }
    }

    fn is_final(&self) -> bool {
        let is_over =
            self.follower.shown.as_ref().is_some_and(|shown| shown.state != RunState::Running);
        is_over && (self.follower.named.is_some() || self.until_end)
    }

    fn page(&mut self) -> Option<Bytes> {
        if self.cache.page.is_none() {
            let links = self.links.clone();
            self.cache.page = self.with_input(|input| html_report::live(input, &links).into());
        }
        self.cache.page.clone()
    }

    fn send_reports(&mut self) {
        if self.cache.report_wanted.is_empty() || self.cache.diffs.is_loading() {
            return;
        }
        if self.cache.report.is_none() {
            self.cache.report = self.with_input(|input| html_report::report(input).into());
        }
        // Rendering may have requested the changes.
        if self.cache.diffs.is_loading() {
            self.cache.report = None;
            return;
        }
        for to in self.cache.report_wanted.drain(..) {
            let _ = to.send(self.cache.report.clone());
        }
    }

    fn status(&mut self) -> Option<Bytes> {
        if self.cache.status.is_none() {
            let shown = self.follower.shown.as_ref()?;
            self.cache.status = self.source.status(&shown.id).map(Bytes::from);
        }
        self.cache.status.clone()
    }

    /// `None` without a run.
    fn with_input<T>(&mut self, make: impl FnOnce(&PageInput<'_>) -> T) -> Option<T> {
        let shown = self.follower.shown.as_ref()?;
        let (source, cache) = (&self.source, &mut self.cache);
        let next_steps = cache.next_steps.get_or_insert_with(|| match shown.state {
            RunState::Running => Vec::new(),
            RunState::Ended | RunState::Died => source.next_steps(&shown.id),
        });
        let allowed = self.links.orders.is_some();
        let answers = cache.answers.get_or_insert_with(|| {
            let waiting =
                has_question(&shown.view).then(|| source.waiting_answers(&shown.id)).flatten();
            Answers { allowed: allowed && waiting.is_some(), waiting: waiting.unwrap_or_default() }
        });
        Some(make(&PageInput {
            run: &shown.id,
            view: &shown.view,
            state: shown.state,
            diffs: cache.diffs.of(shown, source),
            next_steps,
            answers,
            now: std::time::SystemTime::now().into(),
            offset: source.offset(),
            unread_lines: shown.follow.unread().lines,
            log: &shown.follow.check(),
        }))
    }
}

fn has_question(view: &RunView) -> bool {
    view.stories.iter().any(|story| story.question.is_some())
}

impl RenderCache {
    /// Keeps the file changes, which are expensive and have their own version.
    fn clear(&mut self) {
        (self.page, self.report, self.status) = (None, None, None);
        (self.next_steps, self.answers) = (None, None);
        self.published = Published::Nothing;
    }
}
