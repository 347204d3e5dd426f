//! What a run is asked to do, resolved: flags, settings and defaults are behind it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use project::Layout;
use supervise::Keeper;
use tasks::ReviewPolicy;

#[derive(Debug, Clone)]
pub struct RunOptions {
    pub layout: Layout,
    pub agent: AgentOptions,
    pub policy: Policy,
    pub limits: TimeLimits,
    pub dirty: DirtyPolicy,
    pub start: Start,
    pub guard: GuardSource,
    /// How often the guard may block a session before it gives in, if not as often as usual.
    pub max_blocks: Option<u64>,
    /// Who keeps an eye on child processes.
    pub keeper: Keeper,
}

#[derive(Debug, Clone)]
pub struct AgentOptions {
    pub program: PathBuf,
    /// For every story that names none itself.
    pub model: Option<String>,
    pub max_turns: Option<u64>,
    pub extra_args: Vec<OsString>,
    /// Set for every session, on top of what is inherited.
    pub environment: Vec<(OsString, OsString)>,
}

/// The figures that decisions are made by.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub max_iterations: u64,
    pub review: ReviewPolicy,
    pub max_cost_usd: Option<f64>,
    /// A fraction of a usage window: 0.9 ends the run at 90 %.
    pub max_quota: Option<f64>,
    pub on_usage_limit: OnUsageLimit,
    pub retries: Retries,
    /// Between two iterations.
    pub pause: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUsageLimit {
    /// Sleep until the stated reset.
    Wait,
    Stop,
}

/// How often the agent may fail in a row, and how long to wait in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    pub most: u64,
    /// Doubled with each retry.
    pub first_wait: Duration,
    pub longest_wait: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// One session of the agent.
    pub iteration: Option<Duration>,
    /// The agent prints nothing.
    pub idle: Option<Duration>,
    /// One verify command.
    pub gate: Option<Duration>,
    /// From a polite signal to a kill.
    pub grace: Duration,
    /// From the agent's result to a kill, if it does not end.
    pub linger: Duration,
}

/// What to do about changes that are not committed when a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirtyPolicy {
    Refuse,
    /// They are the user's: nobody is blamed for them, and the runner does not commit them.
    Allow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Goes on with a run that was killed or interrupted, else begins a new one.
    Auto,
    /// Goes on with the last run, however it ended.
    Resume,
    /// Begins a new run, whatever the last one left.
    Fresh,
}

/// Where the hooks of an agent's session come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardSource {
    /// A plugin that is there.
    Plugin(PathBuf),
    /// Programs that a plugin has to be made around.
    Programs { stop_guard: PathBuf, context_monitor: PathBuf },
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            most: 3,
            first_wait: Duration::from_secs(5),
            longest_wait: Duration::from_secs(5 * 60),
        }
    }
}

impl Retries {
    /// How long to wait before retry `number`, counted from 1.
    pub fn wait(&self, number: u64) -> Duration {
        let doublings = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
        self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait)
    }
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            iteration: Some(Duration::from_secs(60 * 60)),
            // Longer than Claude Code lets one command of its Bash tool run.
            idle: Some(Duration::from_secs(15 * 60)),
            gate: Some(Duration::from_secs(10 * 60)),
            grace: Duration::from_secs(5),
            linger: Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let retries = Retries::default();
        let waits: Vec<u64> = [1, 2, 3, 7, 100].map(|number| retries.wait(number).as_secs()).into();
        assert_eq!(waits, [5, 10, 20, 300, 300]);
    }
}
