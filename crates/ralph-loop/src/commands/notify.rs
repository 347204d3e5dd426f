//! `ralph-loop notify`: sends a sample notice through every configured channel.

use std::process::ExitCode;

use anyhow::Result;
use engine::InterruptedIteration;
use notify::{Notice, SendError};
use run_options::TerminalNotice;
use serde::Serialize;
use settings::{Flags, Notifications};

use super::{CommandResult, layout_with_config, print_result};
use crate::cli::NotifyArgs;
use crate::command_error::precondition;
use crate::{json, notices, resolve};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NotifyOutput {
    v: u64,
    ok: bool,
    ways: Vec<ChannelResult>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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

pub(crate) fn notify(args: &NotifyArgs) -> CommandResult {
    let layout = layout_with_config(&args.project, &args.config)?;
    let loaded = resolve::trusted_settings(&layout, &Flags::new(), InterruptedIteration::LeftAsIs)?;
    let settings = &loaded.settings.notifications;
    let notice = Notice::sample(args.kind);
    let sending = notices::sending(&layout)?;
    let mut results: Vec<ChannelResult> = terminal(settings, &notice).into_iter().collect();
    results.extend(notices::channels(settings).iter().map(|way| {
        ChannelResult::of(
            way.name().to_string(),
            way.send(&notice, &sending).map_err(|why| full_reason(&why)),
        )
    }));
    if results.iter().all(|result| result.state == ChannelState::NoTerminal) {
        return Err(precondition(
            "no notification channel is configured",
            "set notifications.command or notifications.webhook in .ralph/settings.local.json; \
             docs/notifications.md has examples",
        ));
    }
    let ok = results.iter().all(|result| result.state != ChannelState::Failed);
    print_result(&match args.json {
        true => json::pretty(&NotifyOutput { v: 1, ok, ways: results })?,
        false => results.iter().map(ChannelResult::line).collect(),
    })?;
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
        Some(notice_kind) => ChannelResult::of(
            way.into(),
            notices::write_to_terminal(notice_kind, notice).map_err(|why| why.to_string()),
        ),
    })
}

impl ChannelResult {
    fn of(way: String, sent: Result<(), String>) -> Self {
        match sent {
            Ok(()) => Self { way, state: ChannelState::Sent, why: None },
            Err(why) => Self { way, state: ChannelState::Failed, why: Some(why) },
        }
    }

    fn line(&self) -> String {
        let Self { way, why, .. } = self;
        let why = why.as_deref().unwrap_or_default();
        match self.state {
            ChannelState::Sent => format!("{way}: sent\n"),
            ChannelState::NoTerminal => format!("{way}: no terminal\n"),
            ChannelState::Failed => format!("{way}: not sent: {why}\n"),
        }
    }
}
