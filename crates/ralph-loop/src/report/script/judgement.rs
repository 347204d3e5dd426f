//! The words about what the runner makes of an iteration: what it undid, what the checks say, and
//! which way stories moved.

use engine::{Claim, ClaimBasis, FailAction, GateOutcome, GatesOutcome, LoopEvent, ScmOutcome};
use tasks::ReviewStatus;

use super::{Beginnings, Script, duration};
use crate::report::words::{gate_failure, listed, review_verdict, short_id};
use crate::report::{Line, Role, RunView, Verdict, state_in_words, state_role};

impl Script {
    pub(super) fn about_judgement(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match event {
            LoopEvent::ChangesReverted { findings, corrections, commit } => {
                self.undone(findings, corrections, commit.as_deref())
            }
            LoopEvent::WorkCommitted { paths, commit } => {
                let kept = format!("kept uncommitted work in {}: ", short_id(commit));
                self.note(Role::Accent, marks.back, &format!("{kept}{}", some_of(paths)))
            }
            LoopEvent::CheckStarted { command, number, of } => match self.beginnings {
                Beginnings::Told => {
                    let line = Line::indented(2).with(Role::Dim, marks.start);
                    let line = line.with(Role::Accent, format!(" check {number}/{of}"));
                    vec![self.one_line(line.with(Role::Dim, format!("  {command}")))]
                }
                Beginnings::Silent => Vec::new(),
            },
            LoopEvent::CheckEnded { command, outcome, seconds, fail_action, log, tail } => {
                let gate = view.iteration.as_ref().and_then(|iteration| iteration.gate.as_ref());
                let which = gate.map(|gate| format!(" {}/{}", gate.number, gate.of));
                let head = self.gate(&which.unwrap_or_default(), command, *outcome, *seconds);
                std::iter::once(head)
                    .chain(self.gate_tail(*outcome, *fail_action, tail, log))
                    .collect()
            }
            LoopEvent::ChecksJudged { tree, outcome } => self.gates(tree, *outcome),
            LoopEvent::StoryStatusChanged { story, from, to, reviews, feedback, passes } => {
                let passes = *passes || *to == ReviewStatus::Approved;
                let head = self.moved(story.as_str(), *from, (passes, *to), *reviews, feedback);
                let feedback = self.text_block(&self.excerpt(feedback), 6, Role::Plain);
                std::iter::once(head).chain(feedback).collect()
            }
            LoopEvent::VerdictVoid { story, text, in_a_row, of, .. } => {
                let text = format!(
                    "verdict of {story} void: {text}; the review is repeated ({in_a_row} of {of} in a \
                     row)"
                );
                self.note(Role::Alarm, marks.warning, &text)
            }
            LoopEvent::StoryAdded { story } => {
                let text = format!("new story {} {}", story.id, story.title);
                vec![self.one_line(self.marked(Role::Accent, marks.moved, text))]
            }
            LoopEvent::ScmEnded { task, outcome, text } => self.scm(task, *outcome, text),
            LoopEvent::CompletionClaimed { claim, basis, .. } => {
                let (role, mark) = match claim {
                    Claim::True => (Role::Good, marks.ok),
                    Claim::False => (Role::Warn, marks.warning),
                };
                vec![self.marked(role, mark, claim_in_words(*claim, *basis))]
            }
            _ => Vec::new(),
        }
    }

    fn undone(
        &self,
        findings: &[String],
        corrections: &[String],
        commit: Option<&str>,
    ) -> Vec<Line> {
        let marks = self.look.marks;
        let mut lines = vec![
            Line::indented(2)
                .with(Role::Bad, marks.failed)
                .with(Role::Plain, " ")
                .with(Role::Alarm, "UNDONE:")
                .with(Role::Bad, " the agent did what it may not do"),
        ];
        let mut narrower = self.clone();
        narrower.look.width = self.look.width.map(|width| width.saturating_sub(2));
        let listed = |role, mark: &'static str, texts: &[String]| {
            let notes = texts.iter().flat_map(|text| narrower.note(role, mark, text));
            notes.map(|line| Line::indented(2).append(line)).collect::<Vec<_>>()
        };
        lines.extend(listed(Role::Bad, marks.start, findings));
        lines.extend(listed(Role::Good, marks.back, corrections));
        if let Some(commit) = commit {
            lines.push(Line::indented(4).with(Role::Dim, format!("commit {}", short_id(commit))));
        }
        lines
    }

    fn gate(&self, which: &str, command: &str, outcome: GateOutcome, seconds: f64) -> Line {
        let marks = self.look.marks;
        let failure = gate_failure(outcome);
        let (role, mark) = match failure {
            None => (Role::Good, marks.ok),
            Some(_) => (Role::Bad, marks.failed),
        };
        let line = Line::indented(2).with(role, mark).with(Role::Accent, format!(" check{which}"));
        let line = line.with(Role::Plain, format!("  {command}  "));
        let line = line.with(Role::Dim, duration(seconds));
        match failure {
            Some(failure) => line.with(Role::Bad, format!("  {failure}")),
            None => line,
        }
    }

    fn gate_tail(
        &self,
        outcome: GateOutcome,
        action: FailAction,
        tail: &[String],
        log: &str,
    ) -> Vec<Line> {
        if outcome == GateOutcome::Passed {
            return Vec::new();
        }
        let margin = |text: &str| {
            let line = Line::indented(6).with(Role::Bad, self.look.marks.margin);
            self.one_line(line.with(Role::Plain, " ").with(Role::Plain, text))
        };
        let tail = sanitize::block(&tail.join("\n"));
        let mut lines: Vec<Line> = tail.iter().map(|text| margin(text)).collect();
        lines.push(Line::indented(6).with(Role::Dim, format!("all of it: {log}")));
        let does = match action {
            FailAction::Append => "the next prompt ends with this",
            FailAction::Prepend => "the next prompt begins with this",
            FailAction::Replace => "this is the next prompt",
        };
        lines.push(Line::indented(6).with(Role::Dim, does));
        lines
    }

    /// What each gate said was told already; this is what they leave to say together.
    fn gates(&self, tree: &str, outcome: GatesOutcome) -> Vec<Line> {
        let text = match outcome {
            GatesOutcome::Passed | GatesOutcome::Failed => return Vec::new(),
            GatesOutcome::PassedBefore => {
                let text =
                    format!("the checks passed on this very tree before ({})", short_id(tree));
                return vec![self.marked(Role::Good, self.look.marks.ok, text)];
            }
            GatesOutcome::None => "the project has no checks to run",
        };
        vec![Line::indented(2).with(Role::Dim, text)]
    }

    fn scm(&self, task: &str, outcome: ScmOutcome, text: &str) -> Vec<Line> {
        let marks = self.look.marks;
        let (role, mark, head) = match (outcome, task) {
            (ScmOutcome::Done, "commit") => (Role::Good, marks.ok, "committed".to_owned()),
            (ScmOutcome::Done, "push") => (Role::Good, marks.ok, "pushed".to_owned()),
            (ScmOutcome::Done, task) => (Role::Good, marks.ok, format!("{task} done")),
            (ScmOutcome::NothingToDo, task) => {
                (Role::Dim, marks.start, format!("nothing to {task}"))
            }
            (ScmOutcome::Failed, task) => (Role::Bad, marks.failed, format!("{task} failed")),
        };
        let body = if outcome == ScmOutcome::Failed { Role::Bad } else { Role::Plain };
        let text = match self.excerpt(text) {
            text if text.is_empty() => head,
            // Some tasks say by themselves what was done.
            text if text.starts_with(&head) => text,
            text => format!("{head}: {text}"),
        };
        self.toned_note(role, mark, body, &text)
    }

    fn moved(
        &self,
        story: &str,
        from: ReviewStatus,
        (passes, to): (bool, ReviewStatus),
        reviews: u64,
        feedback: &str,
    ) -> Line {
        let marks = self.look.marks;
        let (role, word) = match Verdict::of(to, feedback) {
            Some(verdict) => review_verdict(verdict),
            None => (state_role(passes, to), state_in_words(passes, to)),
        };
        let line = Line::indented(2)
            .with(role, marks.moved)
            .with(Role::Strong, format!(" {story} "))
            .with(Role::Plain, format!("{} {} ", state_in_words(false, from), marks.arrow))
            .with(role, word);
        if reviews == 0 { line } else { line.with(Role::Dim, format!(", review {reviews}")) }
    }
}

fn claim_in_words(claim: Claim, basis: ClaimBasis) -> &'static str {
    match (claim, basis) {
        (Claim::True, ClaimBasis::TaskList) => {
            "the agent reports completion, and all stories are done"
        }
        (Claim::False, ClaimBasis::TaskList) => {
            "the agent reports completion, but not all stories are done"
        }
        (Claim::True, ClaimBasis::Checks) => "the agent reports completion, and all checks passed",
        (Claim::True, ClaimBasis::Nothing) => "the agent reports completion (no checks configured)",
        (Claim::False, ClaimBasis::Checks | ClaimBasis::Nothing) => {
            "the agent reports completion, but the plan does not agree"
        }
    }
}

pub(super) fn some_of(paths: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut shown: Vec<String> =
        paths.iter().take(SHOWN).map(|path| sanitize::line(path)).collect();
    if let more @ 1.. = paths.len().saturating_sub(SHOWN) {
        shown.push(format!("{more} more"));
    }
    listed(&shown)
}
