//! Decisions about the work, one line each: verdicts of reviews and checks, blocked stops, reverted changes,
//! given-up stories, orders, warnings, waits and the end of the run.

use chrono::{DateTime, Utc};
use project::orders::Order;
use tasks::{ReviewStatus, StoryId};

use super::{IterationRecord, Verdict};
use crate::format::{check_failure, count, given_up_reason, state_text};
use crate::{CheckOutcome, ChecksOutcome, HookAnswerKind, LoopEvent, Role, StopSignal};

/// Characters of text from others in a line.
const LONGEST: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub at: DateTime<Utc>,
    /// The iteration that ran.
    pub iteration: Option<u64>,
    pub story: Option<StoryId>,
    pub kind: DecisionKind,
    /// One line, sanitized; text from others is cut.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionKind {
    /// A hook blocked something.
    Blocked,
    /// The runner reverted forbidden changes.
    Reverted,
    ChecksPassed,
    ChecksFailed,
    /// A story advanced.
    StatusChanged,
    Approved,
    ChangesRequested,
    /// The task list and the reviewer gave different verdicts.
    VerdictVoid,
    AttemptFailed,
    Escalated,
    GivenUp,
    RolledBack,
    TestsWeakened,
    HookMissing,
    /// Another program wrote to the log.
    LogAltered,
    /// An order of the user.
    Ordered,
    Warning,
    /// The run was asked to stop, other than by an order.
    Stopping,
    Waiting,
    /// The run ended.
    Ended,
}

impl DecisionKind {
    pub fn role(self) -> Role {
        match self {
            Self::Blocked
            | Self::ChangesRequested
            | Self::Escalated
            | Self::TestsWeakened
            | Self::Warning
            | Self::Stopping => Role::Warn,
            Self::Reverted | Self::ChecksFailed | Self::AttemptFailed | Self::GivenUp => Role::Bad,
            Self::ChecksPassed | Self::Approved => Role::Good,
            Self::StatusChanged | Self::Ordered | Self::Waiting => Role::Accent,
            Self::RolledBack => Role::Plain,
            Self::Ended => Role::Strong,
            Self::HookMissing | Self::LogAltered | Self::VerdictVoid => Role::Alarm,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Reverted => "reverted",
            Self::ChecksPassed => "checks passed",
            Self::ChecksFailed => "checks failed",
            Self::StatusChanged => "moved",
            Self::Approved => "approved",
            Self::ChangesRequested => "changes requested",
            Self::VerdictVoid => "verdict void",
            Self::AttemptFailed => "attempt failed",
            Self::Escalated => "escalated",
            Self::GivenUp => "given up",
            Self::RolledBack => "rolled back",
            Self::TestsWeakened => "tests weakened",
            Self::HookMissing => "hook missing",
            Self::LogAltered => "log altered",
            Self::Ordered => "instructed",
            Self::Warning => "warning",
            Self::Stopping => "stopping",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
        }
    }

    /// Whether it is about the run, and not about its running iteration.
    fn is_about_run(self) -> bool {
        matches!(self, Self::Warning | Self::Stopping | Self::Waiting | Self::Ended)
    }
}

/// `running` is the iteration before the event; `None` for an event that decides nothing.
pub(super) fn of(
    at: DateTime<Utc>,
    event: &LoopEvent,
    running: Option<&IterationRecord>,
) -> Option<Decision> {
    let (kind, story, text) = decision(event)?;
    let running = running.filter(|_| !kind.is_about_run());
    let iteration = running.map(|running| running.number);
    let story = story.cloned().or_else(|| running.and_then(|running| running.story.clone()));
    Some(Decision { at, iteration, story, kind, text: one_line(&text) })
}

fn decision(event: &LoopEvent) -> Option<(DecisionKind, Option<&StoryId>, String)> {
    Some(match event {
        LoopEvent::HookAnswered { hook, answer: HookAnswerKind::Blocked, text } => {
            (DecisionKind::Blocked, None, format!("{hook}: {text}"))
        }
        LoopEvent::ChangesReverted { findings, .. } => {
            let more = findings.len().saturating_sub(1) as u64;
            let first = findings.first().map_or("", String::as_str);
            let text = match more {
                0 => first.to_owned(),
                more => format!("{first} (and {more} more)"),
            };
            (DecisionKind::Reverted, None, text)
        }
        LoopEvent::CheckEnded { command, outcome, .. } if *outcome != CheckOutcome::Passed => {
            let why = check_failure(*outcome).unwrap_or_default();
            (DecisionKind::ChecksFailed, None, format!("{command}: {why}"))
        }
        LoopEvent::ChecksJudged { outcome, .. } => match outcome {
            ChecksOutcome::Passed => (DecisionKind::ChecksPassed, None, "all of them".into()),
            ChecksOutcome::PassedBefore => {
                (DecisionKind::ChecksPassed, None, "on this tree before".into())
            }
            // Each failed check has its own event.
            ChecksOutcome::Failed | ChecksOutcome::None => return None,
        },
        LoopEvent::StoryStatusChanged { story, from, to, feedback, passes, .. } => {
            let (kind, text) = moved(*from, *to, feedback, *passes);
            (kind, Some(story), format!("{story} {text}"))
        }
        LoopEvent::VerdictVoid { story, text, in_a_row, of, .. } => {
            let text = format!("{story}: {text} ({in_a_row} of {of} in a row)");
            (DecisionKind::VerdictVoid, Some(story), text)
        }
        LoopEvent::AttemptFailed { story, attempt, of, error, .. } => {
            let text = format!("{story} attempt {attempt} of {of}: {error}");
            (DecisionKind::AttemptFailed, Some(story), text)
        }
        LoopEvent::Escalated { story, text, .. } => {
            (DecisionKind::Escalated, Some(story), format!("{story}: {text}"))
        }
        LoopEvent::StoryGivenUp { story, given_up } => {
            let attempts = count(given_up.attempts, "failed attempt", "failed attempts");
            let reason = match given_up_reason(given_up) {
                "" => String::new(),
                reason => format!(", {reason}"),
            };
            (DecisionKind::GivenUp, Some(story), format!("{story} after {attempts}{reason}"))
        }
        LoopEvent::RolledBack { story, removed, restored, .. } => {
            let (removed, restored) =
                (count(*removed, "file", "files"), count(*restored, "file", "files"));
            let text = format!("{story}: {removed} removed, {restored} restored");
            (DecisionKind::RolledBack, Some(story), text)
        }
        LoopEvent::TestsWeakened { story, files, .. } => {
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            (DecisionKind::TestsWeakened, Some(story), format!("{story}: {}", paths.join(", ")))
        }
        LoopEvent::HookMissing { why } => (DecisionKind::HookMissing, None, why.clone()),
        LoopEvent::LogAltered { text, .. } => (DecisionKind::LogAltered, None, text.clone()),
        LoopEvent::OrderAccepted { order } => ordered(order),
        LoopEvent::OrderRefused { order, why } => {
            let (kind, story, what) = ordered(order);
            (kind, story, format!("refused: {what}: {why}"))
        }
        LoopEvent::Warning { text } => (DecisionKind::Warning, None, text.clone()),
        // The order has its own event.
        LoopEvent::StopRequested { signal, .. } if signal == StopSignal::Order.name() => {
            return None;
        }
        LoopEvent::StopRequested { signal, text } => {
            (DecisionKind::Stopping, None, format!("{signal}: {text}"))
        }
        LoopEvent::Waiting { text, .. } => (DecisionKind::Waiting, None, text.clone()),
        LoopEvent::RunEnded { end, text, .. } => {
            (DecisionKind::Ended, None, format!("{end}. {text}"))
        }
        _ => return None,
    })
}

fn ordered(order: &Order) -> (DecisionKind, Option<&StoryId>, String) {
    let text = match order {
        Order::Pause => "pause after this iteration".into(),
        Order::GoOn => "resume".into(),
        Order::Stop => "stop".into(),
        Order::Skip { story: Some(story) } => format!("skip {story}"),
        Order::Skip { story: None } => "skip this story".into(),
        Order::Steer { text } => format!("steer: {text}"),
    };
    let story = if let Order::Skip { story } = order { story.as_ref() } else { None };
    (DecisionKind::Ordered, story, text)
}

fn moved(
    from: ReviewStatus,
    to: ReviewStatus,
    feedback: &str,
    passes: bool,
) -> (DecisionKind, String) {
    match Verdict::of(to, feedback) {
        Some(Verdict::Approved) => (DecisionKind::Approved, "by the reviewer".into()),
        Some(Verdict::ApprovedAtCap) => (DecisionKind::Approved, "at the review limit".into()),
        Some(Verdict::ChangesRequested) => (DecisionKind::ChangesRequested, feedback.to_owned()),
        None => {
            let words = [state_text(false, from), state_text(passes, to)];
            (DecisionKind::StatusChanged, words.join(" -> "))
        }
    }
}

fn one_line(text: &str) -> String {
    sanitize::line(text.trim()).chars().take(LONGEST).collect()
}
