//! `verifyCommands`: whether there are any, and whether they can say no.

mod can_fail;

use tasks::{FieldPath, Place, TaskList};

use crate::once::repeated;
use crate::quote::quote;
use crate::{Code, Finding, OtherChecks, Plan};

const FIELD: &str = "verifyCommands";

pub(crate) fn findings(list: &TaskList, plan: &Plan<'_>) -> Vec<Finding> {
    let commands = &list.verify_commands;
    let about = |code, field, message: String, fix: String| Finding {
        code,
        place: Place::TopLevel,
        field,
        message,
        fix,
    };
    if commands.is_empty() {
        let none = (plan.other_checks == OtherChecks::None).then(|| {
            about(
                Code::NoVerifyCommands,
                FieldPath::Named(FIELD),
                "no command has to pass: nothing but reviews stands in the way of broken work"
                    .into(),
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
                format!("{} {why}, so it passes whatever is broken", quote(command)),
                why.fix().into(),
            ));
        }
    }
    findings.extend(repeated(commands).into_iter().map(|(index, of)| {
        about(
            Code::DuplicateCheck,
            FieldPath::Item(FIELD, index),
            format!("{} stands at {FIELD}[{of}] already", quote(&commands[index])),
            "Take one of the two out: each costs its time after every session.".into(),
        )
    }));
    findings
}

fn proposal(detected: &[String]) -> String {
    if detected.is_empty() {
        return "Name the commands that must pass, such as \"npm test\"; no manifest of this \
                project tells one."
            .into();
    }
    let commands: Vec<String> = detected.iter().map(|command| format!("{command:?}")).collect();
    format!("Put in what the project has: \"{FIELD}\": [{}].", commands.join(", "))
}
