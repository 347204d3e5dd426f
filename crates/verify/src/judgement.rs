//! Runs every check that applies and gathers what they find.

use std::time::Instant;

use project::{LARGEST_TASK_LIST, Layout, Marker, Tampering, check_protected};
use tasks::{Inspection, Iteration, Mode, ReviewPolicy, ReviewVerdict, Snapshot, Violation};

use crate::{Finding, MessageVerdict, Questions};

/// What was found, and on what.
#[derive(Debug, Default)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    /// What could not be checked, and why.
    pub warnings: Vec<String>,
    /// The very bytes that were judged: the file may be written again at any time. `None` if there
    /// were none to read, which is a finding.
    pub task_list: Option<Vec<u8>>,
}

/// All checks of an iteration. `questions` were asked before, because git takes longest; what it
/// has not answered by the deadline is a warning.
pub fn everything(
    layout: &Layout,
    marker: &Marker,
    questions: Questions,
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

/// What can be checked without believing the marker.
pub fn after_tampering(layout: &Layout, tampering: Tampering) -> Judgement {
    let findings = vec![Finding::Tampered(tampering)];
    let mut judgement = Judgement { findings, ..Judgement::default() };
    // The marker cannot be asked where the list is; the usual place is worth a look.
    if layout.tasks().exists() {
        judgement.check_schema(layout);
    }
    judgement
}

impl Judgement {
    /// The schema check alone, which needs to trust nothing but the file.
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
                "the marker has no {}, so only the end state is checked, not how it came about",
                missing(snapshot.as_ref())
            )),
        }
    }

    /// A review has to give a verdict, in the task list and by itself.
    fn check_verdict(&mut self, inspection: &Inspection, marker: &Marker, message: MessageVerdict) {
        let (Some(list), Some(snapshot)) = (&inspection.list, &marker.snapshot) else { return };
        if marker.iteration_mode != Some(Mode::Review) || message == MessageVerdict::NotAsked {
            return;
        }
        let is_meant = |id| marker.story_id.as_ref().is_none_or(|selected| selected == id);
        let mut stories = list.stories.iter().filter(|story| is_meant(&story.id));
        let of_list = stories
            .find_map(|story| ReviewVerdict::of(*snapshot.stories.get(&story.id)?, story.state()));
        if of_list.is_none() || message.known().is_some_and(|said| said != of_list) {
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

/// A story that is too broken to be read was not removed; the schema check has named it.
fn is_unreadable(violation: &Violation, inspection: &Inspection) -> bool {
    match violation {
        Violation::StoryRemoved { story } | Violation::SplitLosesCriteria { story, .. } => {
            inspection.unreadable.contains(story)
        }
        _ => false,
    }
}
