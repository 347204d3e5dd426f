//! Further reviewers of a story. After one reviewer approved it and the checks passed, each of them judges it in a session
//! of its own; the story is approved only if all agree.
//!
//! A verdict is bound to the session that the runner started: it is read from that session's final message alone, once. No
//! file counts, so no session can give another one's verdict.

use std::path::Path;

use events::{AgentOutcome, LoopEvent, ReviewerVerdict};
use serde_json::Value;
use tasks::{Mode, ReviewFields, ReviewStatus, ReviewVerdict, StoryState};

use crate::RunError;
use crate::control::{RunControl, Step};
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::prompt::AnswerFormat;
use crate::lane::recorded::TakeBackReason;
use crate::lane::settlement::{PendingCorrection, SettledStep, Settlement};
use crate::lane::side_session::SideSession;
use crate::lane::story_context::StoryContext;
use crate::lane::take_back::{StatusChange, StatusesTakenBack};
use crate::lane::task_text::TaskText;
use crate::lane::verdict::VoidVerdict;
use crate::options::AgentOptions;
use crate::run_files::{self, deadline, no_commit};
use crate::session::{Conclusion, Session};
use crate::workspace::Actor;

const SCHEMA: &str = include_str!("../../../../schemas/verdict.schema.json");

/// Sessions of one reviewer, until one gives a verdict that counts.
const MOST_TRIES: u64 = 2;

const LONGEST_FEEDBACK: usize = 10_000;

/// What the further reviewers came to.
#[derive(Debug)]
enum PanelEnd {
    Agreed,
    Rejected {
        feedback: String,
    },
    /// A reviewer gave no verdict that counts.
    Void {
        why: String,
    },
    /// A reviewer is at its usage limit: the review is repeated later.
    Limited,
    /// The user stopped the run.
    Stopped,
}

/// One verdict of one session.
struct Vote {
    verdict: ReviewVerdict,
    feedback: String,
}

impl Lane<'_> {
    /// An approval counts once all further reviewers agree.
    pub(super) fn with_panel(
        &mut self,
        iteration: &Iteration,
        after: TaskText,
        changes: Vec<StatusChange>,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        let mut sessions = Vec::new();
        let end = match iteration.assignment.mode {
            Mode::Review if !self.options.panel.is_empty() => {
                self.ask_panel(iteration, &after, context, control, &mut sessions)?
            }
            _ => PanelEnd::Agreed,
        };
        let settled = match end {
            PanelEnd::Agreed => {
                self.report_status_changes(&changes);
                Settlement::accepted(Step::Accepted, after)
            }
            PanelEnd::Stopped => Settlement::of(SettledStep::Unfinished),
            PanelEnd::Limited => {
                let reason = TakeBackReason::Verdict;
                let taken_back = StatusesTakenBack::to_before(&after, changes, reason);
                let correction = PendingCorrection::TakeBack(taken_back);
                Settlement { correction, ..Settlement::of(SettledStep::ReviewerLimited) }
            }
            PanelEnd::Rejected { feedback } => {
                let rejected = |old: &ReviewFields| {
                    let review_status = ReviewStatus::ChangesRequested;
                    let state = StoryState { review_status, ..old.state };
                    ReviewFields { state, feedback: feedback.clone() }
                };
                let reason = TakeBackReason::Rejection;
                let taken_back = StatusesTakenBack::new(&after, changes, rejected, reason);
                let correction = PendingCorrection::TakeBack(taken_back);
                Settlement { correction, ..Settlement::of(SettledStep::Step(Step::Accepted)) }
            }
            PanelEnd::Void { why } => {
                let approved = Some(ReviewVerdict::Approved);
                let void = VoidVerdict { list: approved, message: approved, text: why };
                self.void_verdict(iteration, after, void, AgentOutcome::Answered, context)
            }
        };
        Ok(Settlement { reviewers: sessions, ..settled })
    }

    /// `sessions` gets how each session ended. The first rejection ends the review.
    fn ask_panel(
        &mut self,
        iteration: &Iteration,
        after: &TaskText,
        context: &StoryContext,
        control: &mut RunControl<'_>,
        sessions: &mut Vec<Conclusion>,
    ) -> Result<PanelEnd, RunError> {
        let options = self.options;
        let first = options.reviewing_agent();
        self.report_vote(iteration, 1, first, Some(ReviewVerdict::Approved), String::new());
        for (number, reviewer) in (2..).zip(&options.panel) {
            let mut vote = Err(String::new());
            for attempt in 1..=MOST_TRIES {
                if control.switch.requested().is_some()
                    || control.orders.skips(&iteration.assignment.story)
                {
                    return Ok(PanelEnd::Stopped);
                }
                let name = format!("reviewer-{number}-{attempt}");
                let folder = iteration.folder.join(name);
                run_files::make_folder(&folder, self.layout)?;
                let spent = sessions.iter().filter_map(Conclusion::cost_usd).sum::<f64>();
                let context = StoryContext {
                    unavailable_usd: context.unavailable_usd + spent,
                    record: context.record.clone(),
                    ..StoryContext::default()
                };
                let ended =
                    self.ask_reviewer(iteration, after, &context, reviewer, &folder, control)?;
                vote = ended.1;
                let is_limited = ended.0.conclusion.outcome == AgentOutcome::UsageLimit;
                sessions.push(ended.0.conclusion);
                if is_limited {
                    return Ok(PanelEnd::Limited);
                }
                if vote.is_ok() {
                    break;
                }
            }
            // Its session may have ended because of it.
            if control.switch.requested().is_some() && vote.is_err() {
                return Ok(PanelEnd::Stopped);
            }
            match vote {
                Ok(Vote { verdict, feedback }) => {
                    self.report_vote(iteration, number, reviewer, Some(verdict), feedback.clone());
                    if verdict == ReviewVerdict::ChangesRequested {
                        let who = described(reviewer);
                        return Ok(PanelEnd::Rejected { feedback: format!("[{who}] {feedback}") });
                    }
                }
                Err(why) => {
                    self.report_vote(iteration, number, reviewer, None, why.clone());
                    let why = format!("{} gave no verdict that counts: {why}", described(reviewer));
                    return Ok(PanelEnd::Void { why });
                }
            }
        }
        Ok(PanelEnd::Agreed)
    }

    fn ask_reviewer(
        &mut self,
        iteration: &Iteration,
        after: &TaskText,
        context: &StoryContext,
        reviewer: &AgentOptions,
        folder: &Path,
        control: &mut RunControl<'_>,
    ) -> Result<(Session, Result<Vote, String>), RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let story = Some(iteration.assignment.story.clone());
        let before = self.workspace.snapshot(Actor::Reviewer, story, head, &after.text);
        let answer = AnswerFormat::of(reviewer);
        let prompt =
            self.panel_prompt(&iteration.assignment, &iteration.before.list, context, answer)?;
        let side = SideSession {
            agent: reviewer,
            prompt: prompt.text,
            prompt_file: folder.join("prompt.md"),
            recording: folder.join("stream.jsonl"),
            iteration: iteration.assignment.iteration,
            servers: self.layout.mcp_coding(),
            answer_schema: match answer {
                AnswerFormat::Schema => Some(SCHEMA),
                AnswerFormat::Block => None,
            },
            allowance: self.allowance(Mode::Review),
        };
        let session = self.run_side_session(side, context.unavailable_usd, control)?;
        let changed = self.workspace.restore_unexpected_changes(&before, folder)?;
        for change in &changed {
            self.sink.warn(format!("{change}; restored"));
        }
        let vote = match changed.is_empty() {
            true => vote(&session),
            false => Err(changed.join("; ")),
        };
        Ok((session, vote))
    }

    fn report_vote(
        &self,
        iteration: &Iteration,
        number: u64,
        reviewer: &AgentOptions,
        verdict: Option<ReviewVerdict>,
        text: String,
    ) {
        self.sink.emit(LoopEvent::ReviewerVerdict(ReviewerVerdict {
            iteration: iteration.assignment.iteration,
            story: iteration.assignment.story.clone(),
            number,
            of: self.options.panel.len() as u64 + 1,
            reviewer: described(reviewer),
            verdict,
            text,
        }));
    }
}

/// `codex, gpt-5`
fn described(reviewer: &AgentOptions) -> String {
    match &reviewer.model {
        Some(model) => format!("{}, {model}", reviewer.name()),
        None => reviewer.name(),
    }
}

/// The verdict at the end of the final message; the error says why there is none.
fn vote(session: &Session) -> Result<Vote, String> {
    let conclusion = &session.conclusion;
    if !matches!(conclusion.outcome, AgentOutcome::Answered) {
        let detail = sanitize::line(&conclusion.detail);
        return Err(if detail.is_empty() {
            "its session did not end normally".into()
        } else {
            detail
        });
    }
    let structured = conclusion.result.as_ref().and_then(|result| result.structured.clone());
    let answer = structured.or_else(|| memory::closing_json(session.last_message(), "verdict"));
    let word = answer.as_ref().and_then(|answer| answer.get("verdict")?.as_str());
    let verdict = word.and_then(ReviewVerdict::from_word);
    let verdict = verdict.ok_or("its final message does not end with a verdict")?;
    let feedback =
        answer.as_ref().and_then(|answer| answer.get("feedback").and_then(Value::as_str));
    let feedback = sanitize::block(feedback.unwrap_or_default()).join("\n");
    let feedback: String = feedback.trim().chars().take(LONGEST_FEEDBACK).collect();
    match verdict {
        // The next session would not know what to change.
        ReviewVerdict::ChangesRequested if feedback.is_empty() => {
            Err("it requests changes without saying which".into())
        }
        verdict => Ok(Vote { verdict, feedback }),
    }
}
