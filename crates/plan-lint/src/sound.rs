//! What a run refuses or ignores: the problems and the unknown keys that `tasks` finds, with a fix for each.

use tasks::{
    BrokenInvariant, FieldPath, Inspection, Place, Problem, ReviewPolicy, Snapshot,
    check_invariants,
};

use crate::quote::quote;
use crate::{Code, Finding};

pub(crate) fn findings(inspection: &Inspection, reviews: ReviewPolicy) -> Vec<Finding> {
    let mut findings: Vec<Finding> = inspection.problems.iter().map(of_problem).collect();
    if let (Some(list), ReviewPolicy::Required { cap }) = (&inspection.list, reviews) {
        // Against itself, as a run does when it begins: a cap that was lowered is no contradiction.
        let before = Snapshot::of(list);
        let broken = check_invariants(list, cap, Some(&before));
        findings.extend(broken.iter().map(|broken| of_invariant(broken, inspection)));
    }
    findings.extend(inspection.unknown_keys.iter().map(|unknown| Finding {
        code: Code::UnknownKey,
        place: unknown.place.clone(),
        field: FieldPath::Whole,
        message: format!("the key {} has no meaning here and is ignored", unknown.key),
        fix: "Remove it if you expect it to do something; the file keeps it.".into(),
    }));
    findings
}

fn of_problem(problem: &Problem) -> Finding {
    let whole = |message: String, fix: &str| Finding {
        code: Code::Schema,
        place: Place::TopLevel,
        field: FieldPath::Whole,
        message,
        fix: fix.to_owned(),
    };
    match problem {
        Problem::NotUtf8 { .. } => whole(problem.to_string(), "Save the file as UTF-8."),
        Problem::NotJson { .. } => {
            whole(problem.to_string(), "Mend the JSON there; an editor for JSON shows the place.")
        }
        Problem::More { .. } => {
            whole(problem.to_string(), "Mend those that are listed, and validate again.")
        }
        Problem::NoStories => Finding {
            code: Code::NoStories,
            field: FieldPath::Named("userStories"),
            ..whole(
                "there is no story".into(),
                "Break the PRD into stories, each small enough for one session.",
            )
        },
        Problem::Field { place, field, expected, found } => Finding {
            code: Code::Schema,
            place: place.clone(),
            field: field.clone(),
            message: format!("expected {expected}, found {found}"),
            fix: format!("Put there: {expected}."),
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
            message: format!("waits for {id}, and no story has that id"),
            fix: format!("Correct the id, add the story {id}, or take it out of dependsOn."),
        },
        Problem::DependencyCycle { place, cycle } => Finding {
            code: Code::DependencyCycle,
            place: place.clone(),
            field: FieldPath::Named("dependsOn"),
            message: format!("waits for itself: {cycle}"),
            fix: "Take one step of the cycle out of dependsOn: what needs nothing comes first."
                .into(),
        },
    }
}

fn of_invariant(broken: &BrokenInvariant, inspection: &Inspection) -> Finding {
    let (field, message, fix) = match broken {
        BrokenInvariant::PassesUnapproved { status, .. } => (
            "passes",
            format!("passes is true and reviewStatus is {status}"),
            "Set passes to false to have it reviewed, or reviewStatus to \"approved\" if you vouch \
             for it.",
        ),
        BrokenInvariant::ApprovedWithoutPasses { .. } => (
            "reviewStatus",
            "reviewStatus is \"approved\" and passes is false".to_owned(),
            "Set reviewStatus to null to have it done again, or passes to true if you vouch for it.",
        ),
        BrokenInvariant::FeedbackMissing { .. } => (
            "reviewFeedback",
            "changes are requested and reviewFeedback says none".to_owned(),
            "Write into reviewFeedback what is to be changed, or set reviewStatus to \
             \"needs_review\".",
        ),
        BrokenInvariant::CountAboveCap { count, cap, .. } => (
            "reviewCount",
            format!("reviewCount is {count}, above the review cap of {cap} plus one"),
            "Set it to the number of reviews that the story had.",
        ),
    };
    Finding {
        code: Code::ContradictoryProgress,
        place: inspection.place(broken.story()),
        field: FieldPath::Named(field),
        message,
        fix: fix.to_owned(),
    }
}
