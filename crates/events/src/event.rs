//! The events of a run: the lines of `events.jsonl`.
//!
//! Display, report and status are built from these alone. Not here: an agent's own stream (`agents`),
//! and the decisions of the loop (`decide`).

mod attempts;
mod iteration;
mod line;
mod memory;
mod parts;
mod proof;
mod pull_request;
mod reviews;
mod run;

/// Parts of events that an agent reports.
pub use agents::{NearMiss, QuotaState, TodoItem, TodoState, TokenCount, ToolOutcome, ToolOutput};

use isolation::{Isolation, NetworkKind};
use project::orders::Order;
use serde::{Deserialize, Serialize};
use tasks::{ReviewStatus, ReviewVerdict, StoryId};

pub use attempts::{
    AgentReplaced, AttemptFailed, ChecksWithout, EscalationTier, Gate, GiveUpReason, GivenUp,
    QualityOutcome, RolledBack, StoryCommits, Stuck, TimedTask, WaitingStory, WeakenedTests,
};
pub use iteration::{AgentEnded, IterationEnded, IterationStarted};
pub use line::{ChainLink, EventLineError, LogHead, Stamped, VERSION};
pub use memory::{CompactionOutcome, CompactionReason, ContextPart, HandoffClaim, HandoffSource};
pub use parts::{
    AgentOutcome, CheckOutcome, CheckRecord, ChecksOutcome, ClaimBasis, HookAnswerKind,
    IterationMode, IterationStatus, JobPurpose, KnownFailure, LoopKind, OpenQuestion,
    QuestionEffect, Quota, Resumed, RevertedChanges, ScmOutcome, StoryBrief, UnusedIsolation,
    WaitReason, WaitView,
};
pub use proof::{ProofPhase, ProofResult, ProofRun, ProofTest, ProvenCriterion};
pub use pull_request::{PullRequestOutcome, PullRequestResult};
pub use reviews::{FinalReview, FinalReviewOutcome, ReviewFinding, ReviewerVerdict};
pub use run::{RunEnded, RunStart};
pub use run_options::FailAction;

use crate::{Estimate, Traceparent};

/// In `IsolationChosen`, in place of an agent's name.
pub const CHECKS: &str = "checks";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum LoopEvent {
    /// A run starts or resumes.
    RunStarted {
        #[serde(flatten)]
        start: RunStart,
        /// The path of the agent's program.
        #[serde(default)]
        program: String,
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
    RunEstimated { estimate: Estimate },
    /// The checks ran on the commit from which stories start. `failures` are not held against a story.
    BaseChecked { commit: String, checks: u64, failures: Vec<KnownFailure> },
    /// A check that failed without the run's work passes with the work of this story.
    KnownFailureFixed { story: StoryId, command: String },
    /// The computer does not sleep by itself until the run ends; `by` is what prevents it.
    SleepPrevented { by: String },
    /// Something that an earlier run left behind, and what the runner did about it.
    #[serde(alias = "found")]
    LeftoverFound { text: String },
    /// A problem that does not stop the run.
    Warning { text: String },
    /// Another program wrote to the log of the run; `line` is the first that the runner did not write, if known.
    LogAltered { line: u64, text: String },
    /// An iteration starts, or is tried again.
    IterationStarted(IterationStarted),
    /// The agent's program is started. The command is in shell syntax, and `prompt` is the beginning of the prompt.
    AgentCalled {
        agent: String,
        command: String,
        prompt_bytes: u64,
        prompt: String,
        /// The span of the session, if the run is exported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traceparent: Option<Traceparent>,
    },
    /// The parts of a prompt with a token budget.
    ContextAssembled { iteration: u64, tokens: u64, budget: u64, parts: Vec<ContextPart> },
    /// The agent reports its model and its version; either may be empty.
    SessionStarted { model: String, version: String },
    /// A message of the agent.
    AgentText { text: String },
    /// A line of the agent's standard error.
    AgentStderr { text: String },
    /// The agent calls a tool.
    ToolStarted { id: String, name: String, summary: String },
    /// The result of a tool.
    ToolEnded {
        id: String,
        outcome: ToolOutcome,
        summary: String,
        #[serde(default)]
        output: ToolOutput,
    },
    /// The agent's whole todo list, after each change.
    Todo { items: Vec<TodoItem> },
    /// The size of the context of the session.
    Context { tokens: u64, window: Option<u64> },
    /// The agent compacted its context.
    Compacted { tokens_after: Option<u64> },
    /// The agent retries the connection to its model.
    ApiRetry { attempt: u64, of: u64, delay_ms: u64, status: Option<u16>, reason: String },
    /// The usage of the account.
    Quota(Quota),
    /// A hook of the loop blocked, warned or failed. Silent answers are not recorded.
    HookAnswered { hook: String, answer: HookAnswerKind, text: String },
    /// A hook of the runner did not work in this session.
    #[serde(alias = "guard-missing")]
    HookMissing { why: String },
    /// A session of the agent has ended.
    AgentEnded(AgentEnded),
    /// The rules that the iteration broke, and what the runner restored.
    #[serde(alias = "undone")]
    ChangesReverted(RevertedChanges),
    /// Uncommitted work of the agent that the runner committed.
    #[serde(alias = "work-kept")]
    WorkCommitted { paths: Vec<String>, commit: String },
    #[serde(alias = "gate-started")]
    CheckStarted { command: String, number: u64, of: u64 },
    #[serde(alias = "gate-ended")]
    CheckEnded(CheckRecord),
    /// The result of all checks on one state of the code.
    #[serde(alias = "gates-judged")]
    ChecksJudged { tree: String, outcome: ChecksOutcome },
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
    /// The task list has a new story.
    StoryAdded { story: StoryBrief },
    /// An iteration that counts as a failed attempt at its story.
    AttemptFailed(AttemptFailed),
    /// A session asks the user a question; `number` counts those of the story.
    QuestionAsked {
        story: StoryId,
        iteration: u64,
        number: u64,
        of: u64,
        text: String,
        effect: QuestionEffect,
    },
    /// The user answered it: the story can be worked on.
    QuestionAnswered { story: StoryId, number: u64, text: String },
    /// The next attempt at the story gets additional context, such as files that are added to the prompt.
    Escalated { story: StoryId, tier: EscalationTier, text: String, files: Vec<String> },
    /// An attempt with a stronger model or another agent, named by `help`, failed or completed the story.
    EscalationEnded { story: StoryId, help: String, cost_usd: f64, solved: bool },
    /// One of several fresh attempts at a story ended; its commit stays.
    CandidateEnded {
        story: StoryId,
        number: u64,
        of: u64,
        passes: bool,
        cost_usd: f64,
        commit: String,
    },
    /// The work of this candidate is taken over.
    CandidateChosen { story: StoryId, number: u64, why: String },
    /// Another agent works on the story than the one that the settings name.
    AgentReplaced(AgentReplaced),
    /// A lane is about to use its clone, which is new if files were copied into it or setup commands follow.
    LanePrepared { folder: String, is_new: bool, copied: u64 },
    /// A setup command of a lane starts.
    SetupStarted { command: String, number: u64, of: u64 },
    /// The session of an iteration, or its checks, are a job that waits in the queue of a batch engine, whose reason may be empty.
    JobWaiting {
        job: String,
        engine: String,
        reason: String,
        #[serde(default)]
        purpose: JobPurpose,
    },
    /// It runs on a node; `restart` counts how often the engine started it again.
    JobStarted {
        job: String,
        node: String,
        restart: u64,
        #[serde(default)]
        purpose: JobPurpose,
    },
    /// A lane begins to work on the story, from this commit of the run's branch.
    StoryAssigned { story: StoryId, commit: String },
    /// The story is approved and waits until its work can be merged.
    StoryQueued { story: StoryId },
    /// The work is being merged into the run's branch. The checks that follow run on the merged files.
    MergeStarted { story: StoryId, branch: String },
    /// Approved work was merged into the run's branch, and its checks passed there. Otherwise `AttemptFailed` follows.
    StoryMerged { story: StoryId, branch: String, commit: String },
    #[serde(alias = "story-set-aside")]
    StoryGivenUp {
        story: StoryId,
        /// Nested, because it has its own time field.
        #[serde(alias = "setAside")]
        given_up: GivenUp,
    },
    /// A soft time limit has passed; the task is ended at the hard limit.
    TimeWarning { what: TimedTask, soft_seconds: f64, hard_seconds: Option<f64> },
    /// An agent starts to review the quality of a finished story.
    QualityStarted { story: StoryId },
    /// The quality review of a finished story; it blocks nothing.
    QualityChecked {
        story: StoryId,
        outcome: QualityOutcome,
        warnings: Vec<String>,
        seconds: f64,
        cost_usd: f64,
    },
    /// One of several reviewers gave its verdict about a story, or gave none that counts.
    ReviewerVerdict(ReviewerVerdict),
    /// The runner ran the tests of a story's proof.
    ProofRan(ProofRun),
    /// A review of all work of the run has ended, after every story was done.
    FinalReviewed(FinalReview),
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
    /// An agent is asked to compact the handoffs of earlier iterations; its session follows. The folder is relative
    /// to the project.
    CompactionStarted { reason: CompactionReason, text: String, handoffs: u64, folder: String },
    /// The result of compacting the handoffs; `text` is why it failed.
    CompactionEnded { outcome: CompactionOutcome, text: String, seconds: f64, cost_usd: f64 },
    /// The result of the plan changes that a handoff requested.
    PlanAmended { iteration: u64, applied: Vec<String>, refused: Vec<String> },
    /// The runner rolled back a failed iteration.
    RolledBack(RolledBack),
    /// An iteration deleted, skipped or loosened tests.
    TestsWeakened { story: StoryId, iteration: u64, files: Vec<WeakenedTests> },
    /// The runner turned a failure branch of an earlier run into a tag.
    BranchArchived { branch: String, tag: String },
    /// The agent reports that all work is done.
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
    ScmEnded { task: String, outcome: ScmOutcome, text: String },
    /// The work of the run was published as a pull request, or could not be; it comes after the end of the run.
    PullRequest(PullRequestResult),
    /// An iteration has ended and is counted.
    IterationEnded(IterationEnded),
    #[serde(alias = "resting")]
    Waiting(WaitView),
    /// A signal or the time limit asks the run to stop.
    StopRequested { signal: String, text: String },
    /// The run received an order of the user. Its effects have their own events.
    #[serde(alias = "order-taken")]
    OrderAccepted { order: Order },
    /// The order cannot be executed.
    OrderRefused { order: Order, why: String },
    /// The run waits until it is resumed.
    Paused,
    #[serde(alias = "went-on")]
    Resumed,
    /// The run has ended.
    RunEnded(RunEnded),
}
