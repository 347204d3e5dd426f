//! What a run tells the world, one event at a time: the lines of `events.jsonl`.
//!
//! Display, report and status are built from these and nothing else. Not here: how an agent's own
//! stream looks (`agents`), and what the loop decides (`decide`).

mod attempts;
mod line;
mod memory;
mod parts;

use chrono::{DateTime, Utc};
use isolation::Isolation;
use project::orders::Order;
use serde::{Deserialize, Serialize};
use tasks::{ReviewStatus, ReviewVerdict, StoryId};

pub use attempts::{
    ChecksWithout, Gate, GiveUpReason, GivenUp, QualityOutcome, StoryCommits, Stuck, Tier, Timed,
    WaitingStory, WeakenedTests,
};
pub use line::{EventLineError, Link, LogHead, Stamped, VERSION};
pub use memory::{CompactionOutcome, CompactionReason, ContextPart, HandoffClaim, HandoffSource};
pub use parts::{
    AgentOutcome, Claim, ClaimBasis, FailAction, GateOutcome, GatesOutcome, HookAnswerKind,
    IterationMode, IterationStatus, LoopKind, NearMiss, PassedOver, QuotaState, RestReason,
    Resumed, ScmOutcome, StoryBrief, TodoItem, TodoState, TokenCount, ToolOutcome, ToolOutput,
};

use crate::isolation::NetworkKind;
use crate::{Estimate, RunEnd};

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
        /// The name the task list gives it; of a prompt loop, what it works from.
        name: String,
        /// Empty where there is no git.
        branch: String,
        /// The branch to merge the work into: where the run began, else the default branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
        /// Its name, such as `codex`.
        agent: String,
        /// Where it is.
        #[serde(default)]
        program: String,
        model: Option<String>,
        max_iterations: u64,
        /// `None` if there are no reviews.
        review_cap: Option<u64>,
        ceiling_usd: Option<f64>,
        /// Failed attempts that a story may have; none in a prompt loop.
        #[serde(default)]
        max_attempts: Option<u64>,
        /// The story that the run is limited to.
        #[serde(default)]
        only_story: Option<StoryId>,
        /// How long the run may work in all.
        #[serde(default)]
        max_seconds: Option<f64>,
        /// Commands that have to pass before anything counts.
        #[serde(default)]
        checks: Option<u64>,
        resumed: Option<Resumed>,
        stories: Vec<StoryBrief>,
    },
    /// What confines the sessions of an agent, or the checks; reported when the run begins.
    #[serde(alias = "wall-chosen")]
    IsolationChosen {
        /// The name of an agent, or `checks`.
        agent: String,
        #[serde(alias = "wall")]
        isolation: Isolation,
        /// What the sandbox of the operating system lets through.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        network: Option<NetworkKind>,
        passed_over: Vec<PassedOver>,
    },
    /// What the stories will take, told when the run begins.
    RunEstimated {
        estimate: Estimate,
    },
    /// Something an earlier run left behind, and what was done about it.
    #[serde(alias = "found")]
    LeftoverFound {
        text: String,
    },
    Warning {
        text: String,
    },
    /// Something else than the runner wrote to the log of the run.
    LogAltered {
        /// The first line of the log that is not as the runner wrote it, as far as the runner can find out.
        line: u64,
        /// In a sentence.
        text: String,
    },
    IterationStarted {
        iteration: u64,
        /// 1, and more when the same iteration is tried again after a failure of the agent.
        attempt: u64,
        mode: IterationMode,
        /// None in a prompt loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        story: Option<StoryId>,
        title: String,
        model: Option<String>,
        session: String,
        /// Where its files are, from the project.
        folder: String,
        /// Empty where there is no git.
        checkpoint: String,
    },
    /// The agent is started.
    AgentCalled {
        agent: String,
        /// Program and arguments, as a shell would take them.
        command: String,
        prompt_bytes: u64,
        /// How the prompt begins.
        prompt: String,
    },
    /// What a prompt with a budget is made of.
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
    /// A line that the agent's program wrote to its standard error.
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
    /// The agent's own connection to its model is being retried.
    ApiRetry {
        attempt: u64,
        of: u64,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
    Quota {
        state: QuotaState,
        window: String,
        /// A fraction: 1.0 is all of it.
        used: Option<f64>,
        resets_at: Option<DateTime<Utc>>,
    },
    /// A hook of the loop answered: blocked, warned or failed. Silent answers are not told.
    HookAnswered {
        hook: String,
        answer: HookAnswerKind,
        text: String,
    },
    /// The Stop guard did not do its work in this session.
    #[serde(alias = "guard-missing")]
    HookMissing {
        why: String,
    },
    AgentEnded {
        outcome: AgentOutcome,
        /// In a sentence, where the outcome alone does not say it.
        detail: String,
        cost_usd: Option<f64>,
        tokens: TokenCount,
        turns: Option<u64>,
        seconds: f64,
        context_window: Option<u64>,
        /// Programs that the agent had left running and that were ended.
        leftovers: Vec<String>,
    },
    /// What the iteration did that it was not allowed to do, and what was put right.
    #[serde(alias = "undone")]
    ChangesReverted {
        findings: Vec<String>,
        corrections: Vec<String>,
        commit: Option<String>,
    },
    /// Work that the agent had not committed and the runner kept.
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
    CheckEnded {
        command: String,
        outcome: GateOutcome,
        seconds: f64,
        /// What a failure does to the next prompt.
        #[serde(default)]
        fail_action: FailAction,
        /// The whole output, from the project.
        log: String,
        /// Its last lines, of a failure.
        tail: Vec<String>,
    },
    /// What all gates together say about one state of the code.
    #[serde(alias = "gates-judged")]
    ChecksJudged {
        tree: String,
        outcome: GatesOutcome,
    },
    #[serde(alias = "story-moved")]
    StoryStatusChanged {
        story: StoryId,
        from: ReviewStatus,
        to: ReviewStatus,
        reviews: u64,
        feedback: String,
        /// Without reviews there is no other step.
        #[serde(default)]
        passes: bool,
    },
    /// The task list and the reviewer's final message do not give one and the same verdict: neither
    /// counts, and the story is reviewed again.
    VerdictVoid {
        iteration: u64,
        story: StoryId,
        list: Option<ReviewVerdict>,
        message: Option<ReviewVerdict>,
        /// In a sentence.
        text: String,
        /// Reviews of this kind in a row, and how many of them end the run.
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
        /// In a line.
        error: String,
        error_hash: String,
        /// How often in a row it was this failure.
        repeats: u64,
    },
    /// The next attempt at the story gets something that those before did not.
    Escalated {
        story: StoryId,
        tier: Tier,
        text: String,
        /// Put into the prompt.
        files: Vec<String>,
    },
    #[serde(alias = "story-set-aside")]
    StoryGivenUp {
        story: StoryId,
        /// Not flattened: it has a time of its own, and so has the line.
        #[serde(alias = "setAside")]
        given_up: GivenUp,
    },
    /// A soft time limit has passed.
    TimeWarning {
        what: Timed,
        soft_seconds: f64,
        /// When it is ended.
        hard_seconds: Option<f64>,
    },
    /// An agent is asked how a story was done.
    QualityStarted {
        story: StoryId,
    },
    /// The soft gate spoke about a story that is done.
    QualityChecked {
        story: StoryId,
        outcome: QualityOutcome,
        warnings: Vec<String>,
        seconds: f64,
        cost_usd: f64,
    },
    /// What an iteration leaves for those after it.
    #[serde(alias = "handoff-kept")]
    HandoffSaved {
        iteration: u64,
        story: StoryId,
        source: HandoffSource,
        claim: HandoffClaim,
        /// In a line.
        text: String,
        /// What was wrong with what the agent gave.
        problems: Vec<String>,
        /// Where it is, from the project.
        file: String,
    },
    /// An agent is asked to compact what earlier iterations left; its session follows.
    CompactionStarted {
        reason: CompactionReason,
        text: String,
        handoffs: u64,
        /// Where its files are, from the project.
        folder: String,
    },
    CompactionEnded {
        outcome: CompactionOutcome,
        /// In a sentence, where it failed.
        text: String,
        seconds: f64,
        cost_usd: f64,
    },
    /// What became of the changes to the plan that a handoff asked for.
    PlanAmended {
        iteration: u64,
        applied: Vec<String>,
        refused: Vec<String>,
    },
    /// An iteration that failed left no trace.
    RolledBack {
        iteration: u64,
        story: StoryId,
        /// The commit that everything is again as in.
        to: String,
        /// Where what it left is kept.
        backup: String,
        removed: u64,
        restored: u64,
        /// What could not be brought back, each with the reason.
        left: Vec<String>,
    },
    TestsWeakened {
        story: StoryId,
        iteration: u64,
        files: Vec<WeakenedTests>,
    },
    /// A failure branch of an earlier run is a tag now.
    BranchArchived {
        branch: String,
        tag: String,
    },
    CompletionClaimed {
        claim: Claim,
        /// What it was compared with.
        #[serde(default)]
        basis: ClaimBasis,
        /// Why it is not true.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The agent's last message was searched for the tag that says that everything is done.
    CompletionChecked {
        wanted: String,
        /// The word of the tag that was given.
        found: Option<String>,
        /// What is wrong where the tag was probably meant to be given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near_miss: Option<NearMiss>,
    },
    /// A task of version control, such as `commit`, asked for in the settings.
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
        /// The commit that it left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    #[serde(alias = "resting")]
    Waiting {
        reason: RestReason,
        text: String,
        until: DateTime<Utc>,
    },
    StopRequested {
        signal: String,
        text: String,
    },
    /// A person told the run something while it went on. What comes of it is told when it does.
    #[serde(alias = "order-taken")]
    OrderAccepted {
        order: Order,
    },
    /// What was told cannot be done.
    OrderRefused {
        order: Order,
        why: String,
    },
    /// The run does nothing until it is told to go on.
    Paused,
    #[serde(alias = "went-on")]
    Resumed,
    RunEnded {
        end: RunEnd,
        exit_code: u8,
        /// In a sentence.
        text: String,
        iterations: u64,
        accepted: u64,
        failed: u64,
        seconds: f64,
        cost_usd: f64,
        stories: Vec<StoryBrief>,
        /// Why stories wait, where they do.
        blocked: Vec<String>,
        /// The same, of those that wait for others.
        #[serde(default)]
        waiting: Vec<WaitingStory>,
    },
}
