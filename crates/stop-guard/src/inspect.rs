//! Runs every check that applies and gathers what they find.

use project::{LARGEST_TASK_LIST, Layout, Marker, Tampering, check_protected};
use tasks::{Inspection, Iteration, ReviewPolicy, Snapshot, Violation};

use crate::finding::Finding;
use crate::work_tree::Questions;

/// All checks of a loop session: findings, and warnings about what could not be checked.
pub(crate) fn everything(
    layout: &Layout,
    marker: &Marker,
    questions: Questions,
) -> (Vec<Finding>, Vec<String>) {
    let questions = questions.ask_about(marker);
    let (inspection, mut findings) = schema(layout);
    let mut warnings = Vec::new();
    if let ReviewPolicy::Required { cap } = marker.review {
        if let Some(inspection) = inspection {
            findings.extend(review_rules(&inspection, marker, cap, &mut warnings));
        }
        let changed = check_protected(layout.root(), &marker.protected_files);
        findings.extend(changed.into_iter().map(Finding::Protected));
    }
    findings.extend(questions.findings(layout, marker, &mut warnings));
    (findings, warnings)
}

/// What can be checked without believing the marker.
pub(crate) fn after_tampering(layout: &Layout, tampering: Tampering) -> Vec<Finding> {
    let mut findings = vec![Finding::Tampered(tampering)];
    // The marker cannot be asked where the list is; the usual place is worth a look.
    if layout.tasks().exists() {
        findings.extend(schema(layout).1);
    }
    findings
}

/// The schema check alone, which needs to trust nothing but the file.
fn schema(layout: &Layout) -> (Option<Inspection>, Vec<Finding>) {
    match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
        Err(error) => (None, vec![Finding::NoTaskList(error)]),
        Ok(bytes) => {
            let mut inspection = tasks::inspect(&bytes);
            let problems = std::mem::take(&mut inspection.problems);
            (Some(inspection), problems.into_iter().map(Finding::Schema).collect())
        }
    }
}

fn review_rules(
    inspection: &Inspection,
    marker: &Marker,
    review_cap: u64,
    warnings: &mut Vec<String>,
) -> Vec<Finding> {
    let Some(list) = &inspection.list else { return Vec::new() };
    let broken = tasks::check_invariants(list, review_cap, marker.snapshot.as_ref());
    let mut findings: Vec<Finding> = broken.into_iter().map(Finding::Invariant).collect();
    match (&marker.snapshot, marker.iteration_mode) {
        (Some(snapshot), Some(mode)) => {
            let iteration = Iteration { mode, selected: marker.story_id.clone(), review_cap };
            let violations = tasks::judge(snapshot, list, &iteration);
            let judged =
                violations.into_iter().filter(|violation| !is_unreadable(violation, inspection));
            findings.extend(judged.map(Finding::Transition));
        }
        (snapshot, _) => warnings.push(format!(
            "the marker has no {}, so only the end state is checked, not how it came about",
            missing(snapshot.as_ref())
        )),
    }
    findings
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
        Violation::StoryRemoved { story } => inspection.unreadable.contains(story),
        _ => false,
    }
}
