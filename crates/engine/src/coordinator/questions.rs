//! Questions of sessions to the user: the story waits for the answer, the others go on.
//!
//! A question is no way around a review or a limit: a session that submitted its story or broke a rule is judged as
//! without a question, failed attempts stay, and each story has a limited number of questions.

use std::collections::BTreeSet;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use events::{AgentOutcome, LoopEvent, OpenQuestion, QuestionEffect};
use project::Layout;
use project::orders::Order;
use serde::Serialize;
use tasks::StoryId;

use crate::RunError;
use crate::control::{AcceptedOrder, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::state::{SavedRun, StoryRunState};
use crate::lane::{Answer, Iteration, Question, StoryRecord};
use crate::state_file::StateError;

/// A question of the last run, with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryQuestion {
    pub story: StoryId,
    /// Counts the questions of the story.
    pub number: u64,
    pub asked_at: DateTime<Utc>,
    pub text: String,
    pub answer: Option<String>,
    /// A session has received the answer, so it cannot be replaced.
    pub is_received: bool,
}

/// The questions of the last run and of those that it continued, by story; without those of given-up stories.
pub fn questions(layout: &Layout) -> Result<Vec<StoryQuestion>, StateError> {
    let Some(saved) = SavedRun::load(layout)? else { return Ok(Vec::new()) };
    let kept = saved.run.stories.iter().filter(|(_, record)| record.given_up.is_none());
    let all = kept.flat_map(|(story, record)| {
        (1..).zip(&record.questions).map(|(number, question)| StoryQuestion {
            story: story.clone(),
            number,
            asked_at: question.asked_at,
            text: question.text.clone(),
            answer: question.answer.as_ref().map(|answer| answer.text.clone()),
            is_received: question.answer.as_ref().is_some_and(|answer| answer.is_received),
        })
    });
    Ok(all.collect())
}

impl StoryRecord {
    /// The question that the story waits with.
    pub(crate) fn open_question(&self) -> Option<OpenQuestion> {
        let last = self.questions.last().filter(|last| last.answer.is_none())?;
        self.given_up.is_none().then(|| OpenQuestion {
            number: self.questions.len() as u64,
            asked_at: last.asked_at,
            text: last.text.clone(),
        })
    }

    /// A session starts with the answers.
    pub(crate) fn receive_answers(&mut self) {
        for answer in self.questions.iter_mut().filter_map(|question| question.answer.as_mut()) {
            answer.is_received = true;
        }
    }

    /// Takes over answers that the user gave since `self` was copied.
    pub(crate) fn update_answers(&mut self, newer: &Self) {
        for (own, newer) in self.questions.iter_mut().zip(&newer.questions) {
            if !own.answer.as_ref().is_some_and(|answer| answer.is_received) {
                own.answer.clone_from(&newer.answer);
            }
        }
    }
}

impl StoryRunState {
    /// Stories that wait for an answer.
    pub(crate) fn asking(&self) -> BTreeSet<StoryId> {
        let own = self.stories.iter().filter(|(_, record)| record.open_question().is_some());
        let parked = self.separate.iter().flat_map(|separate| separate.parked.keys());
        let parked = parked.filter(|story| self.question_about(story).is_some());
        own.map(|(story, _)| story).chain(parked).cloned().collect()
    }

    /// The question that the story waits with, or that a part of it waits with in a lane.
    pub(crate) fn question_about(&self, story: &StoryId) -> Option<OpenQuestion> {
        let own = self.stories.get(story).and_then(StoryRecord::open_question);
        own.or_else(|| {
            let parked = self.separate.as_ref()?.parked.get(story)?;
            let parts = self.stories.iter().filter(|(id, _)| parked.scope.contains(id));
            parts.filter_map(|(_, record)| record.open_question()).next()
        })
    }

    /// Whether no session has received the last answer about the story.
    pub(crate) fn has_new_answer(&self, story: &StoryId) -> bool {
        let last = self.stories.get(story).and_then(|record| record.questions.last());
        last.and_then(|last| last.answer.as_ref()).is_some_and(|answer| !answer.is_received)
    }

    /// Records an answer. An error says why it is not used: among others if the session could have written it before
    /// it asked.
    pub(crate) fn answer(
        &mut self,
        story: &StoryId,
        number: Option<u64>,
        text: &str,
        written_at: SystemTime,
    ) -> Result<LoopEvent, String> {
        let record = self.stories.get_mut(story).filter(|record| !record.questions.is_empty());
        let record = record.ok_or("the story has no question")?;
        if record.given_up.is_some() {
            return Err("it is given up already".into());
        }
        let number = number.unwrap_or(record.questions.len() as u64);
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let question = place.and_then(|place| record.questions.get_mut(place));
        let question = question.ok_or_else(|| format!("the story has no question {number}"))?;
        if question.answer.as_ref().is_some_and(|answer| answer.is_received) {
            return Err("a session has received an answer already".into());
        }
        if written_at < question.asked_at.into() {
            return Err("it was given before the question was asked".into());
        }
        let (text, given_at) = (text.to_owned(), written_at.into());
        question.answer = Some(Answer { text: text.clone(), given_at, is_received: false });
        Ok(LoopEvent::QuestionAnswered { story: story.clone(), number, text })
    }
}

impl Coordinator<'_> {
    pub(crate) fn apply_answer(&mut self, given: AcceptedOrder) {
        let Order::Answer { story, question, text } = &given.order else { return };
        match self.state.answer(story, *question, text, given.written_at) {
            Ok(event) => self.control.sink.emit(event),
            Err(why) => self.control.sink.refuse(given.order, why),
        }
    }

    /// Records the question of a session that left its story as it was. Returns the step that counts, and what
    /// follows from the question.
    pub(crate) fn ask(
        &mut self,
        iteration: &Iteration,
        question: Option<String>,
        (step, outcome): (Step, AgentOutcome),
    ) -> Result<(Step, Option<QuestionEffect>), RunError> {
        let Some(text) = question else { return Ok((step, None)) };
        let (story, of) = (iteration.assignment.story.clone(), self.options.questions.max);
        let (number_of_iteration, session) = (iteration.assignment.iteration, &iteration.session);
        let questions = &mut self.state.story(&story).questions;
        let asked = questions.len() as u64;
        // A killed runner may have recorded it already, and the user may have answered since.
        let recorded = questions.last();
        let recorded = recorded.filter(|recorded| recorded.session == *session);
        let (number, effect) = match (step, outcome.is_answer()) {
            (Step::None, true) if recorded.is_some_and(|it| it.answer.is_some()) => {
                return Ok((Step::Asked, Some(QuestionEffect::Waits)));
            }
            (Step::None, true) if recorded.is_some() => (asked, QuestionEffect::Waits),
            (Step::None, true) if asked < of => {
                let (iteration, asked_at) = (number_of_iteration, events::now());
                let (session, text) = (session.clone(), text.clone());
                questions.push(Question { iteration, session, asked_at, text, answer: None });
                (asked + 1, QuestionEffect::Waits)
            }
            (Step::None, true) => (asked + 1, QuestionEffect::LimitReached),
            _ => (asked + 1, QuestionEffect::NotWaiting),
        };
        let is_waiting = effect == QuestionEffect::Waits;
        if is_waiting {
            // Who reads the event can answer.
            self.save()?;
        }
        let iteration = number_of_iteration;
        let event = LoopEvent::QuestionAsked { story, iteration, number, of, text, effect };
        self.control.sink.emit(event);
        Ok((if is_waiting { Step::Asked } else { step }, Some(effect)))
    }
}
