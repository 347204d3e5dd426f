//! All settings with their defaults.
//!
//! The comments of the fields become the descriptions in the schema, which editors show. The serialized form is the
//! merged result without secrets; it is not meant to be written back.

use std::collections::BTreeMap;

use json_reader::{BOOL, Leaf, TEXT};
use run_options::{
    AttemptLimits, Guardrail, McpServers, OnUsageLimit, Retries, TimeSpan, ValidationStrategy,
};
use serde::Serialize;

use crate::agent::Agent;
use crate::completion_word;
use crate::display::Display;
use crate::guardrail::read_guardrails;
use crate::guards::{CommandGuard, Git, Guard};
use crate::isolation::IsolationSettings;
use crate::leaf::{AMOUNT, COUNT, NON_BLANK, PERCENT, POSITIVE, TIME};
use crate::memory::Memory;
use crate::notifications::Notifications;
use crate::review::{Quality, Review};
use crate::scm::Scm;
use crate::secret::Secret;
use crate::section::{Keys, Section, defaults, optional_section, read_map, section};
use crate::time_limits::TimeLimits;

/// Settings of Ralph for one project: .ralph/settings.json, overridden by .ralph/settings.local.json.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// The most iterations of a run. Default: 10 for a prompt; for a task list 15, or 5 per story if that is more.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub maximum_iterations: Option<u64>,
    /// The agent's answer when the work of a prompt is complete.
    #[cfg_attr(test, schemars(regex(pattern = completion_word::PATTERN)))]
    pub completion_response: String,
    /// The word that completes `plan`, `build` and prompt files, as `<promise>WORD</promise>`.
    #[cfg_attr(test, schemars(regex(pattern = completion_word::PATTERN)))]
    pub completion_promise: String,
    /// Characters of a failed guardrail's output that the agent sees. If the output is longer, its last 20 lines
    /// follow.
    pub output_truncate_chars: u64,
    /// Show the agent's text and tool calls while it works.
    pub stream_agent_output: bool,
    /// Include the iteration number and the limit in each prompt.
    pub include_iteration_count_in_prompt: bool,
    /// The agent that implements.
    pub agent: Agent,
    /// How finished stories are reviewed.
    pub review: Review,
    /// A quality review of each passing story. Its warnings are reported and block nothing.
    pub quality: Quality,
    /// Memory between iterations: handoffs, and the context that they are compacted into.
    pub memory: Memory,
    /// The MCP servers of sessions: only those of `.ralph/mcp/coding.json` and, for compaction, of
    /// `.ralph/mcp/memory.json` (`isolated`), or all that you have configured in the agent (`inherited`). For
    /// agents that support it.
    pub mcp_servers: McpServers,
    /// How often a story may fail before the run gives it up and continues with the others.
    pub attempts: AttemptLimits,
    /// Commands that must pass before work counts, run in this order.
    pub guardrails: Vec<Guardrail>,
    /// Which guardrails a story must pass: all (`strict`); all but those of kind `lint`, whose failures are
    /// reported (`lenient`); or only those of kind `test`, the others do not run (`testsOnly`). The checks of the
    /// task list count as tests. A loop over a prompt is always strict.
    pub validation: ValidationStrategy,
    /// With a task list: restore the tree after a failed iteration and keep its work under `refs/ralph/`; a successful
    /// iteration becomes one commit.
    pub rollback: bool,
    /// The prefix of such a commit's message: `ralph[7]: US-003 …`.
    #[cfg_attr(test, schemars(regex(pattern = r"^\S+$")))]
    pub commit_prefix: String,
    /// Version control in a prompt loop, after the guardrails of an iteration have passed. Default: the agent commits.
    pub scm: Option<Scm>,
    /// Text for `${NAME}` in prompts. Names consist of capital letters, digits and `_`.
    #[cfg_attr(test, schemars(extend("propertyNames" = { "pattern": "^[A-Z][A-Z0-9_]*$" })))]
    pub variables: BTreeMap<String, String>,
    /// Environment variables for the agent. Their values are never printed. Store secrets in settings.local.json,
    /// which git ignores.
    #[cfg_attr(test, schemars(extend("propertyNames" = { "pattern": r"^[^=\x00]+$" })))]
    pub env: BTreeMap<String, Secret>,
    /// The folder with the specifications that `plan` and `build` read.
    pub specs_dir: String,
    /// The plan that `plan` writes and `build` works through.
    pub plan_file: String,
    /// The cost limit in dollars; the run ends with exit code 3.
    #[cfg_attr(test, schemars(extend("exclusiveMinimum" = 0)))]
    pub max_cost_usd: Option<f64>,
    /// The limit for the used part of a usage window, in percent; the run ends with exit code 3.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub max_quota_percent: Option<u8>,
    /// When the agent's usage limit is reached: wait for its reset (`wait`), or end the run with exit code 3 (`stop`).
    pub on_usage_limit: OnUsageLimit,
    /// Time limits.
    pub time_limits: TimeLimits,
    /// The wait between two iterations.
    pub pause: TimeSpan,
    /// Retries after the agent crashes or gives an empty answer.
    pub retries: Retries,
    /// The Stop hook, which blocks the end of a session that broke a rule.
    #[serde(skip_serializing_if = "Guard::is_empty")]
    pub guard: Guard,
    /// The isolation of the agent's sessions and of the checks.
    pub isolation: IsolationSettings,
    /// What command-guard allows and refuses in addition to its own rules.
    pub command_guard: CommandGuard,
    /// What sessions may change in the repository itself.
    pub git: Git,
    /// Notifications: when a run ends, and when it needs attention.
    pub notifications: Notifications,
    /// Output of a run on the terminal.
    pub display: Display,
}

/// A prefix with spaces would read as a sentence.
const PREFIX: Leaf<String> = Leaf::new("one word", |json| {
    let word = json.text()?;
    (!word.is_empty() && !word.contains(char::is_whitespace)).then(|| word.to_owned())
});

const VARIABLE_NAME: Leaf<String> =
    Leaf::new("names of capital letters, digits and '_' that begin with a letter", |json| {
        let name = json.text()?;
        let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let fits = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(allowed);
        fits.then(|| name.to_owned())
    });

impl Settings {
    /// The reviewing agent: that of `review`, or the implementing one with the differences for reviews.
    pub fn reviewer(&self) -> Agent {
        self.review.by.resolve(&self.agent)
    }

    /// The agent for quality reviews, likewise.
    pub fn quality_agent(&self) -> Agent {
        self.quality.by.resolve(&self.agent)
    }

    /// The compacting agent, likewise; with few turns unless configured.
    pub fn memory_agent(&self) -> Agent {
        let max_turns = self.memory.by.max_turns.or(Some(Memory::MAX_TURNS));
        Agent { max_turns, ..self.memory.by.resolve(&self.agent) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        defaults()
    }
}

impl Section for Settings {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        // For editors only.
        keys.optional("$schema", TEXT);
        Self {
            include_iteration_count_in_prompt: keys.or(
                "includeIterationCountInPrompt",
                BOOL,
                false,
            ),
            maximum_iterations: keys.optional("maximumIterations", POSITIVE),
            completion_response: keys.or(
                "completionResponse",
                completion_word::LEAF,
                "DONE".into(),
            ),
            completion_promise: keys.or(
                "completionPromise",
                completion_word::LEAF,
                "COMPLETE".into(),
            ),
            output_truncate_chars: keys.or("outputTruncateChars", COUNT, 5000),
            stream_agent_output: keys.or("streamAgentOutput", BOOL, true),
            agent: section(keys, "agent"),
            review: section(keys, "review"),
            quality: section(keys, "quality"),
            memory: section(keys, "memory"),
            mcp_servers: keys.optional("mcpServers", Leaf::word()).unwrap_or_default(),
            attempts: section(keys, "attempts"),
            guardrails: read_guardrails(keys),
            validation: keys.optional("validation", Leaf::word()).unwrap_or_default(),
            rollback: keys.optional("rollback", BOOL).unwrap_or_default(),
            commit_prefix: keys.or("commitPrefix", PREFIX, "ralph".into()),
            scm: optional_section(keys, "scm"),
            variables: read_map(keys, "variables", VARIABLE_NAME, TEXT),
            env: read_map(keys, "env", Secret::NAME, Secret::LEAF),
            specs_dir: keys.or("specsDir", NON_BLANK, "specs".into()),
            plan_file: keys.or("planFile", NON_BLANK, "implementation_plan.md".into()),
            max_cost_usd: keys.optional("maxCostUsd", AMOUNT),
            max_quota_percent: keys.optional("maxQuotaPercent", PERCENT),
            on_usage_limit: keys.optional("onUsageLimit", Leaf::word()).unwrap_or_default(),
            time_limits: section(keys, "timeLimits"),
            pause: keys.or("pause", TIME, TimeSpan::from_secs(0)),
            retries: section(keys, "retries"),
            guard: section(keys, "guard"),
            isolation: section(keys, "isolation"),
            command_guard: section(keys, "commandGuard"),
            git: section(keys, "git"),
            notifications: section(keys, "notifications"),
            display: section(keys, "display"),
        }
    }
}
