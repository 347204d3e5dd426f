//! Finds the spans of a run in its events: run, stories, iterations, sessions. A span is complete when its part of the
//! run has ended. A resumed run that ends again has the same spans for its run and its open stories, with a later end.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use events::{
    AgentEnded, GiveUpReason, IterationEnded, IterationRecord, IterationStatus, LoopEvent,
    LoopKind, RunEnd, RunEnded, RunView, Stamped, StoryBrief, Traceparent,
};
use tasks::StoryId;

use crate::otlp::{Attributes, word};
use crate::session::{OpenSession, about};
use crate::span::Span;

#[derive(Debug)]
pub(crate) struct Tracer {
    pub(crate) view: RunView,
    run: Traceparent,
    /// The span of what started the run.
    outer: Option<Traceparent>,
    /// The running session of each lane.
    sessions: BTreeMap<Option<u64>, OpenSession>,
    /// Stories whose span is complete.
    ended: BTreeSet<StoryId>,
}

impl Tracer {
    pub(crate) fn new(run: &str, outer: Option<Traceparent>) -> Self {
        let run = Traceparent::of_run(run, outer.as_ref());
        let (view, sessions, ended) = Default::default();
        Self { view, run, outer, sessions, ended }
    }

    pub(crate) fn session_in(&self, lane: Option<u64>) -> Option<&OpenSession> {
        self.sessions.get(&lane)
    }

    /// The spans that the event completes.
    pub(crate) fn apply(&mut self, stamped: &Stamped) -> Vec<Span> {
        let Stamped { at, lane, event, .. } = stamped;
        let mut spans = Vec::new();
        match event {
            LoopEvent::AgentCalled { agent, traceparent: Some(id), .. } => {
                spans.extend(self.begin_session(*at, *lane, agent, id));
            }
            LoopEvent::IterationStarted(started) => {
                // An earlier process of the run may have given it up.
                self.ended.retain(|story| started.story.as_ref() != Some(story));
            }
            LoopEvent::AgentEnded(ended) => spans.extend(self.end_session(*at, *lane, Some(ended))),
            event => {
                self.sessions.get_mut(lane).into_iter().for_each(|open| open.apply(event));
            }
        }
        self.view.apply(stamped);
        match event {
            LoopEvent::IterationEnded(ended) => {
                spans.extend(self.end_session(*at, *lane, None));
                spans.extend(self.iteration(*at, *lane, ended));
                spans.extend(ended.story.as_ref().and_then(|story| self.end_story(*at, story)));
            }
            LoopEvent::StoryMerged { story, .. } | LoopEvent::StoryGivenUp { story, .. } => {
                spans.extend(self.end_story(*at, story));
            }
            LoopEvent::RunEnded(ended) => {
                let open: Vec<_> = self.sessions.keys().copied().collect();
                spans.extend(open.into_iter().filter_map(|lane| self.end_session(*at, lane, None)));
                spans.extend(self.other_stories(*at));
                spans.push(self.run_span(*at, ended));
            }
            _ => {}
        }
        spans
    }

    /// A session whose runner was killed may continue on another machine. Otherwise its span ends here.
    fn begin_session(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        agent: &str,
        id: &Traceparent,
    ) -> Option<Span> {
        if self.session_in(lane).is_some_and(|open| open.id == *id) {
            return None;
        }
        let before = self.end_session(at, lane, None);
        let iteration = self.view.iteration_in(lane);
        let parent = match (iteration, &self.view.quality_of) {
            (Some(iteration), _) => self.run.iteration(&iteration.session),
            (None, Some(story)) => self.run.story(story),
            (None, None) => self.run.clone(),
        };
        let own = iteration.filter(|one| self.run.session(&one.session) == *id);
        let mode = match own {
            Some(iteration) => iteration.mode.to_string(),
            None if self.view.quality_of.is_some() => "quality".to_owned(),
            None if self.view.compaction().is_some() => "compaction".to_owned(),
            None => "commit-message".to_owned(),
        };
        let session = OpenSession::new(id.clone(), parent, agent, mode, at);
        let session = match own {
            Some(iteration) => session.of_iteration(iteration),
            None => session,
        };
        self.sessions.insert(lane, session);
        before
    }

    fn end_session(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        ended: Option<&AgentEnded>,
    ) -> Option<Span> {
        Some(self.sessions.remove(&lane)?.span(at, ended))
    }

    fn iteration(
        &self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        ended: &IterationEnded,
    ) -> Option<Span> {
        let record = self.view.last_iteration_in(lane)?;
        let parent = record.story.as_ref().map(|story| self.run.story(story));
        Some(Span {
            id: self.run.iteration(&record.session),
            parent: Some(parent.unwrap_or_else(|| self.run.clone())),
            name: "ralph.iteration".to_owned(),
            is_call: false,
            time: (record.started_at, at),
            attributes: about(record)
                .text("ralph.mode", ended.mode)
                .text("ralph.status", word(&ended.status))
                .float("ralph.cost", cost(record)),
            error: error_of(ended.status),
        })
    }

    /// `None` if the story is not over, or its span is complete already.
    fn end_story(&mut self, at: DateTime<Utc>, id: &StoryId) -> Option<Span> {
        let result = self.result(self.view.story(id)?)?;
        let span = self.story(at, id, &result)?;
        self.ended.insert(id.clone()).then_some(span)
    }

    /// `None` if it is not over.
    fn result(&self, story: &StoryBrief) -> Option<String> {
        match &story.given_up {
            Some(given_up) => Some(word(&given_up.reason)),
            None => self.view.is_done(story).then(|| DONE.to_owned()),
        }
    }

    /// The others, at the end of the run.
    fn other_stories(&self, at: DateTime<Utc>) -> Vec<Span> {
        let others = self.view.stories.iter().filter(|story| !self.ended.contains(&story.id));
        let span = |story: &StoryBrief| {
            let result = self.result(story).unwrap_or_else(|| "unfinished".to_owned());
            self.story(at, &story.id, &result)
        };
        others.filter_map(span).collect()
    }

    /// `None` for a story without iterations.
    fn story(&self, at: DateTime<Utc>, id: &StoryId, result: &str) -> Option<Span> {
        let story = self.view.story(id)?;
        let own = self.view.records.iter().filter(|record| record.story.as_ref() == Some(id));
        let started = own.clone().map(|record| record.started_at).min()?;
        let given_up = story.given_up.as_ref().map(|given_up| given_up.reason);
        let is_failed = given_up.is_some_and(|reason| reason != GiveUpReason::Skipped);
        Some(Span {
            id: self.run.story(id),
            parent: Some(self.run.clone()),
            name: "ralph.story".to_owned(),
            is_call: false,
            time: (started, at),
            attributes: Attributes::default()
                .text("ralph.story", id)
                .text("ralph.result", result)
                .int("ralph.iterations", Some(own.count() as u64))
                .int("ralph.reviews", Some(story.review_count))
                .int("ralph.failed_attempts", Some(story.failed_attempts))
                .float("ralph.cost", Some(story.cost_usd)),
            error: is_failed.then(|| result.to_owned()),
        })
    }

    fn run_span(&self, at: DateTime<Utc>, ended: &RunEnded) -> Span {
        let view = &self.view;
        let kind = view.start.as_ref().map(|start| start.options.kind);
        let of_stories = kind == Some(LoopKind::Stories);
        let end = word(&ended.end);
        let is_failed = ended.end.exit_code() != 0 && !is_stopped(ended.end);
        Span {
            id: self.run.clone(),
            parent: self.outer.clone(),
            name: "ralph.run".to_owned(),
            is_call: false,
            time: (view.started.unwrap_or(at), at),
            attributes: Attributes::default()
                .text("ralph.run", &view.id)
                .maybe("ralph.loop", kind.map(|kind| word(&kind)))
                .text("ralph.end", &end)
                .int("ralph.iterations", Some(ended.iterations))
                .int("ralph.stories", of_stories.then_some(view.stories.len() as u64))
                .int("ralph.stories_done", of_stories.then_some(view.done))
                .float("ralph.cost", view.cost()),
            error: is_failed.then_some(end),
        }
    }
}

/// The result of a story.
pub(crate) const DONE: &str = "done";

fn cost(record: &IterationRecord) -> Option<f64> {
    record.end.as_ref().and_then(|_| record.cost())
}

/// By the user, which is no failure.
fn is_stopped(end: RunEnd) -> bool {
    matches!(end, RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp)
}

/// `None` if it did not fail.
fn error_of(status: IterationStatus) -> Option<String> {
    let is_good = matches!(
        status,
        IterationStatus::Accepted
            | IterationStatus::NoProgress
            | IterationStatus::Asked
            | IterationStatus::Stopped
    );
    (!is_good).then(|| word(&status))
}
