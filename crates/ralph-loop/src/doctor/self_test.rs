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
pub(crate) use trial::run;

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
    /// Its name.
    pub(crate) hook: &'static str,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hook {
    name: &'static str,
    /// The event at which the script triggers it.
    event: &'static str,
    /// Another event at which the generated plugin calls it.
    other: Option<&'static str>,
    /// Its time limit in Claude Code.
    time: Duration,
}

const HOOKS: [Hook; 3] = [
    Hook { name: "command-guard", event: "PreToolUse", other: None, time: HOOK_TIME },
    Hook {
        name: "context-monitor",
        event: "PostToolUse",
        other: Some("SessionStart"),
        time: HOOK_TIME,
    },
    Hook { name: "stop-guard", event: "Stop", other: None, time: STOP_GUARD_TIME },
];
