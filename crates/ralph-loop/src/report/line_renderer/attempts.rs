//! Lines about failed attempts, escalations, given-up stories, quality checks and weakened tests.

use events::{
    EscalationTier, GiveUpReason, GivenUp, LoopEvent, QualityOutcome, StoryBrief, WeakenedTests,
};
use tasks::StoryId;

use super::verification::some_of;
use super::{LineRenderer, duration};
use crate::report::format::{given_up_reason, names, quality_failure, story_commits, stuck};
use crate::report::{Line, Role, RunView, count};

impl LineRenderer {
    pub(super) fn about_attempts(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match event {
            LoopEvent::AttemptFailed { .. } => self.attempt_failed(event),
            LoopEvent::Escalated { story, tier, text, files } => {
                let what = match tier {
                    EscalationTier::StrategyShift => "strategy shift",
                    EscalationTier::ContextExpansion => "more context",
                };
                let files = match files.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", some_of(files)),
                };
                let text = format!("{what} for {story}: {text}{files}");
                self.note(Role::Accent, marks.shift, &text)
            }
            LoopEvent::StoryGivenUp { story, given_up } => self.given_up(story, given_up, view),
            LoopEvent::TimeWarning { what, soft_seconds, hard_seconds } => {
                let hard = hard_seconds.map(|at| format!("; hard limit {}", duration(at)));
                let soft = duration(*soft_seconds);
                let hard = hard.unwrap_or_default();
                let text = format!("{what} passed its soft limit ({soft}){hard}");
                self.note(Role::Warn, marks.clock, &text)
            }
            LoopEvent::QualityStarted { story } => {
                let text = format!("{} checking the quality of {story}", marks.start);
                vec![Line::indented(2).with(Role::Dim, text)]
            }
            LoopEvent::QualityChecked { story, outcome, warnings, seconds, .. } => {
                self.quality(story, *outcome, warnings, *seconds)
            }
            LoopEvent::TestsWeakened { story, files, .. } => self.tests_weakened(story, files),
            LoopEvent::BranchArchived { branch, tag } => {
                self.note(Role::Accent, marks.back, &format!("archived {branch} as tag {tag}"))
            }
            _ => Vec::new(),
        }
    }

    fn attempt_failed(&self, event: &LoopEvent) -> Vec<Line> {
        let LoopEvent::AttemptFailed {
            story, attempt, of, gate, error, error_hash, repeats, ..
        } = event
        else {
            return Vec::new();
        };
        let again = match repeats {
            0 | 1 => String::new(),
            repeats => format!(", {repeats} times in a row"),
        };
        let text = format!(
            "attempt {attempt} of {of} at {story} failed at {gate}: {error} ({error_hash}{again})"
        );
        self.note(Role::Bad, self.look.marks.failed, &text)
    }

    fn given_up(&self, story: &StoryId, given_up: &GivenUp, view: &RunView) -> Vec<Line> {
        let head = Line::indented(2)
            .with(Role::Bad, self.look.marks.given_up)
            .with(Role::Plain, " ")
            .with(Role::Alarm, "GIVEN UP:")
            .with(
                Role::Bad,
                format!(" {story} after {} of {} attempts", given_up.attempts, given_up.of),
            );
        let branch = view.start.as_ref().map_or("the branch", |start| start.branch.as_str());
        let mut texts = Vec::new();
        texts.extend(stuck(given_up.stuck).map(|how| format!("stuck: {how}")));
        if matches!(given_up.reason, GiveUpReason::ReviewCap | GiveUpReason::Skipped) {
            texts.push(given_up_reason(given_up).to_owned());
        }
        texts.push(work(given_up));
        if given_up.branch.is_some() {
            texts.push(story_commits(&given_up.commits, branch, sanitize::line));
        }
        texts.extend(waiting(given_up));
        let details = texts.iter().flat_map(|text| self.text_block(text, 6, Role::Plain));
        std::iter::once(head).chain(details).collect()
    }

    fn quality(
        &self,
        story: &StoryId,
        outcome: QualityOutcome,
        warnings: &[String],
        seconds: f64,
    ) -> Vec<Line> {
        let marks = self.look.marks;
        let took = duration(seconds);
        let mut lines = match quality_failure(outcome) {
            Some(failure) => {
                let text = format!("the quality check of {story} {failure} ({took})");
                self.note(Role::Warn, marks.warning, &text)
            }
            None if warnings.is_empty() => {
                let text = format!("no quality warnings for {story} ({took})");
                vec![Line::indented(2).with(Role::Dim, text)]
            }
            None => Vec::new(),
        };
        for warning in warnings {
            let text = format!("quality of {story}: {warning}");
            lines.extend(self.note(Role::Warn, marks.warning, &text));
        }
        lines
    }

    fn tests_weakened(&self, story: &StoryId, files: &[WeakenedTests]) -> Vec<Line> {
        let marks = self.look.marks;
        let changed = count(files.len() as u64, "file", "files");
        let head = Line::indented(2)
            .with(Role::Warn, marks.warning)
            .with(Role::Plain, " ")
            .with(Role::Alarm, "TESTS WEAKENED")
            .with(Role::Warn, format!(" in {changed} by {story}"));
        let mut lines = vec![head];
        for file in files {
            let path = format!("{} {}", marks.start, sanitize::line(&file.path));
            lines.extend(self.text_block(&path, 4, Role::Warn));
            for finding in &file.findings {
                lines.extend(self.text_block(&sanitize::line(finding), 8, Role::Plain));
            }
        }
        lines
    }

    /// The failed stories, each in two lines.
    pub(super) fn failed_stories(&self, stories: &[StoryBrief]) -> Vec<Line> {
        let failed = stories.iter().filter(|story| !story.passes);
        let noted = failed.filter_map(failed_story_text).flat_map(|words| {
            let FailedStoryText { head, work } = words;
            let mut lines = self.note(Role::Bad, self.look.marks.given_up, &head);
            lines.extend(self.text_block(&work, 6, Role::Plain));
            lines
        });
        noted.collect()
    }
}

/// A failed story in two lines.
pub(crate) struct FailedStoryText {
    pub(crate) head: String,
    pub(crate) work: String,
}

/// `None` if the story was not given up.
pub(crate) fn failed_story_text(story: &StoryBrief) -> Option<FailedStoryText> {
    let given_up = story.given_up.as_ref()?;
    let (id, gate, error) = (&story.id, given_up.last_gate, &given_up.error);
    let head = match (given_up.reason, given_up.attempts) {
        (GiveUpReason::Skipped, 0) => format!("{id} was {}", given_up_reason(given_up)),
        _ => format!("{id} failed after {}, the last at {gate}: {error}", attempts(given_up)),
    };
    Some(FailedStoryText { head, work: work(given_up) })
}

fn attempts(given_up: &GivenUp) -> String {
    let why = given_up_reason(given_up);
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!("{} of {} attempts{why}", given_up.attempts, given_up.of)
}

fn work(given_up: &GivenUp) -> String {
    match &given_up.branch {
        Some(branch) => format!("its work is on {branch}"),
        None => "no changes to keep".to_owned(),
    }
}

fn waiting(given_up: &GivenUp) -> Option<String> {
    match given_up.dependants.len() {
        0 => None,
        1 => Some(format!("{} waits for it", names(&given_up.dependants))),
        _ => Some(format!("{} wait for it", names(&given_up.dependants))),
    }
}
