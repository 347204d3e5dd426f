//! The events of a run: the lines of `events.jsonl`.
//!
//! Display, report and status are built from these alone. Not here: an agent's own stream (`agents`),
//! and the decisions of the loop (`decide`).

mod attempts;
mod line;
mod memory;
mod parts;

/// Parts of events that an agent reports.
pub use agents::{NearMiss, QuotaState, TodoItem, TodoState, TokenCount, ToolOutcome, ToolOutput};

use isolation::{Isolation, NetworkKind};
use project::orders::Order;
use serde::{Deserialize, Serialize};
use tasks::{ReviewStatus, ReviewVerdict, StoryId};

pub use attempts::{
    ChecksWithout, EscalationTier, Gate, GiveUpReason, GivenUp, QualityOutcome, RolledBack,
    StoryCommits, Stuck, TimedTask, WaitingStory, WeakenedTests,
};
pub use line::{ChainLink, EventLineError, LogHead, Stamped, VERSION};
pub use memory::{CompactionOutcome, CompactionReason, ContextPart, HandoffClaim, HandoffSource};
pub use parts::{
    AgentOutcome, CheckOutcome, CheckRecord, ChecksOutcome, ClaimBasis, HookAnswerKind,
    IterationMode, IterationStatus, LoopKind, Quota, Resumed, RevertedChanges, ScmOutcome,
    StoryBrief, UnusedIsolation, WaitReason, WaitView,
};
pub use run_options::FailAction;

use crate::{Estimate, RunEnd};

/// In `IsolationChosen`, in place of an agent's name.
pub const CHECKS: &str = "checks";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum LoopEvent {
    RunStarted {
        version: String,
        pid: u32,
        #[serde(default, rename = "loop")]
        kind: LoopKind,
        /// The folder of the project.
        project: String,
        /// The project name of the task list; for a prompt loop, the source of its prompt.
        name: String,
        /// Empty without git.
        branch: String,
        /// The branch to merge into: where the run began, else the default branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
        /// For example `codex`.
        agent: String,
        /// The path of its program.
        #[serde(default)]
        program: String,
        model: Option<String>,
        max_iterations: u64,
        /// `None` without reviews.
        review_cap: Option<u64>,
        ceiling_usd: Option<f64>,
        /// Failed attempts allowed per story; `None` in a prompt loop.
        #[serde(default)]
        max_attempts: Option<u64>,
        /// The story that the run is limited to.
        #[serde(default)]
        only_story: Option<StoryId>,
        /// The time limit of the whole run.
        #[serde(default)]
        max_seconds: Option<f64>,
        /// Commands that must pass before work counts.
        #[serde(default)]
        checks: Option<u64>,
        resumed: Option<Resumed>,
        stories: Vec<StoryBrief>,
    },
    /// The isolation of an agent's sessions, or of the checks; emitted when the run begins.
    #[serde(alias = "wall-chosen")]
    IsolationChosen {
        /// The name of an agent, or `checks`.
        agent: String,
        #[serde(alias = "wall")]
        isolation: Isolation,
        /// What the sandbox of the operating system lets through to the network.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        network: Option<NetworkKind>,
        passed_over: Vec<UnusedIsolation>,
    },
    /// How long the stories will take; emitted when the run begins.
    RunEstimated {
        estimate: Estimate,
    },
    /// Something that an earlier run left behind, and what the runner did about it.
    #[serde(alias = "found")]
    LeftoverFound {
        text: String,
    },
    Warning {
        text: String,
    },
    /// Another program wrote to the log of the run.
    LogAltered {
        /// The first line that the runner did not write, if known.
        line: u64,
        text: String,
    },
    IterationStarted {
        iteration: u64,
        /// 1, and more when the same iteration is retried after a failure of the agent.
        attempt: u64,
        mode: IterationMode,
        /// None in a prompt loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        story: Option<StoryId>,
        title: String,
        model: Option<String>,
        session: String,
        /// Its folder, relative to the project.
        folder: String,
        /// Empty without git.
        checkpoint: String,
    },
    AgentCalled {
        agent: String,
        /// Program and arguments in shell syntax.
        command: String,
        prompt_bytes: u64,
        /// The beginning of the prompt.
        prompt: String,
    },
    /// The parts of a prompt with a token budget.
    ContextAssembled {
        iteration: u64,
        tokens: u64,
        budget: u64,
        parts: Vec<ContextPart>,
    },
    SessionStarted {
        model: String,
        version: String,
    },
    AgentText {
        text: String,
    },
    /// A line of the agent's standard error.
    AgentStderr {
        text: String,
    },
    ToolStarted {
        id: String,
        name: String,
        summary: String,
    },
    ToolEnded {
        id: String,
        outcome: ToolOutcome,
        summary: String,
        #[serde(default)]
        output: ToolOutput,
    },
    Todo {
        items: Vec<TodoItem>,
    },
    Context {
        tokens: u64,
        window: Option<u64>,
    },
    Compacted {
        tokens_after: Option<u64>,
    },
    /// The agent retries the connection to its model.
    ApiRetry {
        attempt: u64,
        of: u64,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
    Quota(Quota),
    /// A hook of the loop blocked, warned or failed. Silent answers are not recorded.
    HookAnswered {
        hook: String,
        answer: HookAnswerKind,
        text: String,
    },
    /// A hook of the runner did not work in this session.
    #[serde(alias = "guard-missing")]
    HookMissing {
        why: String,
    },
    AgentEnded {
        outcome: AgentOutcome,
        /// A sentence, where the outcome alone is not enough.
        detail: String,
        cost_usd: Option<f64>,
        tokens: TokenCount,
        turns: Option<u64>,
        seconds: f64,
        context_window: Option<u64>,
        /// Processes that the agent left running and the runner ended.
        leftovers: Vec<String>,
    },
    /// The rules that the iteration broke, and what the runner restored.
    #[serde(alias = "undone")]
    ChangesReverted(RevertedChanges),
    /// Uncommitted work of the agent that the runner committed.
    #[serde(alias = "work-kept")]
    WorkCommitted {
        paths: Vec<String>,
        commit: String,
    },
    #[serde(alias = "gate-started")]
    CheckStarted {
        command: String,
        number: u64,
        of: u64,
    },
    #[serde(alias = "gate-ended")]
    CheckEnded(CheckRecord),
    /// The result of all checks on one state of the code.
    #[serde(alias = "gates-judged")]
    ChecksJudged {
        tree: String,
        outcome: ChecksOutcome,
    },
    #[serde(alias = "story-moved")]
    StoryStatusChanged {
        story: StoryId,
        from: ReviewStatus,
        to: ReviewStatus,
        reviews: u64,
        feedback: String,
        #[serde(default)]
        passes: bool,
    },
    /// The task list and the reviewer's final message disagree: the runner discards both and repeats the review.
    VerdictVoid {
        iteration: u64,
        story: StoryId,
        list: Option<ReviewVerdict>,
        message: Option<ReviewVerdict>,
        text: String,
        /// Invalid reviews in a row, and how many of them end the run.
        in_a_row: u64,
        of: u64,
    },
    StoryAdded {
        story: StoryBrief,
    },
    /// An iteration that counts as a failed attempt at its story.
    AttemptFailed {
        story: StoryId,
        iteration: u64,
        attempt: u64,
        of: u64,
        gate: Gate,
        error: String,
        error_hash: String,
        /// How often this failure occurred in a row.
        repeats: u64,
    },
    /// The next attempt at the story gets additional context.
    Escalated {
        story: StoryId,
        tier: EscalationTier,
        text: String,
        /// Added to the prompt.
        files: Vec<String>,
    },
    #[serde(alias = "story-set-aside")]
    StoryGivenUp {
        story: StoryId,
        /// Nested, because it has its own time field.
        #[serde(alias = "setAside")]
        given_up: GivenUp,
    },
    /// A soft time limit has passed.
    TimeWarning {
        what: TimedTask,
        soft_seconds: f64,
        /// After this time it is ended.
        hard_seconds: Option<f64>,
    },
    /// An agent starts to review the quality of a finished story.
    QualityStarted {
        story: StoryId,
    },
    /// The quality review of a finished story; it blocks nothing.
    QualityChecked {
        story: StoryId,
        outcome: QualityOutcome,
        warnings: Vec<String>,
        seconds: f64,
        cost_usd: f64,
    },
    /// The handoff of an iteration for later ones.
    #[serde(alias = "handoff-kept")]
    HandoffSaved {
        iteration: u64,
        story: StoryId,
        source: HandoffSource,
        claim: HandoffClaim,
        text: String,
        /// Problems in the agent's handoff.
        problems: Vec<String>,
        /// Relative to the project.
        file: String,
    },
    /// An agent is asked to compact the handoffs of earlier iterations; its session follows.
    CompactionStarted {
        reason: CompactionReason,
        text: String,
        handoffs: u64,
        /// Its folder, relative to the project.
        folder: String,
    },
    CompactionEnded {
        outcome: CompactionOutcome,
        /// Why it failed.
        text: String,
        seconds: f64,
        cost_usd: f64,
    },
    /// The result of the plan changes that a handoff requested.
    PlanAmended {
        iteration: u64,
        applied: Vec<String>,
        refused: Vec<String>,
    },
    /// The runner rolled back a failed iteration.
    RolledBack(RolledBack),
    TestsWeakened {
        story: StoryId,
        iteration: u64,
        files: Vec<WeakenedTests>,
    },
    /// The runner turned a failure branch of an earlier run into a tag.
    BranchArchived {
        branch: String,
        tag: String,
    },
    CompletionClaimed {
        /// Whether the runner confirms the claim.
        #[serde(alias = "claim", deserialize_with = "parts::accepted")]
        accepted: bool,
        /// How the runner verified it.
        #[serde(default)]
        basis: ClaimBasis,
        /// Why it is rejected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The runner searched the agent's last message for the completion tag.
    CompletionChecked {
        wanted: String,
        /// The word in the tag.
        found: Option<String>,
        /// The mistake, if the tag was probably intended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near_miss: Option<NearMiss>,
    },
    /// A version control task of the settings, such as `commit`.
    ScmEnded {
        task: String,
        outcome: ScmOutcome,
        text: String,
    },
    IterationEnded {
        iteration: u64,
        mode: IterationMode,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        story: Option<StoryId>,
        status: IterationStatus,
        seconds: f64,
        agent_seconds: f64,
        #[serde(alias = "gateSeconds")]
        check_seconds: f64,
        cost_usd: f64,
        total_cost_usd: f64,
        done: u64,
        stories: u64,
        /// HEAD after the iteration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    #[serde(alias = "resting")]
    Waiting(WaitView),
    StopRequested {
        signal: String,
        text: String,
    },
    /// The run received an order of the user. Its effects have their own events.
    #[serde(alias = "order-taken")]
    OrderAccepted {
        order: Order,
    },
    /// The order cannot be executed.
    OrderRefused {
        order: Order,
        why: String,
    },
    /// The run waits until it is resumed.
    Paused,
    #[serde(alias = "went-on")]
    Resumed,
    RunEnded {
        end: RunEnd,
        exit_code: u8,
        text: String,
        iterations: u64,
        accepted: u64,
        failed: u64,
        seconds: f64,
        cost_usd: f64,
        stories: Vec<StoryBrief>,
        /// Why stories cannot start.
        blocked: Vec<String>,
        /// Stories that wait for other stories.
        #[serde(default)]
        waiting: Vec<WaitingStory>,
    },
}
