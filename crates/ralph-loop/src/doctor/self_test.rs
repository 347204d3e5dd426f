//! The hooks tried out: one session of the real Claude Code with a model that is only a script on this
//! machine, in a home and a project of its own. It costs nothing and touches nothing of the user's.
//!
//! The script gives each hook a reason to speak: a forced push for command-guard, a full context for
//! context-monitor, uncommitted work for stop-guard. `stage` sets it up, `trial` lets it run, and
//! `judge` says what is wrong, by data alone.

mod judge;
mod trial;
mod trial_project;

use std::path::Path;
use std::time::Duration;

use engine::{HOOK_TIME, HookPrograms, STOP_GUARD_TIME};
use serde::Serialize;
use supervise::{Keeper, StopRequests};

pub(crate) use judge::judge;

use trial_project::TrialProject;

/// What is tried out.
pub(crate) struct Subject<'s> {
    pub(crate) claude: &'s Path,
    pub(crate) hooks: &'s HookPrograms,
    pub(crate) keeper: &'s Keeper,
    pub(crate) stop: &'s StopRequests,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trial {
    pub(crate) milliseconds: u64,
    pub(crate) ended: Ended,
    pub(crate) rounds: Vec<Round>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ended {
    ByItself,
    /// With its last words.
    Failed {
        words: String,
    },
    TimeLimit,
}

/// One call of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Round {
    pub(crate) event: String,
    pub(crate) hook: Hook,
    /// From its start to its answer, as Claude Code tells them.
    pub(crate) milliseconds: Option<u64>,
    pub(crate) answer: Answer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Silent,
    Spoke {
        words: String,
        model: Model,
    },
    Failed {
        why: String,
    },
    /// It was called, and did not answer in its time.
    Missing,
}

/// Whether the words reached the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Model {
    Heard,
    HeardNothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Hook {
    CommandGuard,
    ContextMonitor,
    StopGuard,
}

impl Hook {
    pub(crate) const ALL: [Self; 3] = [Self::CommandGuard, Self::ContextMonitor, Self::StopGuard];

    /// Which of them serves an event, as the generated plugin has it.
    fn of_event(event: &str) -> Option<Self> {
        match event {
            "PreToolUse" => Some(Self::CommandGuard),
            "SessionStart" | "PostToolUse" => Some(Self::ContextMonitor),
            "Stop" => Some(Self::StopGuard),
            _ => None,
        }
    }

    /// The event at which the script gives it a reason to speak.
    fn speaks_at(self) -> &'static str {
        match self {
            Self::CommandGuard => "PreToolUse",
            Self::ContextMonitor => "PostToolUse",
            Self::StopGuard => "Stop",
        }
    }

    /// What Claude Code gives it to answer.
    fn time(self) -> Duration {
        match self {
            Self::CommandGuard | Self::ContextMonitor => HOOK_TIME,
            Self::StopGuard => STOP_GUARD_TIME,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::CommandGuard => "command-guard",
            Self::ContextMonitor => "context-monitor",
            Self::StopGuard => "stop-guard",
        }
    }
}

/// Why there was no trial: nothing of it is about the hooks.
#[derive(Debug, thiserror::Error)]
#[error("it could not be set up: {0}")]
pub(crate) struct NoTrial(String);

impl NoTrial {
    fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Takes some seconds, and at most about a minute.
pub(crate) fn run(subject: &Subject<'_>) -> Result<Trial, NoTrial> {
    let stage = TrialProject::set(subject)?;
    trial::run(&stage, subject)
}
