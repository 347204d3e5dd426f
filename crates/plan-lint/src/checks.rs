//! Checks `verifyCommands`: whether any exist, and whether they can fail.

mod can_fail;

use tasks::{FieldPath, ProblemPlace, TaskList};

use crate::duplicates::repeated;
use crate::quote::quote;
use crate::{Code, Finding, Plan};

const FIELD: &str = "verifyCommands";

pub(crate) fn findings(list: &TaskList, plan: &Plan<'_>) -> Vec<Finding> {
    let commands = &list.verify_commands;
    let about = |code, field, message: String, fix: String| Finding {
        code,
        place: ProblemPlace::TopLevel,
        field,
        message,
        fix,
    };
    if commands.is_empty() {
        let none = (!plan.has_other_checks).then(|| {
            about(
                Code::NoVerifyCommands,
                FieldPath::Named(FIELD),
                "no commands are set, so only reviews detect broken work".into(),
                proposal(plan.detected_checks),
            )
        });
        return none.into_iter().collect();
    }
    let mut findings = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        if let Err(why) = can_fail::judge(command) {
            findings.push(about(
                Code::CheckThatCannotFail,
                FieldPath::Item(FIELD, index),
                format!("{} {why}, so it always passes", quote(command)),
                why.fix().into(),
            ));
        }
    }
    findings.extend(repeated(commands).into_iter().map(|(index, of)| {
        about(
            Code::DuplicateCheck,
            FieldPath::Item(FIELD, index),
            format!("{} is already at {FIELD}[{of}]", quote(&commands[index])),
            "Remove one of them; each runs after every session.".into(),
        )
    }));
    findings
}

fn proposal(detected: &[String]) -> String {
    if detected.is_empty() {
        return "Name the commands that must pass, such as \"npm test\"; none was found in the manifests of the project."
            .into();
    }
    let commands: Vec<String> = detected.iter().map(|command| format!("{command:?}")).collect();
    format!("Use the commands found in the project: \"{FIELD}\": [{}].", commands.join(", "))
}
