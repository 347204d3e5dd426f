//! Turns the problems and unknown keys that `tasks` finds into findings with a fix.

use tasks::{
    BrokenInvariant, FieldPath, Inspection, Invariant, Problem, ReviewPolicy, Snapshot,
    check_invariants,
};

use crate::quote::quote;
use crate::{Code, Finding};

pub(crate) fn findings(inspection: &Inspection, reviews: ReviewPolicy) -> Vec<Finding> {
    let mut findings: Vec<Finding> = inspection.problems.iter().map(of_problem).collect();
    if let (Some(list), ReviewPolicy::Required { cap }) = (&inspection.list, reviews) {
        // Compared with itself, as at the start of a run: a lowered cap is no contradiction.
        let before = Snapshot::of(list);
        let broken = check_invariants(list, cap, Some(&before));
        findings.extend(broken.iter().map(|broken| of_invariant(broken, inspection)));
    }
    findings.extend(inspection.unknown_keys.iter().map(|unknown| Finding {
        code: Code::UnknownKey,
        place: unknown.place.clone(),
        field: FieldPath::Whole,
        message: format!("unknown key {} is ignored", unknown.key),
        fix: "Remove it, or leave it if it is your own: it has no effect.".into(),
    }));
    findings
}

fn of_problem(problem: &Problem) -> Finding {
    let whole = |fix| Finding::of_list(Code::Schema, FieldPath::Whole, problem.to_string(), fix);
    match problem {
        Problem::NotUtf8 { .. } => whole("Save the file as UTF-8."),
        Problem::NotJson { .. } => whole("Fix the JSON there; a JSON editor shows the place."),
        Problem::More { .. } => whole("Fix the listed problems and validate again."),
        Problem::NoStories => Finding::of_list(
            Code::NoStories,
            FieldPath::Named("userStories"),
            "the list has no stories",
            "Break the PRD into stories, each small enough for one session.",
        ),
        Problem::Field { place, field, expected, found } => Finding {
            code: Code::Schema,
            place: place.clone(),
            field: *field,
            message: format!("expected {expected}, found {found}"),
            fix: format!("Set it to {expected}."),
        },
        Problem::MisspelledKey { place, key, meant } => Finding {
            code: Code::MisspelledKey,
            place: place.clone(),
            field: FieldPath::Whole,
            message: format!("unknown key {}: did you mean \"{meant}\"?", quote(key)),
            fix: format!("Write it as \"{meant}\"."),
        },
        Problem::UnknownDependency { place, index, id } => Finding {
            code: Code::UnknownDependency,
            place: place.clone(),
            field: FieldPath::Item("dependsOn", *index),
            message: format!("depends on {id}, which does not exist"),
            fix: format!("Correct the id, add the story {id}, or remove it from dependsOn."),
        },
        Problem::DependencyCycle { place, cycle } => Finding {
            code: Code::DependencyCycle,
            place: place.clone(),
            field: FieldPath::Named("dependsOn"),
            message: format!("depends on itself: {cycle}"),
            fix: "Remove one step of the cycle from dependsOn.".into(),
        },
    }
}

fn of_invariant(broken: &BrokenInvariant, inspection: &Inspection) -> Finding {
    let (field, message, fix) = match &broken.invariant {
        Invariant::PassesUnapproved { status } => (
            "passes",
            format!("passes is true and reviewStatus is {status}"),
            "Set passes to false for another review, or reviewStatus to \"approved\" if you accept \
             it.",
        ),
        Invariant::ApprovedWithoutPasses => (
            "reviewStatus",
            "reviewStatus is \"approved\" and passes is false".to_owned(),
            "Set reviewStatus to null to repeat the work, or passes to true if you accept it.",
        ),
        Invariant::FeedbackMissing => (
            "reviewFeedback",
            "reviewStatus is \"changes_requested\" and reviewFeedback is empty".to_owned(),
            "Write the required changes to reviewFeedback, or set reviewStatus to \
             \"needs_review\".",
        ),
        Invariant::CountAboveCap { count, cap } => (
            "reviewCount",
            format!("reviewCount is {count}, above the review cap of {cap} plus one"),
            "Set it to the real number of reviews.",
        ),
    };
    Finding {
        code: Code::ContradictoryProgress,
        place: inspection.place(&broken.story),
        field: FieldPath::Named(field),
        message,
        fix: fix.to_owned(),
    }
}
