//! A word to whoever left a run alone, by the ways that the settings name.
//!
//! What is worth a word and what it says is `notify`'s; here are the user's choices, the terminal, and
//! the words for a way that failed.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::Result;
use engine::{LoopEvent, RunEnd, Stamped};
use notify::{
    Channel, Class, Failure, Notice, NotificationFilter, NotificationSender, PATIENCE, Scrubber,
    Sending, TerminalWord, Webhook, terminal_bytes,
};
use project::{Layout, env};
use settings::{NoticeClass, Notifications, Settings, TerminalNotice};
use supervise::StopRequests;

use crate::programs;

/// Whoever stopped the run by hand is not kept waiting.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Notices {
    watch: NotificationFilter,
    terminal: Option<TerminalWord>,
    sender: NotificationSender,
    /// For the last ones, once the run is over.
    patience: Duration,
}

impl Notices {
    pub(crate) fn new(settings: &Settings, layout: &Layout) -> Result<Self> {
        let wanted = &settings.notifications;
        let classes: Vec<Class> = wanted.on.iter().map(|class| chosen(*class)).collect();
        let sending = sending(layout)?;
        Ok(Self {
            watch: NotificationFilter::new(classes, scrubber(settings)),
            terminal: terminal_word(wanted),
            sender: NotificationSender::start(ways(wanted), &sending),
            patience: PATIENCE,
        })
    }

    /// Returns what is to be told about ways that failed.
    pub(crate) fn hear(&mut self, stamped: &Stamped) -> Vec<String> {
        if matches!(stamped.event, LoopEvent::RunEnded { end: RunEnd::Interrupted, .. }) {
            self.patience = SHORT_PATIENCE;
        }
        let mut failures = self.sender.failures();
        if let Some(notice) = self.watch.hear(stamped) {
            if let Some(word) = self.terminal {
                // A terminal that is gone rings for nobody.
                let _ = ring(word, &notice);
            }
            failures.extend(self.sender.send(&notice));
        }
        failures.iter().map(in_words).collect()
    }

    /// Waits for what is on its way until `stop` says something new, and returns the same. `waits` is
    /// called if that takes a while.
    pub(crate) fn close(self, stop: &StopRequests, waits: impl FnOnce()) -> Vec<String> {
        let (before, mut waits) = (stop.current(), Some(waits));
        let goes_on = || {
            if let Some(waits) = waits.take() {
                waits();
            }
            stop.current() == before
        };
        self.sender.close(self.patience, goes_on).iter().map(in_words).collect()
    }
}

/// Those that take their time.
pub(crate) fn ways(wanted: &Notifications) -> Vec<Channel> {
    let command = wanted.command.clone().map(Channel::Command);
    let webhook = wanted.webhook.as_ref();
    let webhook = webhook.map(|url| Channel::Webhook(Webhook::new(url.expose(), programs::curl())));
    command.into_iter().chain(webhook).collect()
}

pub(crate) fn sending(layout: &Layout) -> Result<Sending> {
    let keeper = programs::keeper()?;
    Ok(Sending::new(keeper, layout.root().to_path_buf()))
}

/// None where nobody sits before a terminal, or it is to be silent.
pub(crate) fn terminal_word(wanted: &Notifications) -> Option<TerminalWord> {
    let there = io::stderr().is_terminal() || io::stdout().is_terminal();
    match wanted.terminal {
        TerminalNotice::Off => None,
        TerminalNotice::Bell => Some(TerminalWord::Bell),
        TerminalNotice::Osc => Some(TerminalWord::notification(env::variable)),
    }
    .filter(|_| there)
}

/// At once: what is redrawn on the same terminal is written by others.
pub(crate) fn ring(word: TerminalWord, notice: &Notice) -> io::Result<()> {
    let bytes = terminal_bytes(word, notice);
    match io::stderr().is_terminal() {
        true => io::stderr().write_all(&bytes),
        false => io::stdout().write_all(&bytes).and_then(|()| io::stdout().flush()),
    }
}

fn scrubber(settings: &Settings) -> Scrubber {
    let given = settings.env.values().chain(&settings.notifications.webhook);
    Scrubber::of_process(given.map(|secret| secret.expose().to_owned()))
}

fn chosen(class: NoticeClass) -> Class {
    match class {
        NoticeClass::Finished => Class::Finished,
        NoticeClass::Failed => Class::Failed,
        NoticeClass::NeedsAttention => Class::NeedsAttention,
    }
}

fn in_words(failure: &Failure) -> String {
    let Failure { way, why } = failure;
    format!(
        "a notice could not be sent by notifications.{way}: {why}; `ralph-loop notify` tries it"
    )
}
