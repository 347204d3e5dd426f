//! What a run is asked to do, resolved: flags, settings and defaults are behind it.

mod isolation;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agents::{Abilities, Agent, Completion, Decode, Filters, PromptVia, Value};
use project::{CommandRules, Layout};
use supervise::Keeper;
use tasks::{ReviewPolicy, StoryId, TaskList};
use vcs::AllowedChanges;

pub use isolation::{CheckSandbox, ChosenIsolation, HookPrograms, SessionIsolation};

use crate::limits::{AttemptLimits, Retries, TimeLimits};
use crate::validation::{GuardrailKind, ValidationStrategy};
use crate::{Experience, FailAction};

/// What every loop needs to know.
#[derive(Debug, Clone)]
pub struct RunOptions {
    pub layout: Layout,
    pub agent: AgentOptions,
    pub policy: Policy,
    pub limits: TimeLimits,
    pub guardrails: Vec<Guardrail>,
    /// What confines the guardrails and the checks of the task list.
    pub checks: CheckSandbox,
    /// Characters of a failed guardrail's output that the next prompt quotes.
    pub quoted_output: usize,
    /// The user's own variables, for prompts.
    pub variables: BTreeMap<String, String>,
    pub iteration_count: IterationCount,
    pub scm: Option<ScmOptions>,
    pub start: Start,
    /// Who keeps an eye on child processes.
    pub keeper: Keeper,
    /// None if no agent of the run has hooks, or the user does without.
    pub guard: Option<HookPrograms>,
    /// What command-guard is told.
    pub commands: CommandRules,
    /// Settings and control files of git that sessions may change.
    pub allowed_changes: AllowedChanges,
}

impl RunOptions {
    /// What is left of the ceiling on the cost, for the agent to keep to.
    pub(crate) fn budget_left(&self, spent_usd: f64) -> Option<f64> {
        let most = self.policy.max_cost_usd?;
        Some((most - spent_usd).max(0.01))
    }
}

/// The loop over a task list.
#[derive(Debug, Clone)]
pub struct StoryOptions {
    pub run: RunOptions,
    /// The story that the run is limited to.
    pub only_story: Option<StoryId>,
    /// Who reviews, if not the agent that implements.
    pub reviewer: Option<AgentOptions>,
    pub review: ReviewPolicy,
    pub at_review_cap: AtReviewCap,
    pub attempts: AttemptLimits,
    /// Which checks have to pass; the loops over a prompt need all of them.
    pub validation: ValidationStrategy,
    /// None if nobody is to look at the quality.
    pub quality: Option<QualityOptions>,
    /// None if iterations leave no handoffs.
    pub memory: Option<MemoryOptions>,
    pub servers: ServerPolicy,
    /// None if what a failed iteration did stays.
    pub rollback: Option<RollbackOptions>,
    pub dirty: DirtyPolicy,
    /// How often the guard may block a session before it gives in, if not as often as usual.
    pub max_blocks: Option<u64>,
    /// What earlier runs took.
    pub experience: Experience,
}

impl StoryOptions {
    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut AgentOptions> {
        let quality = self.quality.as_mut().map(|quality| &mut quality.agent);
        let memory = self.memory.as_mut().map(|memory| &mut memory.agent);
        [Some(&mut self.run.agent), self.reviewer.as_mut(), quality, memory].into_iter().flatten()
    }

    /// Everybody who has a part in the run, the worker first.
    pub fn agents(&self) -> impl Iterator<Item = &AgentOptions> {
        let quality = self.quality.as_ref().map(|quality| &quality.agent);
        let memory = self.memory.as_ref().map(|memory| &memory.agent);
        [Some(&self.run.agent), self.reviewer.as_ref(), quality, memory].into_iter().flatten()
    }

    pub(crate) fn rules(&self) -> ReviewPolicy {
        list_rules(self.review, self.at_review_cap)
    }

    /// The commands that a submitted story has to pass: the list's, then those of the settings that are run.
    pub(crate) fn checks(&self, list: &TaskList) -> Vec<String> {
        let of_settings = self.run.guardrails.iter();
        let run = of_settings.filter(|guardrail| self.validation.runs(guardrail.kind));
        list.verify_commands
            .iter()
            .chain(run.map(|guardrail| &guardrail.command))
            .cloned()
            .collect()
    }
}

/// What the rules of the list are applied with: where the last review does not have to approve, it may
/// request changes like the others.
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
    /// From the project's root, as the user wrote it.
    pub specs_dir: String,
    /// The same.
    pub plan_file: String,
}

/// Where the prompt of a prompt loop comes from. Files are read anew for every iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptSource {
    /// From specifications to a plan.
    Plan,
    /// From a plan to code.
    Build,
    /// A file that has to tell its completion tag; needs git, as plan and build do.
    Template(PathBuf),
    File(PathBuf),
    Text(String),
    /// A plan for the story loop. Whether it is done is decided by an [`Acceptance`](crate::Acceptance) alone.
    Draft {
        /// What is to be planned, in the user's words.
        description: String,
        /// Sent as it is, without variables.
        prompt: String,
    },
}

#[derive(Debug, Clone)]
pub struct AgentOptions {
    pub agent: Agent,
    pub program: PathBuf,
    /// The same in a container: its name, or a path that the user named, which is mounted.
    pub program_in_image: PathBuf,
    /// For every story that names none itself.
    pub model: Option<String>,
    /// Where that one is overloaded.
    pub fallback_model: Option<String>,
    pub max_turns: Option<u64>,
    pub extra_args: Vec<OsString>,
    /// Settings of the agent's own that the user gives it on its command line.
    pub settings: Option<serde_json::Value>,
    pub prompt_via: PromptVia,
    /// Of a program that prints lines of JSON and has no adapter.
    pub filters: Option<Filters>,
    /// Set for every session, on top of what is inherited.
    pub environment: Vec<(OsString, Value)>,
    pub isolation: ChosenIsolation,
}

impl AgentOptions {
    /// For people.
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

/// The figures that decisions are made by.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub max_iterations: u64,
    pub max_cost_usd: Option<f64>,
    /// A fraction of a usage window: 0.9 ends the run at 90 %.
    pub max_quota: Option<f64>,
    pub on_usage_limit: OnUsageLimit,
    pub on_timeout: OnTimeout,
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

/// What a session that took too long means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTimeout {
    /// The iteration is used up: what it left is judged, the next one goes on from there.
    UseUp,
    /// It is tried again, like one that crashed.
    Retry,
}

/// What becomes of a story once it has had all its reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AtReviewCap {
    /// The last review has to approve it, with its concerns on record.
    #[default]
    Approve,
    /// It has failed.
    Fail,
}

/// The soft gate: an agent looks at what was done on a story, and nothing it says blocks anything.
#[derive(Debug, Clone)]
pub struct QualityOptions {
    pub agent: AgentOptions,
    /// The user's own prompt.
    pub prompt: Option<PathBuf>,
}

/// What iterations leave for one another, and how much of it the next prompt may hold.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// Who compacts.
    pub agent: AgentOptions,
    /// In a prompt.
    pub context_tokens: u64,
    /// Iterations with a handoff until they are compacted.
    pub compact_after_iterations: u64,
    /// The size of handoffs until they are compacted.
    pub compact_after_bytes: u64,
}

/// Which MCP servers the sessions of agents see that can be told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServerPolicy {
    /// Those of the project's own files, one for coding and one for compacting.
    #[default]
    Isolated,
    /// The user's own.
    Inherited,
}

/// A failed iteration leaves no trace, and one that succeeds is one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackOptions {
    /// What the message of that commit begins with.
    pub prefix: String,
}

/// A command that has to succeed, and what its failure does to the next prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guardrail {
    pub command: String,
    pub kind: GuardrailKind,
    pub fail_action: FailAction,
    /// For the agent, when it fails.
    pub hint: Option<String>,
    pub time_limit: GuardrailTime,
}

/// How long one guardrail may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GuardrailTime {
    /// As long as all may.
    #[default]
    AsAll,
    Unlimited,
    Within(Duration),
}

impl Guardrail {
    /// One of the task list's `verifyCommands`.
    pub fn of_command(command: impl Into<String>) -> Self {
        let (fail_action, hint) = (FailAction::default(), None);
        let (kind, time_limit) = (GuardrailKind::Test, GuardrailTime::AsAll);
        Self { command: command.into(), kind, fail_action, hint, time_limit }
    }
}

/// Version control after the guardrails have passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScmOptions {
    pub program: PathBuf,
    /// In this order.
    pub tasks: Vec<ScmTask>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScmTask {
    Commit,
    Push,
}

impl ScmTask {
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Push => "push",
        }
    }
}

/// Whether a prompt begins with `Iteration X of Y, Z remaining.`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IterationCount {
    Told,
    #[default]
    Untold,
}

impl IterationCount {
    /// The prompt, with the count before it where it is to be told.
    pub(crate) fn before(self, prompt: &str, iteration: u64, most: u64) -> String {
        match self {
            Self::Told => {
                let left = most.saturating_sub(iteration);
                format!("Iteration {iteration} of {most}, {left} remaining.\n\n{prompt}")
            }
            Self::Untold => prompt.to_owned(),
        }
    }
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
