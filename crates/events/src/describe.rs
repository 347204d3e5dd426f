//! The words of each event, for all displays: console, `--verbose`, session log and dashboard.
//!
//! Displays lay the statements out and do not reword them. Not here: colours, characters of marks, widths.

use chrono::{FixedOffset, Offset, Utc};

use crate::{JobPurpose, LoopEvent, LoopKind, PullRequestOutcome, Role, RunView, Stamped};

mod checks;
mod final_review;
mod iteration;
mod lane;
mod memory;
mod proof;
mod run;
mod session;
mod statement;
mod stories;

pub use final_review::final_review;
pub use iteration::context;
pub use lane::{doing, lane_parts, lane_tag, wait_parts};
pub use proof::{proof_state, proof_summary, without_work};
pub use run::pending_orders;
pub use session::tool_call;
pub use statement::{Detail, Form, Mark, Span, Statement};
pub use stories::{FailedStoryText, failed_story_text, story_in_work};

/// Characters of a description on one line.
const LONGEST: usize = 300;

/// `view` is the state before the event, `offset` the user's time zone.
pub fn describe(stamped: &Stamped, view: &RunView, offset: FixedOffset) -> Vec<Statement> {
    let event = &stamped.event;
    match event {
        LoopEvent::RunStarted { start, program, resumed, stories } => {
            run::started(start, program, resumed.as_ref(), stories)
        }
        LoopEvent::IsolationChosen { .. } => run::isolation_chosen(event),
        LoopEvent::RunEstimated { estimate } => run::estimated(estimate),
        LoopEvent::BaseChecked { commit, checks, failures } => {
            checks::base_checked(commit, *checks, failures)
        }
        LoopEvent::KnownFailureFixed { story, command } => {
            let text = format!("{story} fixed check `{command}`, which failed before the run");
            vec![Statement::note(Role::Good, Mark::Ok, sanitize::line(&text))]
        }
        LoopEvent::SleepPrevented { by } => {
            let text = format!("awake: this computer does not sleep until the run ends ({by})");
            vec![Statement::note(Role::Dim, Mark::Start, text)]
        }
        LoopEvent::LeftoverFound { text } => vec![Statement::note(Role::Accent, Mark::Back, text)],
        LoopEvent::Warning { text } => vec![Statement::warning(text)],
        LoopEvent::LogAltered { text, .. } => {
            vec![Statement::note(Role::Alarm, Mark::Warning, text)]
        }
        LoopEvent::StopRequested { signal, text } => {
            vec![Statement::warning(format!("{signal}: {text}"))]
        }
        LoopEvent::OrderAccepted { order } => vec![run::order_accepted(order)],
        LoopEvent::OrderRefused { order, why } => vec![run::order_refused(order, why)],
        LoopEvent::Paused => {
            let text = "paused; run `ralph-loop resume` to continue";
            vec![Statement::note(Role::Accent, Mark::Rest, text)]
        }
        LoopEvent::Resumed => vec![Statement::note(Role::Accent, Mark::Rest, "resumed")],
        LoopEvent::Waiting(wait) => vec![run::waiting(wait, stamped.at, offset)],
        LoopEvent::RunEnded(ended) => run::ended(ended),
        LoopEvent::IterationStarted(started) => iteration::started(started, view),
        LoopEvent::IterationEnded(ended) => iteration::ended(ended, stamped.lane, view),
        LoopEvent::AgentCalled { command, prompt_bytes, prompt, .. } => {
            session::called(command, *prompt_bytes, prompt)
        }
        LoopEvent::SessionStarted { model, version } => session::started(model, version),
        LoopEvent::AgentText { text } => {
            vec![Statement::text(Role::Plain, text).detail(Detail::Agent)]
        }
        LoopEvent::AgentStderr { text } => vec![Statement::verbose(format!("stderr: {text}"))],
        LoopEvent::ToolStarted { name, summary, .. } => vec![session::tool_started(name, summary)],
        LoopEvent::Todo { items } => session::todo(items),
        // Displays lay out the result of a tool with its call.
        LoopEvent::ToolEnded { .. } | LoopEvent::Context { .. } => Vec::new(),
        LoopEvent::Compacted { tokens_after } => vec![session::compacted(*tokens_after)],
        LoopEvent::ApiRetry { .. } => session::retried(event),
        LoopEvent::Quota(quota) => session::quota(quota, stamped.at, offset),
        LoopEvent::HookAnswered { hook, answer, text } => {
            vec![session::hook_answered(hook, *answer, text)]
        }
        LoopEvent::HookMissing { why } => {
            let text = format!("hook failure: {}", why.trim());
            vec![Statement::note(Role::Alarm, Mark::Failed, text).form(Form::Excerpt)]
        }
        LoopEvent::AgentEnded(ended) => session::ended(ended, view.calls_in(stamped.lane)),
        LoopEvent::CompletionChecked { wanted, found, near_miss } => {
            // Only the task list completes a story loop.
            let near_miss = near_miss.filter(|_| {
                view.start.as_ref().is_none_or(|start| start.kind != LoopKind::Stories)
            });
            session::completion_checked(wanted, found.as_deref(), near_miss)
        }
        LoopEvent::CompletionClaimed { accepted, basis, .. } => {
            vec![checks::completion_claimed(*accepted, *basis)]
        }
        LoopEvent::ChangesReverted(reverted) => checks::reverted(reverted),
        LoopEvent::WorkCommitted { paths, commit } => vec![checks::work_committed(paths, commit)],
        LoopEvent::CheckStarted { command, number, of } => {
            vec![checks::step_started("check", command, *number, *of)]
        }
        LoopEvent::CheckEnded(check) => checks::ended(check, view, stamped.lane),
        LoopEvent::ChecksJudged { tree, outcome } => checks::judged(tree, *outcome),
        LoopEvent::PullRequest(result) => run::pull_request(result),
        LoopEvent::ScmEnded { task, outcome, text } => vec![checks::scm(task, *outcome, text)],
        LoopEvent::StoryStatusChanged { .. } => stories::status_changed(event),
        LoopEvent::VerdictVoid { story, text, in_a_row, of, .. } => {
            let text = format!(
                "verdict of {story} is void: {text}; repeating the review ({in_a_row} of {of} in a row)"
            );
            vec![Statement::note(Role::Alarm, Mark::Warning, text)]
        }
        LoopEvent::StoryAdded { story } => {
            let text = sanitize::line(&format!("new story {} {}", story.id, story.title));
            vec![Statement::note(Role::Accent, Mark::Moved, text)]
        }
        LoopEvent::AttemptFailed(failed) => vec![stories::attempt_failed(failed)],
        LoopEvent::QuestionAsked { .. } => stories::question_asked(event),
        LoopEvent::QuestionAnswered { story, .. } => {
            let text = format!("{story} got its answer and is worked on again");
            vec![Statement::note(Role::Good, Mark::Moved, text)]
        }
        LoopEvent::Escalated { .. } => stories::escalated(event),
        LoopEvent::EscalationEnded { .. } => stories::escalation_ended(event),
        LoopEvent::CandidateEnded { .. } => stories::candidate_ended(event),
        LoopEvent::CandidateChosen { story, number, why } => {
            let text = format!("candidate {number} for {story} is taken over: {why}");
            vec![Statement::note(Role::Accent, Mark::Moved, sanitize::line(&text))]
        }
        LoopEvent::AgentReplaced(replaced) => {
            vec![stories::agent_replaced(replaced, offset, stamped.at)]
        }
        LoopEvent::LanePrepared { folder, is_new, copied } => {
            vec![stories::lane_prepared(folder, *is_new, *copied)]
        }
        LoopEvent::SetupStarted { command, number, of } => {
            vec![checks::step_started("setup", command, *number, *of)]
        }
        LoopEvent::JobWaiting { engine, reason, purpose, .. } => {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            let what = match purpose {
                JobPurpose::Session => "waits",
                JobPurpose::Checks => "checks wait",
            };
            let text = sanitize::line(&format!("{what} in the queue of {engine}{why}"));
            vec![Statement::note(Role::Dim, Mark::Start, text)]
        }
        LoopEvent::JobStarted { node, restart, purpose, .. } => {
            let what = match purpose {
                JobPurpose::Session => "runs",
                JobPurpose::Checks => "checks run",
            };
            let text = match restart {
                0 => format!("{what} on {node}"),
                count => format!("{what} again on {node} (restart {count})"),
            };
            vec![Statement::note(Role::Accent, Mark::Start, sanitize::line(&text))]
        }
        LoopEvent::StoryAssigned { story, .. } => {
            let title = view.story(story).map_or("", |story| &story.title);
            let text = sanitize::line(&format!("begins {story} {title}"));
            vec![Statement::note(Role::Accent, Mark::Start, text)]
        }
        LoopEvent::StoryQueued { story } => {
            let text = format!("{story} is approved and waits to be merged");
            vec![Statement::note(Role::Good, Mark::Moved, text)]
        }
        LoopEvent::MergeStarted { story, branch } => {
            let text = sanitize::line(&format!("merging {story} into {branch}"));
            vec![Statement::note(Role::Accent, Mark::Start, text)]
        }
        LoopEvent::StoryMerged { story, branch, .. } => {
            let text = sanitize::line(&format!("{story} is merged into {branch}"));
            vec![Statement::note(Role::Good, Mark::Ok, text)]
        }
        LoopEvent::StoryGivenUp { story, given_up } => {
            let branch = view.start.as_ref().map_or("the branch", |start| start.branch.as_str());
            stories::given_up(story, given_up, branch)
        }
        LoopEvent::TimeWarning { what, soft_seconds, hard_seconds } => {
            vec![run::time_warning(*what, *soft_seconds, *hard_seconds)]
        }
        LoopEvent::QualityStarted { story } => {
            let text = format!("checking the quality of {story}");
            vec![Statement::marked(Role::Dim, Mark::Start).with(Role::Dim, text)]
        }
        LoopEvent::QualityChecked { .. } => stories::quality_checked(event),
        LoopEvent::ProofRan(run) => proof::ran(run),
        LoopEvent::FinalReviewed(review) => final_review::ended(review),
        LoopEvent::ReviewerVerdict(verdict) => vec![final_review::reviewer_verdict(verdict)],
        LoopEvent::TestsWeakened { story, files, .. } => stories::tests_weakened(story, files),
        LoopEvent::BranchArchived { branch, tag } => {
            let text = format!("archived {branch} as tag {tag}");
            vec![Statement::note(Role::Accent, Mark::Back, text)]
        }
        LoopEvent::ContextAssembled { tokens, budget, parts, .. } => {
            memory::context_assembled(*tokens, *budget, parts)
        }
        LoopEvent::HandoffSaved { .. } => memory::handoff_saved(event),
        LoopEvent::CompactionStarted { .. } => memory::compaction_started(event),
        LoopEvent::CompactionEnded { .. } => memory::compaction_ended(event),
        LoopEvent::PlanAmended { applied, refused, .. } => memory::plan_amended(applied, refused),
        LoopEvent::RolledBack(back) => memory::rolled_back(back),
    }
}

/// All statements on one line, sanitized and cut, with the role of the first; those for `--verbose` only if there
/// are no others.
pub fn one_line(statements: &[Statement]) -> Option<(Role, String)> {
    let has_words = |statement: &&Statement| !statement.words().trim().is_empty();
    let is_normal = |statement: &&Statement| statement.detail != Detail::Verbose;
    let mut shown: Vec<_> = statements.iter().filter(has_words).collect();
    if shown.iter().any(is_normal) {
        shown.retain(is_normal);
    }
    let role = shown.first()?.role();
    let words: Vec<_> =
        shown.iter().map(|statement| sanitize::line(statement.words().trim())).collect();
    Some((role, words.join("; ").chars().take(LONGEST).collect()))
}

/// What a person must not overlook, in one line.
pub(crate) fn alarm(stamped: &Stamped, view: &RunView) -> Option<(Role, String)> {
    let is_alarm = match &stamped.event {
        LoopEvent::PullRequest(result) => result.outcome == PullRequestOutcome::Failed,
        LoopEvent::BaseChecked { failures, .. } => !failures.is_empty(),
        LoopEvent::HookMissing { .. }
        | LoopEvent::LogAltered { .. }
        | LoopEvent::TestsWeakened { .. }
        | LoopEvent::VerdictVoid { .. } => true,
        _ => false,
    };
    is_alarm.then(|| one_line(&describe(stamped, view, Utc.fix())))?
}

/// The activity that an event shows: its first statement.
pub(crate) fn activity(stamped: &Stamped, view: &RunView) -> Option<String> {
    match &stamped.event {
        // The description names a time in the user's time zone, which is unknown here.
        LoopEvent::Waiting(wait) => Some(wait.text.clone()),
        LoopEvent::AgentText { .. }
        | LoopEvent::ToolStarted { .. }
        | LoopEvent::CheckStarted { .. }
        | LoopEvent::CheckEnded { .. }
        | LoopEvent::ApiRetry { .. }
        | LoopEvent::IterationStarted { .. }
        | LoopEvent::IterationEnded { .. }
        | LoopEvent::AgentEnded { .. }
        | LoopEvent::LanePrepared { .. }
        | LoopEvent::SetupStarted { .. }
        | LoopEvent::JobWaiting { .. }
        | LoopEvent::JobStarted { .. }
        | LoopEvent::StoryAssigned { .. }
        | LoopEvent::StoryQueued { .. }
        | LoopEvent::MergeStarted { .. }
        | LoopEvent::StoryMerged { .. }
        | LoopEvent::QualityStarted { .. }
        | LoopEvent::CompactionStarted { .. }
        | LoopEvent::CompactionEnded { .. } => {
            let statements = describe(stamped, view, Utc.fix());
            statements.iter().map(Statement::words).find(|words| !words.is_empty())
        }
        _ => None,
    }
}
