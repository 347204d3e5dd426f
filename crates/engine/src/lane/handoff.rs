//! Handoffs: an iteration's own account of its work. The runner takes it from the session and saves it in the
//! iteration's folder. A claim of completeness submits the story.
//!
//! No handoff makes a story pass: a submitted story is checked and reviewed like any other.

use bounded_read::read_file;
use events::{HandoffClaim, HandoffSource, LoopEvent};
use memory::{FallbackInput, FileAction, FileTouched, Handoff};
use project::Layout;
use serde_json::Value;
use tasks::{Mode, ReviewFields, ReviewPolicy, ReviewStatus, Sha256Digest, Story};

use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::task_text::TaskText;
use crate::memory::{KeptHandoff, WorkResult, handoffs};
use crate::run_files::{deadline, no_commit};
use crate::session::Session;
use crate::{RunError, own_file};

const FILE: &str = "handoff.json";

/// Most commits whose messages replace a missing handoff.
const MOST_COMMITS: usize = 20;

/// The handoff in the agent's last message.
#[derive(Debug, Default)]
pub(crate) struct SessionHandoff {
    handoff: Option<Handoff>,
    /// The agent's explicit claim, if any.
    claims_completion: Option<bool>,
    problems: Vec<String>,
    last_message: String,
}

/// A handoff in its file.
#[derive(Debug)]
pub(crate) struct SavedHandoff {
    pub(crate) kept: KeptHandoff,
    /// The plan changes that it asks for.
    pub(crate) amendments: Vec<Value>,
}

impl SessionHandoff {
    /// The question to the user.
    pub(crate) fn question(&self) -> Option<&str> {
        self.handoff.as_ref()?.question.as_deref()
    }

    pub(crate) fn from_session(session: &Session) -> Self {
        let structured = session.conclusion.result.as_ref().and_then(|it| it.structured.clone());
        let last_message = session.last_message().to_owned();
        let value = structured.or_else(|| memory::extract_json(&last_message, "task_completed"));
        let Some(value) = value else {
            return Self { last_message, ..Self::default() };
        };
        let (handoff, problems) = memory::read_handoff(&value);
        Self { claims_completion: claims_completion(&value), handoff, problems, last_message }
    }
}

fn claims_completion(value: &Value) -> Option<bool> {
    value.get("task_completed")?.get("fully_complete")?.as_bool()
}

impl Lane<'_> {
    /// Before the judgement: submits a story that is claimed complete, takes back the submission of a partial one.
    pub(crate) fn apply_handoff(
        &mut self,
        iteration: &Iteration,
        session: &Session,
    ) -> Result<SessionHandoff, RunError> {
        if self.options.memory.is_none() {
            return Ok(SessionHandoff::default());
        }
        let given = SessionHandoff::from_session(session);
        if let (Some(handoff), Some(claims_completion)) = (&given.handoff, given.claims_completion)
            && session.conclusion.outcome.is_answer()
            && let Some(text) = self.list_as_claimed(iteration, claims_completion, handoff)
        {
            self.workspace.replace_task_list(&text)?;
        }
        Ok(given)
    }

    /// `None` if the list agrees already or cannot be read. The judgement reports an unreadable list.
    fn list_as_claimed(
        &mut self,
        iteration: &Iteration,
        claims_completion: bool,
        handoff: &Handoff,
    ) -> Option<String> {
        let before = iteration.story()?;
        let found = TaskText::read(self.layout).ok()?;
        let now = found.list.story(&before.id)?;
        let is_moved = now.state() != before.state();
        match (iteration.assignment.mode, claims_completion) {
            (Mode::Review | Mode::Specify, _) => None,
            (_, true) if !is_moved => {
                let text = with_notes(&found.text, now, iteration.review(), handoff)?;
                let fields = submitted(now, iteration.review());
                tasks::with_review_fields(&text, &now.id, &fields).ok()
            }
            (_, false) if is_moved && is_submitted(now, iteration.review()) => {
                self.sink.warn(format!(
                    "{} is submitted in {}, but the handoff says that it is incomplete: not submitted",
                    before.id,
                    self.layout.tasks_name()
                ));
                tasks::with_review_fields(&found.text, &now.id, &ReviewFields::of(before)).ok()
            }
            _ => None,
        }
    }

    /// Called after everything is committed, so that git can supply what the agent left out.
    pub(crate) fn keep_handoff(
        &mut self,
        iteration: &Iteration,
        given: &SessionHandoff,
    ) -> Result<Option<SavedHandoff>, RunError> {
        if self.options.memory.is_none() {
            return Ok(None);
        }
        let path = iteration.folder.join(FILE);
        let kept = match &given.handoff {
            Some(handoff) => Some((handoff.clone(), source(&given.problems))),
            // A runner that was killed may have written it already.
            None => match read_file(&path, handoffs::LARGEST)
                .ok()
                .and_then(|bytes| handoffs::parse(&bytes))
            {
                Some(handoff) => Some((handoff, HandoffSource::Agent)),
                None => {
                    let made = self.fallback_handoff(iteration, &given.last_message)?;
                    made.map(|handoff| (handoff, HandoffSource::Runner))
                }
            },
        };
        let Some((mut handoff, source)) = kept else { return Ok(None) };
        let story = iteration.assignment.story.clone();
        handoff.task_completed.task_id = story.to_string();
        let text = memory::document(&handoff) + "\n";
        let file = self.layout.name_of(&path);
        own_file::write(&path, &text).map_err(RunError::disk(&file))?;
        let kept = KeptHandoff {
            iteration: iteration.assignment.iteration,
            mode: iteration.assignment.mode,
            story: story.clone(),
            file: file.clone(),
            bytes: text.len() as u64,
            digest: Sha256Digest::of(&text),
            result: WorkResult::Kept,
        };
        self.sink.emit(LoopEvent::HandoffSaved {
            iteration: iteration.assignment.iteration,
            story,
            source,
            claim: if handoff.task_completed.fully_complete {
                HandoffClaim::Complete
            } else {
                HandoffClaim::Partial
            },
            text: memory::line(&handoff),
            problems: given.problems.clone(),
            file,
        });
        Ok(Some(SavedHandoff { kept, amendments: handoff.plan_amendments }))
    }

    /// `None` if there is no last message, no commit and no changed file.
    fn fallback_handoff(
        &mut self,
        iteration: &Iteration,
        last_message: &str,
    ) -> Result<Option<Handoff>, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let from = &iteration.checkpoint;
        let commits =
            self.workspace.tree.subjects_between(from, &head, MOST_COMMITS, deadline())?;
        let changes = self.workspace.tree.changes_between(from, &head, deadline())?;
        let files: Vec<FileTouched> = changes
            .into_iter()
            .map(|changed| {
                let action = match changed.sides {
                    [None, _] => FileAction::Created,
                    [_, None] => FileAction::Deleted,
                    _ => FileAction::Modified,
                };
                FileTouched { path: changed.path, action }
            })
            .collect();
        let is_silent = last_message.trim().is_empty() && commits.is_empty() && files.is_empty();
        let story = iteration.assignment.story.as_str();
        Ok((!is_silent).then(|| {
            memory::fallback(&FallbackInput {
                story,
                text: last_message,
                commits: &commits,
                files: &files,
            })
        }))
    }
}

/// The file of the iteration's handoff, relative to the project.
pub(crate) fn file_of(layout: &Layout, iteration: &Iteration) -> String {
    layout.name_of(&iteration.folder.join(FILE))
}

fn source(problems: &[String]) -> HandoffSource {
    if problems.is_empty() { HandoffSource::Agent } else { HandoffSource::Repaired }
}

/// Whether the story is marked as finished.
fn is_submitted(story: &Story, review: ReviewPolicy) -> bool {
    match review {
        ReviewPolicy::Skipped => story.passes,
        ReviewPolicy::Required { .. } => story.review_status == ReviewStatus::NeedsReview,
    }
}

fn submitted(story: &Story, review: ReviewPolicy) -> ReviewFields {
    let mut fields = ReviewFields::of(story);
    match review {
        ReviewPolicy::Skipped => fields.state.passes = true,
        ReviewPolicy::Required { .. } => {
            fields.state.review_status = ReviewStatus::NeedsReview;
            fields.feedback.clear();
        }
    }
    fields
}

/// A passing story needs notes; if they are missing, the handoff's summary is used.
fn with_notes(
    text: &str,
    story: &Story,
    review: ReviewPolicy,
    handoff: &Handoff,
) -> Option<String> {
    let needs_them = review == ReviewPolicy::Skipped && story.notes.trim().is_empty();
    if !needs_them {
        return Some(text.to_owned());
    }
    tasks::with_notes(text, &story.id, handoff.task_completed.summary.trim()).ok()
}
