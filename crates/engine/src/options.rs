//! The resolved options of a run, from flags, settings and defaults.

mod help;
mod isolation;
mod jobs;
mod proof;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agents::{Abilities, Agent, Completion, Decode, Filters, PromptVia, Value};
use events::{Figures, Traceparent};
use project::{CommandRules, Layout, env};
use serde::{Deserialize, Serialize};
use supervise::Keeper;
use tasks::{Mode, ReviewPolicy, StoryId, TaskList};
use vcs::AllowedChanges;

pub use help::{CandidateOptions, HelpOptions};
pub use isolation::{CheckSandbox, ChosenIsolation, SessionIsolation};
pub use jobs::JobOptions;
pub use proof::ProofOptions;

pub use crate::hooks::HookPrograms;
pub(crate) use run_options::{
    AtReviewCap, AttemptLimits, BaseChecks, FinalReviewUse, Guardrail, McpServers, OnUsageLimit,
    QuestionLimits, Retries, ScmTask, ValidationStrategy,
};

use crate::limits::TimeLimits;

/// Options of every loop.
#[derive(Debug, Clone)]
pub struct RunOptions {
    pub layout: Layout,
    pub agent: AgentOptions,
    /// The agents that get a session if another one is at its usage limit, in this order.
    pub fallbacks: Vec<AgentOptions>,
    pub policy: RunPolicy,
    pub limits: TimeLimits,
    pub guardrails: Vec<Guardrail>,
    /// The isolation of the guardrails and the checks of the task list.
    pub checks: CheckSandbox,
    /// Characters of a failed guardrail's output that the next prompt quotes.
    pub quoted_output: usize,
    /// The user's own variables, for prompts.
    pub variables: BTreeMap<String, String>,
    /// Every prompt begins with `Iteration X of Y, Z remaining.`
    pub include_iteration_count: bool,
    pub scm: Option<ScmOptions>,
    pub start: StartMode,
    /// Supervises child processes.
    pub keeper: Keeper,
    /// `None` if no agent of the run has hooks, or the user allows missing hooks.
    pub guard: Option<HookPrograms>,
    /// The rules for command-guard.
    pub commands: CommandRules,
    /// Settings and control files of git that sessions may change.
    pub allowed_changes: AllowedChanges,
    /// The lane that this is for, if the run has lanes.
    pub lane: Option<LaneVariables>,
    /// `None` if the run is not exported as a trace.
    pub trace: Option<TraceOptions>,
}

/// A run that is exported as a trace.
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    /// The span of what started the run, if that is traced too.
    pub outer: Option<Traceparent>,
}

/// What a lane tells setup commands, checks and sessions through their environment.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaneVariables {
    /// From 1; 0 in the verification clone.
    pub(crate) number: u64,
    pub(crate) first_port: u16,
}

impl LaneVariables {
    pub(crate) fn environment(self) -> [(&'static str, String); 2] {
        [
            (env::RALPH_LANE, self.number.to_string()),
            (env::RALPH_PORT_BASE, self.first_port.to_string()),
        ]
    }
}

impl RunOptions {
    /// The implementing agent first.
    pub fn agents(&self) -> impl Iterator<Item = &AgentOptions> + Clone {
        [&self.agent].into_iter().chain(&self.fallbacks)
    }

    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut AgentOptions> {
        [&mut self.agent].into_iter().chain(&mut self.fallbacks)
    }

    /// What is left of the cost limit, for the agent to enforce.
    pub(crate) fn budget_left(&self, unavailable_usd: f64) -> Option<f64> {
        let most = self.policy.max_cost_usd?;
        Some((most - unavailable_usd).max(0.01))
    }

    /// The prompt, with the iteration count before it if enabled.
    pub(crate) fn with_iteration_count(&self, prompt: String, iteration: u64) -> String {
        if !self.include_iteration_count {
            return prompt;
        }
        let most = self.policy.max_iterations;
        let left = most.saturating_sub(iteration);
        format!("Iteration {iteration} of {most}, {left} remaining.\n\n{prompt}")
    }
}

/// The loop over a task list.
#[derive(Debug, Clone)]
pub struct StoryOptions {
    pub run: RunOptions,
    /// The story that the run is limited to.
    pub only_story: Option<StoryId>,
    /// The reviewer, if it is not the implementing agent.
    pub reviewer: Option<AgentOptions>,
    /// Reviewers that must agree with the first one.
    pub panel: Vec<AgentOptions>,
    pub review: ReviewPolicy,
    pub at_review_cap: AtReviewCap,
    /// The review of all work, after the stories are done.
    pub final_review: FinalReviewUse,
    pub attempts: AttemptLimits,
    pub help: HelpOptions,
    pub questions: QuestionLimits,
    pub proof: ProofOptions,
    /// Which checks must pass; loops over a prompt require all of them.
    pub validation: ValidationStrategy,
    pub base_checks: BaseChecks,
    /// `None` without quality reviews.
    pub quality: Option<QualityOptions>,
    /// `None` without handoffs.
    pub memory: Option<MemoryOptions>,
    pub servers: McpServers,
    /// `None` if changes of a failed iteration stay.
    pub rollback: Option<RollbackOptions>,
    /// Uncommitted changes at the start are the user's: no agent is blamed for them, and the runner does not commit
    /// them. Otherwise the run refuses to start.
    pub allow_dirty: bool,
    /// How often the Stop hook may block a session, if not the default.
    pub max_blocks: Option<u64>,
    /// Of this project's latest story runs, including the current one.
    pub so_far: Figures,
    /// `None` if the run works in the user's work tree.
    pub lanes: Option<LaneOptions>,
}

/// Ports of each lane.
const PORTS: u64 = 100;

/// A run in clones of the project.
#[derive(Debug, Clone)]
pub struct LaneOptions {
    /// The folder for the clones of this project, outside of it.
    pub dir: PathBuf,
    /// How many stories are worked on at once.
    pub jobs: u64,
    /// Commands that run once in a new clone, and again after a lock file changed.
    pub setup: Vec<String>,
    /// The first of the ports for `RALPH_PORT_BASE`; each lane has 100.
    pub first_port: u16,
    /// `None` if sessions run on this machine.
    pub sessions: Option<JobOptions>,
    /// `None` if checks run on this machine.
    pub checks: Option<JobOptions>,
}

impl StoryOptions {
    /// The same in a clone of the project, for lane `number`; 0 is the verification clone. `borrowed` are folders of
    /// the project that its sandboxes may read.
    pub(crate) fn in_clone(
        &self,
        lanes: &LaneOptions,
        root: PathBuf,
        number: u64,
        borrowed: &[PathBuf],
    ) -> Self {
        let before = u16::try_from(number.saturating_mul(PORTS)).unwrap_or(u16::MAX);
        let first_port = lanes.first_port.saturating_add(before);
        self.in_folder(root, LaneVariables { number, first_port }, borrowed)
    }

    pub(crate) fn in_folder(
        &self,
        root: PathBuf,
        lane: LaneVariables,
        borrowed: &[PathBuf],
    ) -> Self {
        let layout = self.run.layout.in_clone(root);
        let run = RunOptions { layout, lane: Some(lane), ..self.run.clone() };
        let mut options = Self { run, ..self.clone() };
        options.run.checks.make_readable(borrowed);
        let agents = options.agents_mut();
        agents.for_each(|agent| agent.isolation.chosen.make_readable(borrowed));
        options
    }

    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut AgentOptions> {
        let quality = self.quality.as_mut().map(|quality| &mut quality.agent);
        let memory = self.memory.as_mut().map(|memory| &mut memory.agent);
        let of_roles = [Some(&mut self.run.agent), self.reviewer.as_mut(), quality, memory];
        let others = self.panel.iter_mut().chain(&mut self.run.fallbacks);
        of_roles.into_iter().flatten().chain(others).chain(&mut self.help.agents)
    }

    /// All agents of the run, the implementing one first.
    pub fn agents(&self) -> impl Iterator<Item = &AgentOptions> + Clone {
        let quality = self.quality.as_ref().map(|quality| &quality.agent);
        let memory = self.memory.as_ref().map(|memory| &memory.agent);
        let of_roles = [Some(&self.run.agent), self.reviewer.as_ref(), quality, memory];
        let others = self.panel.iter().chain(&self.run.fallbacks);
        of_roles.into_iter().flatten().chain(others).chain(&self.help.agents)
    }

    /// The reviewing agent; the implementing one unless the settings name another.
    pub(crate) fn reviewing_agent(&self) -> &AgentOptions {
        self.reviewer.as_ref().unwrap_or(&self.run.agent)
    }

    /// The agent that implements or reviews with this name.
    pub(crate) fn coding_agent(&self, name: &str) -> Option<&AgentOptions> {
        let of_roles = [&self.run.agent, self.reviewing_agent()];
        let others = self.run.fallbacks.iter().chain(&self.help.agents);
        of_roles.into_iter().chain(others).find(|agent| agent.name() == name)
    }

    /// The agent that works in `mode`, unless it is at its usage limit.
    pub(crate) fn agent_of(&self, mode: Mode) -> &AgentOptions {
        match mode {
            Mode::Review => self.reviewing_agent(),
            Mode::Implement | Mode::ReviewFix | Mode::Specify => &self.run.agent,
        }
    }

    pub(crate) fn rules(&self) -> ReviewPolicy {
        list_rules(self.review, self.at_review_cap)
    }

    /// The checks for a submitted story: those of the list, then those of the settings that the strategy runs.
    pub(crate) fn checks(&self, list: &TaskList) -> Vec<String> {
        let of_settings = self.run.guardrails.iter();
        let run = of_settings.filter(|guardrail| self.validation.runs(guardrail.kind));
        let of_list = list.verify_commands.iter().map(|check| &check.run);
        of_list.chain(run.map(|guardrail| &guardrail.command)).cloned().collect()
    }
}

/// The rules of the list. If the last review may reject, it is a review like the others.
pub(crate) fn list_rules(review: ReviewPolicy, at_cap: AtReviewCap) -> ReviewPolicy {
    match (review, at_cap) {
        (ReviewPolicy::Required { cap }, AtReviewCap::Fail) => {
            ReviewPolicy::Required { cap: cap.saturating_add(1) }
        }
        (review, _) => review,
    }
}

/// A loop over a prompt.
#[derive(Debug, Clone)]
pub struct PromptOptions {
    pub run: RunOptions,
    pub source: PromptSource,
    pub completion: Completion,
    /// Relative to the project, as the user wrote it.
    pub specs_dir: String,
    /// Relative to the project, as the user wrote it.
    pub plan_file: String,
}

/// The source of a prompt. Files are read again for every iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptSource {
    /// From specifications to a plan.
    Plan,
    /// From a plan to code.
    Build,
    /// A file that must contain its completion tag; needs git, as plan and build do.
    Template(PathBuf),
    File(PathBuf),
    Text(String),
    /// A plan for the story loop. Only an [`Acceptance`](crate::Acceptance) decides whether it is done.
    Draft {
        /// The user's description of what to plan.
        description: String,
        /// Sent unchanged, without variables.
        prompt: String,
    },
}

#[derive(Debug, Clone)]
pub struct AgentOptions {
    pub agent: Agent,
    pub program: PathBuf,
    /// Its program in a container: a name, or the user's path, which is mounted.
    pub program_in_image: PathBuf,
    /// The model for every story that names none.
    pub model: Option<String>,
    /// The model used if that one is overloaded.
    pub fallback_model: Option<String>,
    pub max_turns: Option<u64>,
    pub extra_args: Vec<OsString>,
    /// The user's settings for the agent, passed on its command line.
    pub settings: Option<serde_json::Value>,
    pub prompt_via: PromptVia,
    /// For a program that prints lines of JSON and has no adapter.
    pub filters: Option<Filters>,
    /// Set for every session, in addition to the inherited environment.
    pub environment: Vec<(OsString, Value)>,
    pub isolation: ChosenIsolation,
}

impl AgentOptions {
    pub fn name(&self) -> String {
        self.agent.name_of(&self.program)
    }

    pub(crate) fn abilities(&self) -> Abilities {
        let abilities = self.agent.abilities();
        match self.filters.as_ref().and_then(|filters| filters.cost_usd.as_ref()) {
            Some(_) => Abilities { cost: true, ..abilities },
            None => abilities,
        }
    }

    /// Reads a session that was started with `prompt`.
    pub(crate) fn decoder(&self, prompt: &str) -> Box<dyn Decode> {
        match &self.filters {
            Some(filters) => filters.decoder(),
            None => self.agent.decoder(prompt),
        }
    }
}

/// The limits that decisions use.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPolicy {
    pub max_iterations: u64,
    pub max_cost_usd: Option<f64>,
    /// A fraction of a usage window: 0.9 ends the run at 90 %.
    pub max_quota: Option<f64>,
    pub on_usage_limit: OnUsageLimit,
    pub on_timeout: OnTimeout,
    pub retries: Retries,
    /// The wait between two iterations.
    pub pause: Duration,
}

/// What a timed-out session means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTimeout {
    /// The iteration counts: its result is judged, and the next one continues from there.
    CountIteration,
    /// It is retried, like one that crashed.
    Retry,
}

/// A quality review: an agent reviews a finished story, and its findings block nothing.
#[derive(Debug, Clone)]
pub struct QualityOptions {
    pub agent: AgentOptions,
    /// The user's own prompt.
    pub prompt: Option<PathBuf>,
}

/// Handoffs between iterations, and their token budget in the next prompt.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The agent that compacts handoffs.
    pub agent: AgentOptions,
    /// Tokens in a prompt.
    pub context_tokens: u64,
    /// Handoffs until they are compacted.
    pub compact_after_iterations: u64,
    /// Bytes of handoffs until they are compacted.
    pub compact_after_bytes: u64,
}

/// A failed iteration is rolled back, and a successful one becomes one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackOptions {
    /// The prefix of that commit's message.
    pub prefix: String,
}

/// Version control tasks after the guardrails have passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScmOptions {
    pub program: PathBuf,
    /// In this order.
    pub tasks: Vec<ScmTask>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// Resume a killed or interrupted run, else begin a new one.
    Auto,
    /// Resume the last run, however it ended.
    Resume,
    /// Begin a new run.
    Fresh,
}
