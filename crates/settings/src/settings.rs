//! All settings with their defaults.
//!
//! The comments of the fields become the descriptions in the schema, which editors show. The serialized form is the
//! merged result without secrets; it is not meant to be written back.

use std::collections::BTreeMap;

use json_reader::{BOOL, Leaf, TEXT};
use run_options::{
    AttemptLimits, EscalationSteps, Guardrail, McpServers, OnUsageLimit, QuestionLimits, Retries,
    TimeSpan, ValidationStrategy,
};

use crate::agent::{Agent, same_program};
use crate::completion_word;
use crate::display::Display;
use crate::executors::{Checks, Executor, read_executors};
use crate::forge::Forge;
use crate::guardrail::read_guardrails;
use crate::guards::{CommandGuard, Git, Guard};
use crate::isolation::IsolationSettings;
use crate::lanes::Lanes;
use crate::leaf::{AMOUNT, COUNT, NON_BLANK, PERCENT, POSITIVE, TIME};
use crate::memory::Memory;
use crate::notifications::Notifications;
use crate::proof::Proof;
use crate::review::{Quality, Review};
use crate::scm::Scm;
use crate::secret::Secret;
use crate::section::{optional_section, read_map, section, settings};
use crate::telemetry::Telemetry;
use crate::time_limits::TimeLimits;

settings! {
    /// Settings of Ralph for one project: .ralph/settings.json, overridden by .ralph/settings.local.json.
    pub struct Settings from keys {
        /// The most iterations of a run. Default: 10 for a prompt; for a task list 15, or 5 per story if that is more.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub maximum_iterations: Option<u64> = keys.optional("maximumIterations", POSITIVE),
        /// The agent's answer when the work of a prompt is complete.
        #[cfg_attr(test, schemars(regex(pattern = completion_word::PATTERN)))]
        pub completion_response: String =
            keys.or("completionResponse", completion_word::LEAF, "DONE".into()),
        /// The word that completes `plan`, `build` and prompt files, as `<promise>WORD</promise>`.
        #[cfg_attr(test, schemars(regex(pattern = completion_word::PATTERN)))]
        pub completion_promise: String =
            keys.or("completionPromise", completion_word::LEAF, "COMPLETE".into()),
        /// Characters of a failed guardrail's output that the agent sees. If the output is longer, its last 20 lines
        /// follow.
        pub output_truncate_chars: u64 = keys.or("outputTruncateChars", COUNT, 5000),
        /// Show the agent's text and tool calls while it works.
        pub stream_agent_output: bool = keys.or("streamAgentOutput", BOOL, true),
        /// Include the iteration number and the limit in each prompt.
        pub include_iteration_count_in_prompt: bool =
            keys.or("includeIterationCountInPrompt", BOOL, false),
        /// The agent that implements.
        pub agent: Agent = section(keys, "agent"),
        /// How finished stories are reviewed.
        pub review: Review = section(keys, "review"),
        /// A quality review of each passing story. Its warnings are reported and block nothing.
        pub quality: Quality = section(keys, "quality"),
        /// Memory between iterations: handoffs, and the context that they are compacted into.
        pub memory: Memory = section(keys, "memory"),
        /// The MCP servers of sessions: only those of `.ralph/mcp/coding.json` and, for compaction, of
        /// `.ralph/mcp/memory.json` (`isolated`), or all that you have configured in the agent (`inherited`). For
        /// agents that support it.
        pub mcp_servers: McpServers = keys.optional("mcpServers", Leaf::word()).unwrap_or_default(),
        /// How often a story may fail before the run gives it up and continues with the others.
        pub attempts: AttemptLimits = section(keys, "attempts"),
        /// Help for a story that would otherwise be given up: each model, then each agent, gets the story, and
        /// then several candidates.
        pub escalation: EscalationSteps = section(keys, "escalation"),
        /// Questions of sessions to the user. The story waits for the answer, the others go on.
        pub questions: QuestionLimits = section(keys, "questions"),
        /// Commands that must pass before work counts, run in this order.
        pub guardrails: Vec<Guardrail> = read_guardrails(keys),
        /// Which guardrails a story must pass: all (`strict`); all but those of kind `lint`, whose failures are
        /// reported (`lenient`); or only those of kind `test`, the others do not run (`testsOnly`). The checks of the
        /// task list count as tests. A loop over a prompt is always strict.
        pub validation: ValidationStrategy =
            keys.optional("validation", Leaf::word()).unwrap_or_default(),
        /// Tests that prove each story, written by another session before the story is implemented: `off`, `require`, or
        /// an object.
        #[cfg_attr(test, schemars(schema_with = "crate::proof::object_or_word"))]
        pub proof: Proof = section(keys, "proof"),
        /// With a task list: restore the tree after a failed iteration and keep its work under `refs/ralph/`; a
        /// successful iteration becomes one commit.
        pub rollback: bool = keys.or("rollback", BOOL, false),
        /// The prefix of such a commit's message: `ralph[7]: US-003 …`.
        #[cfg_attr(test, schemars(regex(pattern = r"^\S+$")))]
        pub commit_prefix: String = keys.or("commitPrefix", PREFIX, "ralph".into()),
        /// With a task list: how many stories are worked on at once. More than 1 implies `separate`.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub jobs: u64 = keys.or("jobs", POSITIVE, 1),
        /// With a task list: work in clones of the project, and leave your work tree as it is.
        pub separate: bool = keys.or("separate", BOOL, false),
        /// The clones of the project in which stories are worked on with `separate` or `jobs`.
        pub lanes: Lanes = section(keys, "lanes"),
        /// Where sessions run: an executor, or `local` for this machine. An executor implies `separate`.
        pub on: String = keys.or("on", NON_BLANK, Executor::LOCAL.into()),
        /// Where checks run, and what they mean before the first story.
        pub checks: Checks = section(keys, "checks"),
        /// The batch engines for `on` and `checks.on`, by name. `slurm` needs no entry.
        pub executors: BTreeMap<String, Executor> = read_executors(keys),
        /// Version control in a prompt loop, after the guardrails of an iteration have passed. Default: the agent
        /// commits.
        pub scm: Option<Scm> = optional_section(keys, "scm"),
        /// Text for `${NAME}` in prompts. Names consist of capital letters, digits and `_`.
        #[cfg_attr(test, schemars(extend("propertyNames" = { "pattern": "^[A-Z][A-Z0-9_]*$" })))]
        pub variables: BTreeMap<String, String> = read_map(keys, "variables", VARIABLE_NAME, TEXT),
        /// Environment variables for the agent. Their values are never printed. Store secrets in settings.local.json,
        /// which git ignores.
        #[cfg_attr(test, schemars(extend("propertyNames" = { "pattern": r"^[^=\x00]+$" })))]
        pub env: BTreeMap<String, Secret> = read_map(keys, "env", Secret::NAME, Secret::LEAF),
        /// The folder with the specifications that `plan` and `build` read.
        pub specs_dir: String = keys.or("specsDir", NON_BLANK, "specs".into()),
        /// The plan that `plan` writes and `build` works through.
        pub plan_file: String = keys.or("planFile", NON_BLANK, "implementation_plan.md".into()),
        /// The cost limit in dollars; the run ends with exit code 3.
        #[cfg_attr(test, schemars(extend("exclusiveMinimum" = 0)))]
        pub max_cost_usd: Option<f64> = keys.optional("maxCostUsd", AMOUNT),
        /// The limit for the used part of a usage window, in percent; the run ends with exit code 3.
        #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
        pub max_quota_percent: Option<u8> = keys.optional("maxQuotaPercent", PERCENT),
        /// When the agent's usage limit is reached: wait for its reset (`wait`), or end the run with exit code 3
        /// (`stop`).
        pub on_usage_limit: OnUsageLimit =
            keys.optional("onUsageLimit", Leaf::word()).unwrap_or_default(),
        /// Time limits.
        pub time_limits: TimeLimits = section(keys, "timeLimits"),
        /// The wait between two iterations.
        pub pause: TimeSpan = keys.or("pause", TIME, TimeSpan::from_secs(0)),
        /// Prevent sleep of this computer while a run works, with systemd-inhibit, caffeinate or Windows itself.
        pub keep_awake: bool = keys.or("keepAwake", BOOL, true),
        /// Retries after the agent crashes or gives an empty answer.
        pub retries: Retries = section(keys, "retries"),
        /// The Stop hook, which blocks the end of a session that broke a rule.
        #[serde(skip_serializing_if = "Guard::is_empty")]
        pub guard: Guard = section(keys, "guard"),
        /// The isolation of the agent's sessions and of the checks.
        pub isolation: IsolationSettings = section(keys, "isolation"),
        /// What command-guard allows and refuses in addition to its own rules.
        pub command_guard: CommandGuard = section(keys, "commandGuard"),
        /// What sessions may change in the repository itself.
        pub git: Git = section(keys, "git"),
        /// The forge of the project, which has its issues and pull requests.
        pub forge: Forge = section(keys, "forge"),
        /// Notifications: when a run ends, and when it needs attention.
        pub notifications: Notifications = section(keys, "notifications"),
        /// Export of a run as traces and metrics, with OTLP.
        pub telemetry: Telemetry = section(keys, "telemetry"),
        /// Output of a run on the terminal.
        pub display: Display = section(keys, "display"),
    }
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

    /// The programs of agents that work only at a usage limit, or on a story that would be given up.
    pub fn other_commands(&self) -> impl Iterator<Item = &str> {
        let named = self.agent.fallbacks.iter().chain(&self.escalation.agents);
        named.map(String::as_str)
    }

    /// An agent of `agent.fallbacks` or `escalation.agents`. One that `review` names is called as set there.
    pub fn other_agent(&self, command: &str) -> Agent {
        let reviewer = self.reviewer();
        match [&self.agent, &reviewer].into_iter().find(|it| same_program(&it.command, command)) {
            Some(agent) => Agent { command: command.to_owned(), ..agent.clone() },
            None => Agent { command: command.to_owned(), ..Agent::default() },
        }
    }

    /// Further reviewers that must approve a story, likewise.
    pub fn panel(&self) -> impl Iterator<Item = Agent> {
        self.review.panel.iter().map(|by| by.resolve(&self.agent))
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
