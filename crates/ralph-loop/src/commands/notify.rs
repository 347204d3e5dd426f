//! `ralph-loop notify`: tries every way that the settings name.

use std::process::ExitCode;

use anyhow::Result;
use engine::CutOff;
use notify::{Notice, Unsent};
use serde::Serialize;
use settings::{Flags, Notifications, TerminalNotice};

use super::{Done, answer, layout_with};
use crate::cli::NotifyArgs;
use crate::command_error::precondition;
use crate::{json, notices, resolve};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tried {
    v: u64,
    ok: bool,
    ways: Vec<Trial>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Trial {
    way: String,
    state: State,
    /// Of a way that did not work.
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Sent,
    /// There is no terminal to write to.
    NotThere,
    Failed,
}

pub(crate) fn notify(args: &NotifyArgs) -> Done {
    let layout = layout_with(&args.project, &args.config)?;
    let loaded = resolve::settings_to_obey(&layout, &Flags::new(), CutOff::Left)?;
    let wanted = &loaded.settings.notifications;
    let notice = Notice::sample(args.kind);
    let sending = notices::sending(&layout)?;
    let mut trials: Vec<Trial> = terminal(wanted, &notice).into_iter().collect();
    trials.extend(notices::ways(wanted).iter().map(|way| {
        Trial::of(way.name().to_string(), way.send(&notice, &sending).map_err(|why| in_full(&why)))
    }));
    if trials.iter().all(|trial| trial.state == State::NotThere) {
        return Err(precondition(
            "no way is set that a notice could take from here",
            "set notifications.command or notifications.webhook in .ralph/settings.local.json; \
             docs/notifications.md has examples",
        ));
    }
    let ok = trials.iter().all(|trial| trial.state != State::Failed);
    answer(&match args.json {
        true => json::pretty(&Tried { v: 1, ok, ways: trials })?,
        false => trials.iter().map(Trial::line).collect(),
    })?;
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn in_full(why: &Unsent) -> String {
    match why {
        Unsent::Code { said, .. } if !said.is_empty() => {
            format!("{why}: {}", sanitize::line(said))
        }
        _ => why.to_string(),
    }
}

/// None if it is to be silent.
fn terminal(wanted: &Notifications, notice: &Notice) -> Option<Trial> {
    let way = match wanted.terminal {
        TerminalNotice::Off => return None,
        TerminalNotice::Bell => "terminal (bell)",
        TerminalNotice::Osc => "terminal (osc)",
    };
    Some(match notices::terminal_word(wanted) {
        None => Trial { way: way.into(), state: State::NotThere, why: None },
        Some(word) => {
            Trial::of(way.into(), notices::ring(word, notice).map_err(|why| why.to_string()))
        }
    })
}

impl Trial {
    fn of(way: String, sent: Result<(), String>) -> Self {
        match sent {
            Ok(()) => Self { way, state: State::Sent, why: None },
            Err(why) => Self { way, state: State::Failed, why: Some(why) },
        }
    }

    fn line(&self) -> String {
        let Self { way, why, .. } = self;
        let why = why.as_deref().unwrap_or_default();
        match self.state {
            State::Sent => format!("{way}: sent\n"),
            State::NotThere => format!("{way}: there is no terminal here\n"),
            State::Failed => format!("{way}: not sent: {why}\n"),
        }
    }
}
