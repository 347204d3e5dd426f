//! Lines about the verification of an iteration: reverted changes, checks and story status.

use events::{CheckOutcome, ChecksOutcome, ClaimBasis, FailAction, LoopEvent, ScmOutcome};
use tasks::ReviewStatus;

use super::{LineRenderer, duration};
use crate::report::format::{check_failure, listed, review_verdict, short_id};
use crate::report::{Line, Role, RunView, Verdict, state_role, state_text};

impl LineRenderer {
    pub(super) fn about_verification(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match event {
            LoopEvent::ChangesReverted { findings, corrections, commit } => {
                self.reverted(findings, corrections, commit.as_deref())
            }
            LoopEvent::WorkCommitted { paths, commit } => {
                let head = format!("committed leftover changes as {}: ", short_id(commit));
                self.note(Role::Accent, marks.back, &format!("{head}{}", some_of(paths)))
            }
            LoopEvent::CheckStarted { command, number, of } => match self.shows_starts() {
                true => {
                    let line = Line::indented(2).with(Role::Dim, marks.start);
                    let line = line.with(Role::Accent, format!(" check {number}/{of}"));
                    vec![self.one_line(line.with(Role::Dim, format!("  {command}")))]
                }
                false => Vec::new(),
            },
            LoopEvent::CheckEnded { command, outcome, seconds, fail_action, log, tail } => {
                let gate = view.iteration().and_then(|iteration| iteration.gate.as_ref());
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
                    "verdict of {story} is void: {text}; repeating the review ({in_a_row} of {of} in a \
                     row)"
                );
                self.note(Role::Alarm, marks.warning, &text)
            }
            LoopEvent::StoryAdded { story } => {
                let text = format!("new story {} {}", story.id, story.title);
                vec![self.one_line(self.marked(Role::Accent, marks.moved, text))]
            }
            LoopEvent::ScmEnded { task, outcome, text } => self.scm(task, *outcome, text),
            LoopEvent::CompletionClaimed { accepted, basis, .. } => {
                let (role, mark) = match accepted {
                    true => (Role::Good, marks.ok),
                    false => (Role::Warn, marks.warning),
                };
                vec![self.marked(role, mark, completion_text(*accepted, *basis))]
            }
            _ => Vec::new(),
        }
    }

    fn reverted(
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
                .with(Role::Alarm, "the agent broke a rule")
                .with(Role::Bad, "; its changes were reverted"),
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

    fn gate(&self, which: &str, command: &str, outcome: CheckOutcome, seconds: f64) -> Line {
        let marks = self.look.marks;
        let failure = check_failure(outcome);
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
        outcome: CheckOutcome,
        action: FailAction,
        tail: &[String],
        log: &str,
    ) -> Vec<Line> {
        if outcome == CheckOutcome::Passed {
            return Vec::new();
        }
        let margin = |text: &str| {
            let line = Line::indented(6).with(Role::Bad, self.look.marks.margin);
            self.one_line(line.with(Role::Plain, " ").with(Role::Plain, text))
        };
        let tail = sanitize::block(&tail.join("\n"));
        let mut lines: Vec<Line> = tail.iter().map(|text| margin(text)).collect();
        lines.push(Line::indented(6).with(Role::Dim, format!("full output: {log}")));
        let does = match action {
            FailAction::Append => "appended to the next prompt",
            FailAction::Prepend => "prepended to the next prompt",
            FailAction::Replace => "replaces the next prompt",
        };
        lines.push(Line::indented(6).with(Role::Dim, does));
        lines
    }

    /// Each check has its own line; this adds the cases without one.
    fn gates(&self, tree: &str, outcome: ChecksOutcome) -> Vec<Line> {
        let text = match outcome {
            ChecksOutcome::Passed | ChecksOutcome::Failed => return Vec::new(),
            ChecksOutcome::PassedBefore => {
                let text = format!("checks already passed on this tree ({})", short_id(tree));
                return vec![self.marked(Role::Good, self.look.marks.ok, text)];
            }
            ChecksOutcome::None => "no checks configured",
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
            // Some texts already begin with the result.
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
            None => (state_role(passes, to), state_text(passes, to)),
        };
        let line = Line::indented(2)
            .with(role, marks.moved)
            .with(Role::Strong, format!(" {story} "))
            .with(Role::Plain, format!("{} {} ", state_text(false, from), marks.arrow))
            .with(role, word);
        if reviews == 0 { line } else { line.with(Role::Dim, format!(", review {reviews}")) }
    }
}

fn completion_text(accepted: bool, basis: ClaimBasis) -> &'static str {
    match (accepted, basis) {
        (true, ClaimBasis::TaskList) => "the agent reports completion, and all stories are done",
        (false, ClaimBasis::TaskList) => {
            "the agent reports completion, but not all stories are done"
        }
        (true, ClaimBasis::Checks) => "the agent reports completion, and all checks passed",
        (true, ClaimBasis::Nothing) => "the agent reports completion (no checks configured)",
        (false, ClaimBasis::Checks | ClaimBasis::Nothing) => {
            "the agent reports completion, but the plan does not confirm it"
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
