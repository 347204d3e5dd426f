//! The command guard without a loop, before everyday commands, and before the worst commands.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::commands;
use crate::hook_answer::HookAnswer;
use crate::launch::Invocation;
use crate::measure::{Entrant, Scenario};
use crate::toolbox::{COMMAND_GUARD, Toolbox, check_answer};

const BUDGET_WITHOUT_LOOP: f64 = 1.5;
const BUDGET_EVERYDAY: f64 = 1.6;
const BUDGET_SCRIPT: f64 = 4.0;
const BUDGET_LARGE: f64 = 15.0;
const SCRIPT_BYTES: usize = 4_000;

struct Case {
    name: &'static str,
    in_loop: bool,
    command: String,
    expected: HookAnswer,
    budget: Option<f64>,
}

/// One table for everyday commands, one for attacks.
pub(crate) fn scenarios(toolbox: &Toolbox, rounds: usize) -> Result<[Scenario; 2], Box<dyn Error>> {
    let project = toolbox.folder.join("commands");
    fs::create_dir(&project)?;
    let scenario = |title: &str, sizes: String, cases: &[Case]| {
        let entrants = entrants(toolbox, &project, cases)?;
        Ok::<_, Box<dyn Error>>(Scenario { title: title.into(), sizes, rounds, entrants })
    };
    Ok([
        scenario(
            "command-guard, everyday commands",
            format!(
                "`cd … && cargo test 2>&1 | tail -40`, outside a loop and in one; in a loop also a \
                 shell script of {} KB that is written to a file and run. All of them pass.",
                SCRIPT_BYTES / 1000
            ),
            &everyday(&project),
        )?,
        scenario(
            "command-guard, large and hostile commands",
            "All in a loop. What is read has bounds, and what goes beyond them is refused.".into(),
            &extreme(),
        )?,
    ])
}

fn everyday(project: &Path) -> [Case; 3] {
    let tests = format!("cd {} && cargo test 2>&1 | tail -40", project.display());
    let case = |name, in_loop, command, budget| Case {
        name,
        in_loop,
        command,
        expected: HookAnswer::Silence,
        budget,
    };
    let script = commands::script_that_is_run(SCRIPT_BYTES);
    [
        case("outside a loop", false, tests.clone(), Some(BUDGET_WITHOUT_LOOP)),
        case("in a loop", true, tests, Some(BUDGET_EVERYDAY)),
        case("in a loop, the script", true, script, Some(BUDGET_SCRIPT)),
    ]
}

fn extreme() -> [Case; 6] {
    let case = |name, command, expected| Case {
        name,
        in_loop: true,
        command,
        expected,
        budget: Some(BUDGET_LARGE),
    };
    [
        case("a note of 100 KB", commands::note(100_000), HookAnswer::Silence),
        case(
            "a script of 100 KB, refused",
            commands::script_that_is_run(100_000),
            HookAnswer::Deny,
        ),
        case("1 MB, refused by its size", commands::note(1_000_000), HookAnswer::Deny),
        case("`echo {1..1000000000}`, refused", commands::huge_range(), HookAnswer::Deny),
        case("64 `eval` in each other, refused", commands::nested_evals(64), HookAnswer::Deny),
        case("loops in loops, allowed", commands::nested_loops(), HookAnswer::Silence),
    ]
}

/// An empty process, and the guard once for each case. Each answer must be as expected.
fn entrants(
    toolbox: &Toolbox,
    project: &Path,
    cases: &[Case],
) -> Result<Vec<Entrant>, Box<dyn Error>> {
    let empty = toolbox.invocation(toolbox.binary("empty-process"), project);
    let mut entrants =
        vec![Entrant { name: "empty process".into(), budget: None, invocation: Ok(empty) }];
    for case in cases {
        let invocation = invocation(toolbox, project, case)?;
        check_answer(COMMAND_GUARD, case.name, case.expected, &invocation)?;
        entrants.push(Entrant {
            name: case.name.into(),
            budget: case.budget,
            invocation: Ok(invocation),
        });
    }
    Ok(entrants)
}

/// As Claude Code calls it, in the environment of the runner.
fn invocation(
    toolbox: &Toolbox,
    project: &Path,
    case: &Case,
) -> Result<Invocation, Box<dyn Error>> {
    let mut invocation = toolbox.invocation(toolbox.binary(COMMAND_GUARD), project);
    invocation.stdin = toolbox.folder.join(format!("{}.json", case.name.replace('/', "-")));
    let input = json!({
        "session_id": "0f8ff3a5-0d0b-4f4e-8f0e-6f5d7d1f5d52",
        "transcript_path": toolbox.folder.join("commands.jsonl"),
        "cwd": project,
        "hook_event_name": "PreToolUse",
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": case.command, "description": "Do the next step"},
        "tool_use_id": "toolu_1",
    });
    fs::write(&invocation.stdin, input.to_string())?;
    let project = || project.to_owned().into_os_string();
    invocation.env.push(("CLAUDE_PROJECT_DIR".to_owned(), project()));
    if case.in_loop {
        let rules = json!({
            "allow": ["sudo apt-get install *"],
            "deny": ["terraform apply*", "git push*"],
            "writable": ["/opt/cache"],
            "scope": "everything",
            "ralphDir": "ralph",
            "own": ["/opt/ralph/bin"],
        });
        invocation.env.extend([
            ("RALPH_RUN_ID".to_owned(), "20260101T120000Z-1".into()),
            ("RALPH_PROJECT_DIR".to_owned(), project()),
            ("RALPH_COMMAND_RULES".to_owned(), rules.to_string().into()),
        ]);
    }
    Ok(invocation)
}
