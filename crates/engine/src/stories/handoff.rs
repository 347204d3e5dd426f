//! Handoffs: what an iteration says of its own work, taken from its session, kept in its folder, and
//! heeded where it says whether the story is complete.
//!
//! Nothing that a handoff says makes a story pass: at most it is submitted, and then checked and
//! reviewed like any other.

use bounded_read::read_file;
use memory::{Completeness, FallbackInput, FileAction, FileTouched, Handoff, Read};
use serde_json::Value;
use tasks::{Mode, ReviewFields, ReviewPolicy, ReviewStatus, Sha256Digest, Story};
use vcs::Change;

use crate::run_files::deadline;
use crate::session::Session;
use crate::stories::iteration::Iteration;
use crate::stories::memory_state::{Fate, KeptHandoff};
use crate::stories::run::Run;
use crate::stories::settle::no_commit;
use crate::stories::task_text::TaskText;
use crate::{HandoffClaim, HandoffSource, LoopEvent, RunError, own_file};

const FILE: &str = "handoff.json";

/// More than any that was read with care.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// Commits whose messages stand in for an account.
const MOST_COMMITS: usize = 20;

/// What the agent's last answer gave.
#[derive(Debug, Default)]
pub(crate) struct Given {
    handoff: Option<Handoff>,
    /// What it says itself; None if it does not.
    claim: Option<Completeness>,
    problems: Vec<String>,
    last_words: String,
}

impl Given {
    pub(crate) fn by(session: &Session) -> Self {
        let structured = session.conclusion.result.as_ref().and_then(|it| it.structured.clone());
        let last_words = session.last_words().to_owned();
        let value = structured.or_else(|| memory::extract_json(&last_words, "task_completed"));
        let Some(value) = value else {
            return Self { last_words, ..Self::default() };
        };
        let (handoff, problems) = match memory::read_handoff(&value) {
            Read::Whole(handoff) => (Some(handoff), Vec::new()),
            Read::Mended { handoff, problems } => (Some(handoff), problems),
            Read::Unusable(problems) => (None, problems),
        };
        let problems = problems.iter().map(ToString::to_string).collect();
        Self { claim: claim(&value), handoff, problems, last_words }
    }
}

fn claim(value: &Value) -> Option<Completeness> {
    let said = value.get("task_completed")?.get("fully_complete")?.as_bool()?;
    Some(if said { Completeness::Full } else { Completeness::Partial })
}

impl Run<'_> {
    /// Before the judgement: a story that is complete is submitted, one that is not stays.
    pub(crate) fn apply_handoff(
        &mut self,
        iteration: &Iteration,
        session: &Session,
    ) -> Result<(), RunError> {
        if self.options.memory.is_none() {
            return Ok(());
        }
        let given = Given::by(session);
        if let (Some(handoff), Some(claim)) = (&given.handoff, given.claim)
            && session.conclusion.outcome.is_answer()
            && let Some(text) = self.list_as_claimed(iteration, claim, handoff)
        {
            self.replace_task_list(&text)?;
        }
        self.given = Some(given);
        Ok(())
    }

    /// None if the list says the same already, or cannot be read: then the judgement tells.
    fn list_as_claimed(
        &mut self,
        iteration: &Iteration,
        claim: Completeness,
        handoff: &Handoff,
    ) -> Option<String> {
        let before = iteration.story()?;
        let found = TaskText::read(self.layout).ok()?;
        let now = found.list.story(&before.id)?;
        let is_moved = now.state() != before.state();
        match (iteration.assignment.mode, claim) {
            (Mode::Review, _) => None,
            (_, Completeness::Full) if !is_moved => {
                let text = with_notes(&found.text, now, iteration.review(), handoff)?;
                let fields = submitted(now, iteration.review());
                tasks::with_review_fields(&text, &now.id, &fields).ok()
            }
            (_, Completeness::Partial) if is_moved && is_submitted(now, iteration.review()) => {
                self.sink.warn(format!(
                    "{} is submitted in {}, but the handoff says that it is not complete: it goes on",
                    before.id,
                    self.layout.tasks_name()
                ));
                tasks::with_review_fields(&found.text, &now.id, &ReviewFields::of(before)).ok()
            }
            _ => None,
        }
    }

    /// Once everything is committed, so that git can tell what the agent did not.
    pub(crate) fn keep_handoff(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        if self.options.memory.is_none() {
            return Ok(());
        }
        let given = self.given.take().unwrap_or_default();
        let path = iteration.folder.join(FILE);
        let kept = match given.handoff {
            Some(handoff) => Some((handoff, source(&given.problems))),
            // A runner that died after this left it there.
            None => match read_file(&path, LARGEST).ok().and_then(|bytes| parse(&bytes)) {
                Some(handoff) => Some((handoff, HandoffSource::Agent)),
                None => {
                    let made = self.fallback_handoff(iteration, &given.last_words)?;
                    made.map(|handoff| (handoff, HandoffSource::Runner))
                }
            },
        };
        let Some((mut handoff, source)) = kept else { return Ok(()) };
        let story = iteration.assignment.story.clone();
        handoff.task_completed.task_id = story.to_string();
        let text = memory::document(&handoff) + "\n";
        let file = self.layout.name_of(&path);
        own_file::write(&path, &text)
            .map_err(|error| RunError::Disk { path: file.clone(), error })?;
        self.state.memory.keep(KeptHandoff {
            iteration: iteration.assignment.iteration,
            mode: iteration.assignment.mode,
            story: story.clone(),
            file: file.clone(),
            bytes: text.len() as u64,
            digest: Sha256Digest::of(&text),
            fate: Fate::Stands,
        });
        self.sink.emit(LoopEvent::HandoffSaved {
            iteration: iteration.assignment.iteration,
            story,
            source,
            claim: match handoff.completeness() {
                Completeness::Full => HandoffClaim::Complete,
                Completeness::Partial => HandoffClaim::Partial,
            },
            text: memory::line(&handoff),
            problems: given.problems,
            file,
        });
        self.amendments = handoff.plan_amendments;
        Ok(())
    }

    /// None if there is nothing to tell: no words, no work.
    fn fallback_handoff(
        &mut self,
        iteration: &Iteration,
        last_words: &str,
    ) -> Result<Option<Handoff>, RunError> {
        let head = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let from = &iteration.checkpoint;
        let commits = self.tree.subjects_between(from, &head, MOST_COMMITS, deadline())?;
        let changes = self.tree.changes_between(from, &head, deadline())?;
        let files: Vec<FileTouched> = changes
            .into_iter()
            .map(|changed| {
                let action = match changed.change {
                    Change::Added(_) => FileAction::Created,
                    Change::Deleted(_) => FileAction::Deleted,
                    Change::Modified { .. } | Change::Renamed { .. } => FileAction::Modified,
                };
                FileTouched { path: changed.path, action }
            })
            .collect();
        let is_silent = last_words.trim().is_empty() && commits.is_empty() && files.is_empty();
        let story = iteration.assignment.story.as_str();
        Ok((!is_silent).then(|| {
            memory::fallback(&FallbackInput {
                story,
                text: last_words,
                commits: &commits,
                files: &files,
            })
        }))
    }

    /// What became of an iteration that failed belongs to its handoff, whatever that says.
    pub(crate) fn mark_handoff(&mut self, iteration: &Iteration, fate: Fate) {
        let file = self.layout.name_of(&iteration.folder.join(FILE));
        self.state.memory.settle(&file, fate);
    }

    /// As it was kept; None if it is gone, or somebody put another in its place.
    pub(crate) fn kept_handoff(&self, kept: &KeptHandoff) -> Option<Handoff> {
        // The state of a run that was killed could name any file.
        let runs = self.layout.name_of(&self.layout.runs()) + "/";
        let is_ours = kept.file.starts_with(&runs) && !kept.file.contains("..");
        let path = self.layout.root().join(&kept.file);
        let bytes = read_file(&path, LARGEST).ok().filter(|_| is_ours)?;
        (Sha256Digest::of(&bytes) == kept.digest).then(|| parse(&bytes)).flatten()
    }
}

fn parse(bytes: &[u8]) -> Option<Handoff> {
    match memory::read_handoff(&serde_json::from_slice(bytes).ok()?) {
        Read::Whole(handoff) | Read::Mended { handoff, .. } => Some(handoff),
        Read::Unusable(_) => None,
    }
}

fn source(problems: &[String]) -> HandoffSource {
    if problems.is_empty() { HandoffSource::Agent } else { HandoffSource::Repaired }
}

/// Whether the story says that its work is finished.
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

/// A story that passes says what was done.
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
