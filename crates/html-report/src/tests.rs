//! Pages of sample runs.

mod consistent;
mod hostile;
mod lanes;
mod proofs;
mod questions;
mod size;
mod statistics;
mod text;
mod well_formed;

use chrono::{DateTime, FixedOffset, Utc};
use events::samples::{
    RUN, a_long_run, a_prompt_loop, a_proof, a_run, a_run_with_a_proof, a_run_with_failures,
    a_run_with_lanes, a_run_with_lanes_to_its_end, a_run_with_memory, final_reviewed, id, log,
    question_and_answer, reviewer_verdict, stamped,
};
use events::{
    FinalReviewOutcome, LoopEvent, LoopKind, ReviewerVerdict, RunState, RunView, Stamped, run_logs,
};
use roxmltree::{Document, ParsingOptions};
use tasks::ReviewVerdict;

use super::*;

fn now() -> DateTime<Utc> {
    "2026-11-15T05:00:00Z".parse().unwrap()
}

/// The owned input of a page.
struct Sample {
    view: RunView,
    state: RunState,
    diffs: Diffs,
    next_steps: Vec<NextStep>,
    answers: Answers,
    unread_lines: u64,
    log: LogCheck,
}

impl Sample {
    /// A running run, unless its events have an end.
    fn of(events: &[Stamped]) -> Self {
        let view = RunView::of(events);
        let state = if view.end.is_some() { RunState::Ended } else { RunState::Running };
        let step = NextStep { text: "Continue.".into(), commands: vec!["ralph-loop".into()] };
        let log = run_logs::chain(log(events).as_bytes(), None).unwrap().0.check();
        let (diffs, next_steps) = (Diffs::default(), vec![step]);
        let answers = Answers::default();
        Self { view, state, diffs, next_steps, answers, unread_lines: 0, log }
    }

    fn input(&self) -> PageInput<'_> {
        PageInput {
            run: RUN,
            view: &self.view,
            state: self.state,
            diffs: &self.diffs,
            next_steps: &self.next_steps,
            answers: &self.answers,
            now: now(),
            offset: FixedOffset::east_opt(3600).unwrap(),
            unread_lines: self.unread_lines,
            log: &self.log,
        }
    }

    fn page(&self) -> String {
        report(&self.input())
    }

    fn section(&self, id: &str) -> String {
        sections(&self.input()).into_iter().find(|section| section.id == id).unwrap().html
    }
}

/// A run with a final review of each kind, and with reviewers of US-004.
fn with_further_reviews() -> Vec<Stamped> {
    use FinalReviewOutcome::{Clean, Reported, Stories, Void};
    let mut events = a_run();
    for (outcome, number) in [(Void, 1), (Stories, 1), (Reported, 2), (Clean, 3)] {
        let LoopEvent::FinalReviewed(mut review) = final_reviewed(outcome) else { continue };
        review.round = number;
        match outcome {
            Void => (review.text, review.findings) = ("it made <commits>".into(), Vec::new()),
            Clean => review.findings.clear(),
            Stories | Reported => {}
        }
        events.push(stamped(900, LoopEvent::FinalReviewed(review)));
    }
    let LoopEvent::ReviewerVerdict(second) = reviewer_verdict() else { return events };
    let approved = Some(ReviewVerdict::Approved);
    let first = ReviewerVerdict {
        number: 1,
        reviewer: "claude".into(),
        verdict: approved,
        text: String::new(),
        ..second.clone()
    };
    let none = ReviewerVerdict { iteration: 10, verdict: None, ..second.clone() };
    let given = [first, second, none].map(LoopEvent::ReviewerVerdict);
    events.extend(given.map(|given| stamped(950, given)));
    events
}

/// A run with a proof of US-002, whose changes are shown.
fn proven(diff: &str) -> Sample {
    Sample { diffs: a_diff(diff), ..Sample::of(&a_run_with_a_proof(&a_proof())) }
}

/// A run with a question about US-003.
fn asking() -> Sample {
    let mut events = a_long_run(3);
    events.splice(..1, a_run().into_iter().take(1));
    let [asked, _] = question_and_answer();
    events.push(stamped(300, asked));
    Sample::of(&events)
}

fn a_diff(text: &str) -> Diffs {
    let lines = vec![
        DiffLine::HunkHeader("@@ -1,2 +1,2 @@ fn cart()".into()),
        DiffLine::Same(format!("    {text}")),
        DiffLine::Removed(text.into()),
        DiffLine::Added(text.into()),
    ];
    let file = |path: &str, text| FileDiff { path: path.into(), was: Some(path.into()), text };
    let changed = FileText::Lines { added: 1, removed: 1, shown: lines, left_out: 7 };
    let range = IterationRange {
        iterations: vec![3, 4],
        files: vec![file(text, changed), file("logo.png", FileText::Binary)],
        command: "git diff a b".into(),
    };
    let notes = vec![text.to_owned()];
    let diff = StoryDiff { story: Some(id("US-002")), ranges: vec![range], notes: notes.clone() };
    Diffs { stories: vec![diff], notes }
}

/// Named runs of every kind.
fn samples() -> Vec<(&'static str, Sample)> {
    let died = Sample { state: RunState::Died, ..Sample::of(&a_long_run(5)) };
    let with_diffs =
        Sample { diffs: a_diff("let tax = 1;"), unread_lines: 3, ..Sample::of(&a_run()) };
    vec![
        ("run", with_diffs),
        ("failures", Sample::of(&a_run_with_failures())),
        ("memory", Sample::of(&a_run_with_memory())),
        ("prompt", Sample::of(&a_prompt_loop(LoopKind::Prompt, "main", 0.4))),
        ("build", Sample::of(&a_prompt_loop(LoopKind::Build, "", 0.0))),
        ("running", Sample::of(&a_long_run(40))),
        ("lanes", Sample::of(&a_run_with_lanes())),
        ("merged", Sample::of(&a_run_with_lanes_to_its_end())),
        ("died", died),
        ("asking", asking()),
        ("reviewed", Sample::of(&with_further_reviews())),
        ("proven", proven("let tax = 1;")),
        ("begun", Sample::of(&a_run()[..1])),
        ("silent", Sample { state: RunState::Died, ..Sample::of(&[]) }),
    ]
}

fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| {
        let at = error.pos().col as usize;
        let line = page.lines().nth(error.pos().row as usize - 1).unwrap_or_default();
        let near: String = line.chars().skip(at.saturating_sub(80)).take(160).collect();
        unreachable!("{error} near {near}")
    })
}

/// The text of a page, without its style.
fn words(page: &str) -> String {
    let page = format!("<all>{}</all>", page.trim_start_matches("<!DOCTYPE html>"));
    let document = parsed(&page);
    let texts = document.descendants().filter(|node| {
        node.is_text() && node.parent().is_none_or(|parent| !parent.has_tag_name("style"))
    });
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join("|")
}
