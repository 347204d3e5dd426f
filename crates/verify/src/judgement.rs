//! Runs every check that applies and collects the findings.

use std::time::Instant;

use project::{LARGEST_TASK_LIST, Layout, Marker, Tampering, check_protected};
use tasks::{
    Inspection, Iteration, Mode, Restore, ReviewPolicy, ReviewVerdict, Snapshot, Violation,
};

use crate::{Finding, GitQuestions, MessageVerdict};

#[derive(Debug, Default)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    /// What could not be checked, and why.
    pub warnings: Vec<String>,
    /// The exact bytes that were judged: the file may change at any time. `None` if it was unreadable, which is a
    /// finding.
    pub task_list: Option<Vec<u8>>,
}

/// All checks of an iteration. `questions` were started before, because git takes longest; an answer that is
/// missing at the deadline is a warning.
pub fn check_iteration(
    layout: &Layout,
    marker: &Marker,
    questions: GitQuestions,
    message: MessageVerdict,
    deadline: Instant,
) -> Judgement {
    let questions = questions.ask_about(marker);
    let mut judgement = Judgement::default();
    let inspection = judgement.check_schema(layout);
    if let ReviewPolicy::Required { cap } = marker.review {
        if let Some(inspection) = inspection {
            judgement.check_review_rules(&inspection, marker, cap);
            judgement.check_verdict(&inspection, marker, message);
        }
        let changed = check_protected(layout.root(), &marker.protected_files);
        judgement.findings.extend(changed.into_iter().map(Finding::Protected));
    }
    let warnings = &mut judgement.warnings;
    judgement.findings.extend(questions.findings(layout, marker, deadline, warnings));
    judgement
}

/// The checks that do not need the marker.
pub fn after_tampering(layout: &Layout, tampering: Tampering) -> Judgement {
    let findings = vec![Finding::Tampered(tampering)];
    let mut judgement = Judgement { findings, ..Judgement::default() };
    // The marker cannot be trusted to name the list, so the default place is checked.
    if layout.tasks().exists() {
        judgement.check_schema(layout);
    }
    judgement
}

impl Judgement {
    /// Only the schema check, which trusts nothing but the file.
    fn check_schema(&mut self, layout: &Layout) -> Option<Inspection> {
        match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
            Err(error) => {
                self.findings.push(Finding::NoTaskList(error));
                None
            }
            Ok(bytes) => {
                let mut inspection = tasks::inspect(&bytes);
                let problems = std::mem::take(&mut inspection.problems);
                self.findings.extend(problems.into_iter().map(Finding::Schema));
                self.task_list = Some(bytes);
                Some(inspection)
            }
        }
    }

    fn check_review_rules(&mut self, inspection: &Inspection, marker: &Marker, review_cap: u64) {
        let Some(list) = &inspection.list else { return };
        let broken = tasks::check_invariants(list, review_cap, marker.snapshot.as_ref());
        self.findings.extend(broken.into_iter().map(Finding::Invariant));
        match (&marker.snapshot, marker.iteration_mode) {
            (Some(snapshot), Some(mode)) => {
                let iteration = Iteration { mode, selected: marker.story_id.clone(), review_cap };
                let violations = tasks::judge(snapshot, list, &iteration);
                let judged = violations
                    .into_iter()
                    .filter(|violation| !is_unreadable(violation, inspection));
                self.findings.extend(judged.map(Finding::Transition));
            }
            (snapshot, _) => self.warnings.push(format!(
                "the marker has no {}, so only the final state is checked, not the changes",
                missing(snapshot.as_ref())
            )),
        }
    }

    /// A review must give a verdict, in the task list and in its own message.
    fn check_verdict(&mut self, inspection: &Inspection, marker: &Marker, message: MessageVerdict) {
        let (Some(list), Some(snapshot)) = (&inspection.list, &marker.snapshot) else { return };
        if marker.iteration_mode != Some(Mode::Review) || message == MessageVerdict::NotAsked {
            return;
        }
        let is_meant = |id| marker.story_id.as_ref().is_none_or(|selected| selected == id);
        let mut stories = list.stories.iter().filter(|story| is_meant(&story.id));
        let of_list = stories
            .find_map(|story| ReviewVerdict::of(*snapshot.stories.get(&story.id)?, story.state()));
        if of_list.is_none() || message.known().is_some_and(|verdict| verdict != of_list) {
            self.findings.push(Finding::NoVerdict { list: of_list, message });
        }
    }
}

fn missing(snapshot: Option<&Snapshot>) -> &'static str {
    match snapshot {
        None => "preIterationSnapshot",
        Some(_) => "iterationMode",
    }
}

/// An unreadable story was not removed; the schema check has reported it.
fn is_unreadable(violation: &Violation, inspection: &Inspection) -> bool {
    matches!(&violation.restore, Restore::Removed(story) if inspection.unreadable.contains(story))
}
