//! Checks `verifyCommands`: whether any exist, and whether they can fail.

mod can_fail;

use tasks::{FieldPath, TaskList};

use crate::duplicates::repeated;
use crate::quote::quote;
use crate::{Code, Finding, Plan};

const FIELD: &str = "verifyCommands";

pub(crate) fn findings(list: &TaskList, plan: &Plan<'_>) -> Vec<Finding> {
    let checks = &list.verify_commands;
    let commands: Vec<String> = checks.iter().map(|check| check.run.clone()).collect();
    if commands.is_empty() {
        let message = "no commands are set, so only reviews detect broken work";
        let (field, fix) = (FieldPath::Named(FIELD), proposal(plan.detected_checks));
        let none = || Finding::of_list(Code::NoVerifyCommands, field, message, fix);
        return (!plan.has_other_checks).then(none).into_iter().collect();
    }
    let mut findings = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        if let Err(why) = can_fail::judge(command) {
            let message = format!("{} {why}, so it always passes", quote(command));
            let field = FieldPath::Item(FIELD, index);
            findings.push(Finding::of_list(Code::CheckThatCannotFail, field, message, why.fix()));
        }
    }
    findings.extend(repeated(&commands).into_iter().map(|(index, of)| {
        Finding::of_list(
            Code::DuplicateCheck,
            FieldPath::Item(FIELD, index),
            format!("{} is already at {FIELD}[{of}]", quote(&commands[index])),
            "Remove one of them; each runs after every session.",
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
