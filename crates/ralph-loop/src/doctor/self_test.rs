//! The hook self-test: one session of the real Claude Code with a scripted local model, in a temporary home and
//! project. It costs nothing and touches no file of the user.
//!
//! The script triggers each hook: a forced push for command-guard, a full context for context-monitor, uncommitted work
//! for stop-guard. `trial_project` sets it up, `trial` runs it, `judge` evaluates the result.

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

/// The programs under test.
pub(crate) struct TestedPrograms<'s> {
    pub(crate) claude: &'s Path,
    pub(crate) hooks: &'s HookPrograms,
    pub(crate) keeper: &'s Keeper,
    pub(crate) stop: &'s StopRequests,
}

/// The recorded session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trial {
    pub(crate) milliseconds: u64,
    pub(crate) ended: TrialEnd,
    pub(crate) calls: Vec<HookCall>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TrialEnd {
    ByItself,
    /// With its last output.
    Failed {
        output: String,
    },
    TimeLimit,
}

/// One call of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookCall {
    pub(crate) event: String,
    pub(crate) hook: Hook,
    /// From its start to its answer, as Claude Code reports them.
    pub(crate) milliseconds: Option<u64>,
    pub(crate) answer: HookResponse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookResponse {
    Silent,
    Message {
        text: String,
        /// Whether the model received it.
        received: bool,
    },
    Failed {
        why: String,
    },
    /// It was called, but did not answer within its time limit.
    Missing,
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

    /// The hook that the generated plugin calls at an event.
    fn of_event(event: &str) -> Option<Self> {
        match event {
            "PreToolUse" => Some(Self::CommandGuard),
            "SessionStart" | "PostToolUse" => Some(Self::ContextMonitor),
            "Stop" => Some(Self::StopGuard),
            _ => None,
        }
    }

    /// The event at which the script triggers it.
    fn triggered_at(self) -> &'static str {
        match self {
            Self::CommandGuard => "PreToolUse",
            Self::ContextMonitor => "PostToolUse",
            Self::StopGuard => "Stop",
        }
    }

    /// Its time limit in Claude Code.
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

/// The self-test could not be set up, which says nothing about the hooks.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up the self-test: {0}")]
pub(crate) struct SelfTestError(String);

impl SelfTestError {
    fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Takes some seconds, and at most about a minute.
pub(crate) fn run(programs: &TestedPrograms<'_>) -> Result<Trial, SelfTestError> {
    let project = TrialProject::create(programs)?;
    trial::run(&project, programs)
}
