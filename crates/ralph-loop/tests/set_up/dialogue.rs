//! The dialogue on a terminal.

use std::process::Stdio;

use crate::project::Project;
use crate::terminal::{CTRL_C, CTRL_D, Terminal};

const AGENT: &str = "or other LLM CLI) [codex]: ";
const CHECK: &str = "Command that must pass, such as `npm test` (leave blank to finish): ";
const TRIAL: &str = "Run the checks once now, to see whether they pass? (Y/n): ";
const ITERATIONS: &str = "Maximum iterations [10, or 15 and more for stories]: ";
const GUARDRAIL: &str = "Add guardrail command (leave blank to finish): ";
const ACTION: &str = "  Fail action (APPEND|PREPEND|REPLACE) [APPEND]: ";
const HINT: &str = "  Hint (optional, guidance for agent on failure): ";
const SCM: &str = "Configure SCM? (y/N): ";
const OVERWRITE: &str = "Overwrite? (y/N): ";
const STOPPED: &str = "\nStopped: nothing was written.\n";

const SCAFFOLD: [&str; 15] = [
    ".gitignore",
    ".ralph/mcp",
    ".ralph/mcp/coding.json",
    ".ralph/mcp/memory.json",
    ".ralph/skills",
    ".ralph/skills/api-design.md",
    ".ralph/skills/debugging.md",
    ".ralph/skills/git-workflow.md",
    ".ralph/skills/testing.md",
    "ralph",
    "ralph/prd.md",
    "ralph/progress.txt",
    "ralph/prompt.md",
    "ralph/tasks.json",
    "ralph/tasks.schema.json",
];

#[test]
fn a_full_dialogue_becomes_settings() {
    let project = Project::new();
    project.write("Cargo.toml", "[package]\nname = \"shop\"\n");
    let mut terminal = project.init_on_terminal(&[]);
    terminal
        .expect("Setting up shop.")
        .expect("Agents found: codex\r\n")
        .answer(AGENT, "claude")
        .answer(ITERATIONS, "zero")
        .expect("enter a whole number above 0")
        .answer(ITERATIONS, "0")
        .expect("enter a whole number above 0")
        .answer(ITERATIONS, "25")
        .expect("ralph/tasks.json: cargo test")
        .answer(GUARDRAIL, "make lint")
        .answer(ACTION, "later")
        .answer(ACTION, "prepend")
        .answer(HINT, "Fix lint errors only.")
        .answer(GUARDRAIL, "make test")
        .answer(ACTION, "")
        .answer(HINT, "")
        .answer(GUARDRAIL, "")
        .answer(SCM, "y")
        .answer("  SCM command [git]: ", "")
        .answer("e.g., commit,push) [commit]: ", "commit, push")
        .answer(TRIAL, "n");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert!(finished.screen.contains("  created   .ralph/settings.json\n"), "{}", finished.screen);
    let expected = r#"{
  "$schema": "./settings.schema.json",
  "maximumIterations": 25,
  "completionResponse": "DONE",
  "agent": {
    "command": "claude",
    "flags": []
  },
  "guardrails": [
    {
      "command": "make lint",
      "failAction": "PREPEND",
      "hint": "Fix lint errors only."
    },
    {
      "command": "make test",
      "failAction": "APPEND"
    }
  ],
  "scm": {
    "command": "git",
    "tasks": [
      "commit",
      "push"
    ]
  }
}
"#;
    assert_eq!(project.read(".ralph/settings.json"), expected);
    assert_eq!(project.read(".ralph/settings.schema.json"), settings::SCHEMA);
    assert!(project.read("ralph/tasks.json").contains("\"cargo test\""));
}

#[test]
fn checks_that_the_user_names_go_into_the_task_list_and_are_tried() {
    let project = Project::new();
    let mut terminal = project.init_on_terminal(&["--agent", "codex", "-n", "3"]);
    terminal
        .expect("No checks found in this project.")
        .answer(CHECK, "exit 0")
        .answer(CHECK, "echo broken; exit 3")
        .answer(CHECK, "")
        .answer(GUARDRAIL, "")
        .answer(SCM, "")
        .answer(TRIAL, "");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    let list = project.read("ralph/tasks.json");
    assert!(list.contains("\"exit 0\"") && list.contains("\"echo broken; exit 3\""), "{list}");
    for part in
        ["  exit 0 ... passed (", "  echo broken; exit 3 ... failed (", "exit code 3): broken"]
    {
        assert!(finished.screen.contains(part), "{part:?} is not in {}", finished.screen);
    }
}

const MINE: &str = "{\"agent\": {\"command\": \"amp\"}}\n";

#[test]
fn existing_settings_are_kept_by_default() {
    for answer in ["", "n"] {
        let project = Project::new();
        project.write(".ralph/settings.json", MINE);
        project.write(".ralph/settings.local.json", "{\"maximumIterations\": 77}\n");
        let mut terminal = project.init_on_terminal(&[]);
        terminal
            .expect("\"maximumIterations\": 77,")
            .expect("\"command\": \"amp\"")
            .expect(
                "Loaded from .ralph/settings.json (with local overlay from settings.local.json)",
            )
            .answer(OVERWRITE, answer)
            .answer(CHECK, "");
        let finished = terminal.finish();
        assert_eq!(finished.code, Some(0), "{}", finished.screen);
        assert!(finished.screen.contains("  kept      .ralph/settings.json\n"));
        assert!(!finished.screen.contains("Agent command"), "{}", finished.screen);
        assert_eq!(project.read(".ralph/settings.json"), MINE);
        // Every command that writes to a project leaves the lock file.
        let rest = [".ralph", ".ralph/lock", ".ralph/settings.json", ".ralph/settings.local.json"];
        let mut expected: Vec<&str> = rest.into_iter().chain(SCAFFOLD).collect();
        expected.sort_unstable();
        assert_eq!(project.everything(), expected, "the rest is set up as always");
    }
}

#[test]
fn overwritten_settings_are_backed_up() {
    let project = Project::new();
    project.write(".ralph/settings.json", MINE);
    let mut terminal = project.init_on_terminal(&["--agent", "codex", "-n", "3"]);
    terminal
        .expect("Loaded from .ralph/settings.json\r\n")
        .answer(OVERWRITE, "perhaps")
        .answer(OVERWRITE, "Y")
        .answer(CHECK, "")
        .answer(GUARDRAIL, "")
        .answer(SCM, "");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert!(!finished.screen.contains("Agent command"), "a flag answers it");
    assert_eq!(project.read(".ralph/settings.json.bak"), MINE);
    assert!(project.read(".ralph/settings.json").contains("\"command\": \"codex\""));
}

#[test]
fn force_overwrites_without_a_question() {
    let project = Project::new();
    project.write(".ralph/settings.json", MINE);
    let mut terminal = project.init_on_terminal(&["--force"]);
    terminal.answer(CHECK, "").answer(AGENT, "").answer(ITERATIONS, "");
    terminal.answer(GUARDRAIL, "").answer(SCM, "");
    let finished = terminal.finish();
    assert!(!finished.screen.contains("Overwrite?"), "{}", finished.screen);
    assert_eq!(project.read(".ralph/settings.json.bak"), MINE);
    assert!(project.read(".ralph/settings.json").contains("\"command\": \"codex\""));
}

/// To the end of the first guardrail.
fn half_way(terminal: &mut Terminal) {
    terminal.answer(CHECK, "").answer(AGENT, "").answer(ITERATIONS, "");
    terminal.answer(GUARDRAIL, "make").expect(ACTION);
}

#[track_caller]
fn wrote_nothing(terminal: Terminal, project: &Project) {
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(130), "{}", finished.screen);
    assert!(finished.screen.ends_with(STOPPED), "{}", finished.screen);
    assert_eq!(project.everything(), [""; 0]);
}

#[test]
fn ctrl_c_and_an_end_of_input_write_nothing() {
    for keys in [CTRL_C, CTRL_D] {
        let project = Project::new();
        let mut at_once = project.init_on_terminal(&[]);
        at_once.expect(CHECK).press(keys);
        wrote_nothing(at_once, &project);

        let mut in_the_middle = project.init_on_terminal(&[]);
        half_way(&mut in_the_middle);
        in_the_middle.press(keys);
        wrote_nothing(in_the_middle, &project);
    }
}

#[test]
fn an_incomplete_line_is_not_an_answer() {
    for keys in [CTRL_C.to_owned(), format!("{CTRL_D}{CTRL_D}")] {
        let project = Project::new();
        let mut terminal = project.init_on_terminal(&[]);
        half_way(&mut terminal);
        // The terminal passes only whole lines on; the echo shows that the keys have arrived.
        terminal.press("app").expect("app").press(&keys);
        wrote_nothing(terminal, &project);
    }
}

#[test]
fn ctrl_c_at_the_overwrite_question_changes_nothing() {
    let project = Project::new();
    project.write(".ralph/settings.json", "{ broken");
    let mut terminal = project.init_on_terminal(&[]);
    terminal.expect("The existing settings are invalid.").expect(OVERWRITE).press(CTRL_C);
    assert_eq!(terminal.finish().code, Some(130));
    assert_eq!(project.read(".ralph/settings.json"), "{ broken");
    assert_eq!(project.everything(), [".ralph", ".ralph/settings.json"]);
}

#[test]
fn yes_asks_nothing() {
    let project = Project::new();
    let finished = project.init_on_terminal(&["--yes"]).finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert!(!finished.screen.contains("Agent command"), "{}", finished.screen);
    assert!(project.read(".ralph/settings.json").contains("\"command\": \"claude\""));
}

/// With output elsewhere, the user would not see the questions.
#[test]
fn without_a_terminal_for_output_nothing_is_asked() {
    let project = Project::new();
    let command = pty_process::blocking::Command::from(project.init(&[])).stdout(Stdio::null());
    let finished = Terminal::start(command).finish();
    assert_eq!((finished.code, finished.screen.as_str()), (Some(0), ""));
    assert!(project.read(".ralph/settings.json").contains("\"command\": \"claude\""));
}

#[test]
fn obstacles_are_reported_before_the_first_question() {
    let project = Project::new();
    project.write(".ralph/settings.json/x", "");
    let finished = project.init_on_terminal(&[]).finish();
    assert_eq!(finished.code, Some(2), "{}", finished.screen);
    assert!(finished.screen.starts_with("error: cannot read "), "{}", finished.screen);
}
