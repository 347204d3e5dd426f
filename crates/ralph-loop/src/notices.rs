//! Sends notices about a run through the channels in the settings.
//!
//! `notify` decides when to notify and writes the text. This module applies the settings, writes to the terminal, and
//! describes failures.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::Result;
use background_sender::{BackgroundSender, Endpoint, PATIENCE, SendContext, SendFailure};
use events::{LoopEvent, RunEnd, Stamped};
use notify::{
    Channel, Notice, NotificationFilter, NotificationSender, QUEUE, Scrubber, TerminalSignal,
    terminal_bytes,
};
use project::{Layout, env};
use run_options::TerminalNotice;
use settings::{Notifications, Settings};
use supervise::StopRequests;

use crate::programs;

/// After Ctrl-C the user waits only this long for what is being sent.
pub(crate) const SHORT_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Notices {
    /// `None` if no notice is sent.
    filter: Option<NotificationFilter>,
    terminal: Option<TerminalSignal>,
    sender: NotificationSender,
    /// Timeout of the last notices after the run.
    timeout: Duration,
}

impl Notices {
    pub(crate) fn new(settings: &Settings, layout: &Layout) -> Result<Self> {
        let wanted = &settings.notifications;
        let destinations: Vec<_> = channels(wanted).into_iter().map(Channel::destination).collect();
        let terminal = terminal_notice(wanted);
        let is_sent = terminal.is_some() || !destinations.is_empty();
        let filter = || NotificationFilter::new(wanted.on.clone(), scrubber(settings));
        Ok(Self {
            filter: is_sent.then(filter),
            terminal,
            sender: BackgroundSender::start(destinations, QUEUE, &sending(layout)?),
            timeout: PATIENCE,
        })
    }

    /// Returns messages about failed channels.
    pub(crate) fn handle(&mut self, stamped: &Stamped) -> Vec<String> {
        if matches!(&stamped.event, LoopEvent::RunEnded(run) if run.end == RunEnd::Interrupted) {
            self.timeout = SHORT_TIMEOUT;
        }
        let mut failures = self.sender.failures();
        if let Some(notice) = self.filter.as_mut().and_then(|it| it.apply(stamped)) {
            if let Some(kind) = self.terminal {
                // A closed terminal is no error.
                let _ = write_to_terminal(kind, &notice);
            }
            failures.extend(self.sender.send(&notice));
        }
        failures.iter().map(failure_text).collect()
    }

    /// Waits for unsent notices until a new stop request, and returns messages about failed channels. Calls `waits` if
    /// that takes a while.
    pub(crate) fn close(self, stop: &StopRequests, waits: impl FnOnce()) -> Vec<String> {
        let failures = self.sender.close(self.timeout, keep_waiting(stop, waits));
        failures.iter().map(failure_text).collect()
    }
}

/// Returns false after a new stop request. Calls `waits` the first time.
pub(crate) fn keep_waiting(stop: &StopRequests, waits: impl FnOnce()) -> impl FnMut() -> bool {
    let (before, mut waits) = (stop.current(), Some(waits));
    move || {
        if let Some(waits) = waits.take() {
            waits();
        }
        stop.current() == before
    }
}

/// The asynchronous channels.
pub(crate) fn channels(wanted: &Notifications) -> Vec<Channel> {
    let command = wanted.command.clone().map(Channel::Command);
    let webhook = wanted.webhook.as_ref();
    let webhook =
        webhook.map(|url| Channel::Webhook(Endpoint::new(url.expose(), programs::curl())));
    command.into_iter().chain(webhook).collect()
}

pub(crate) fn sending(layout: &Layout) -> Result<SendContext> {
    let keeper = programs::keeper()?;
    Ok(SendContext::new(keeper, layout.root().to_path_buf()))
}

/// `None` without a terminal, or if terminal notices are off.
pub(crate) fn terminal_notice(wanted: &Notifications) -> Option<TerminalSignal> {
    let is_terminal = io::stderr().is_terminal() || io::stdout().is_terminal();
    match wanted.terminal {
        TerminalNotice::Off => None,
        TerminalNotice::Bell => Some(TerminalSignal::Bell),
        TerminalNotice::Osc => Some(TerminalSignal::notification(env::variable)),
    }
    .filter(|_| is_terminal)
}

/// Writes directly, because the renderer redraws the same terminal.
pub(crate) fn write_to_terminal(kind: TerminalSignal, notice: &Notice) -> io::Result<()> {
    let bytes = terminal_bytes(kind, notice);
    match io::stderr().is_terminal() {
        true => io::stderr().write_all(&bytes),
        false => io::stdout().write_all(&bytes).and_then(|()| io::stdout().flush()),
    }
}

fn scrubber(settings: &Settings) -> Scrubber {
    let telemetry = &settings.telemetry;
    let own = settings.env.values().chain(&settings.notifications.webhook);
    let given = own.chain(telemetry.headers.values()).chain(&telemetry.otlp);
    Scrubber::of_process(given.map(|secret| secret.expose().to_owned()))
}

fn failure_text(SendFailure { destination, why }: &SendFailure) -> String {
    format!(
        "cannot send a notice with notifications.{destination}: {why}; test it with `ralph-loop notify`"
    )
}
