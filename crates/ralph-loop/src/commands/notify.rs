//! `ralph-loop notify`: sends a sample notice through every configured channel.

use std::process::ExitCode;

use anyhow::Result;
use background_sender::SendError;
use engine::InterruptedIteration;
use notify::Notice;
use run_options::TerminalNotice;
use serde::Serialize;
use settings::{Flags, Notifications};

use super::{CommandResult, layout_with_config, print_result};
use crate::cli::NotifyArgs;
use crate::command_error::precondition;
use crate::{json, notices, resolve};

#[derive(Debug, Serialize)]
struct NotifyOutput {
    v: u64,
    ok: bool,
    ways: Vec<ChannelResult>,
}

#[derive(Debug, Serialize)]
struct ChannelResult {
    way: String,
    state: ChannelState,
    /// Only of a channel that failed.
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ChannelState {
    Sent,
    /// No terminal to write to.
    #[serde(rename = "not-there")]
    NoTerminal,
    Failed,
}

pub(super) fn notify(args: &NotifyArgs) -> CommandResult {
    let layout = layout_with_config(&args.place)?;
    let loaded = resolve::trusted_settings(&layout, &Flags::new(), InterruptedIteration::LeftAsIs)?;
    let settings = &loaded.settings.notifications;
    let notice = Notice::sample(args.kind);
    let sending = notices::sending(&layout)?;
    let mut results: Vec<ChannelResult> = terminal(settings, &notice).into_iter().collect();
    results.extend(notices::channels(settings).iter().map(|way| {
        let sent = way.send(&notice, &sending).map_err(|why| full_reason(&why));
        ChannelResult::of(way.name(), sent)
    }));
    if results.iter().all(|result| result.state == ChannelState::NoTerminal) {
        return Err(precondition(
            "no notification channel is configured",
            "set notifications.command or notifications.webhook in .ralph/settings.local.json; \
             docs/notifications.md has examples",
        ));
    }
    let ok = results.iter().all(|result| result.state != ChannelState::Failed);
    let output = NotifyOutput { v: 1, ok, ways: results };
    let text = || output.ways.iter().map(ChannelResult::line).collect();
    print_result(&json::or_text(args.json, &output, text)?)?;
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn full_reason(why: &SendError) -> String {
    match why {
        SendError::Code { stderr, .. } if !stderr.is_empty() => {
            format!("{why}: {}", sanitize::line(stderr))
        }
        _ => why.to_string(),
    }
}

/// `None` if terminal notices are off.
fn terminal(settings: &Notifications, notice: &Notice) -> Option<ChannelResult> {
    let way = match settings.terminal {
        TerminalNotice::Off => return None,
        TerminalNotice::Bell => "terminal (bell)",
        TerminalNotice::Osc => "terminal (osc)",
    };
    Some(match notices::terminal_notice(settings) {
        None => ChannelResult { way: way.into(), state: ChannelState::NoTerminal, why: None },
        Some(signal) => {
            let sent = notices::write_to_terminal(signal, notice);
            ChannelResult::of(way, sent.map_err(|why| why.to_string()))
        }
    })
}

impl ChannelResult {
    fn of(way: &str, sent: Result<(), String>) -> Self {
        let state = if sent.is_ok() { ChannelState::Sent } else { ChannelState::Failed };
        Self { way: way.to_owned(), state, why: sent.err() }
    }

    fn line(&self) -> String {
        let state = match self.state {
            ChannelState::Sent => "sent",
            ChannelState::NoTerminal => "no terminal",
            ChannelState::Failed => "not sent: ",
        };
        format!("{}: {state}{}\n", self.way, self.why.as_deref().unwrap_or_default())
    }
}
