//! The context monitor at the start and at the end of a long session.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::hook_answer::HookAnswer;
use crate::launch::{Invocation, Program};
use crate::measure::{Entrant, Scenario};
use crate::task_list;
use crate::toolbox::{CONTEXT_MONITOR, Toolbox};
use crate::transcript;

const WINDOW: u64 = 200_000;
const BUDGET: f64 = 1.4;
const BUDGET_IN_LOOP: f64 = 1.6;
const MEGABYTE: usize = 1_000_000;
const STORIES: usize = 1_000;

/// A time limit that is never reached, in seconds since 1970.
const FAR: u64 = 32_503_680_000;

/// One session with its own transcript.
struct Session {
    folder: PathBuf,
}

impl Session {
    fn create(toolbox: &Toolbox, name: &str, size: usize, percent: u64) -> io::Result<Self> {
        let folder = toolbox.folder.join(name);
        fs::create_dir(&folder)?;
        let transcript = folder.join("transcript.jsonl");
        transcript::write(&transcript, size, WINDOW * percent / 100)?;
        let input = json!({
            "session_id": name,
            "transcript_path": transcript,
            "cwd": &folder,
            "hook_event_name": "PostToolUse",
            "permission_mode": "default",
            "tool_name": "Read",
            "tool_input": {"file_path": "/home/someone/project/src/lib.rs"},
            "tool_response": {"file": {"content": "let x = 1;\n".repeat(transcript::LAST_RESULT / 11)}},
            "tool_use_id": "toolu_1",
            "duration_ms": 3,
        });
        fs::write(folder.join("input.json"), input.to_string())?;
        Ok(Self { folder })
    }

    /// `memory` is the folder for the hook's state.
    fn invocation(&self, toolbox: &Toolbox, program: Program, memory: &Path) -> Invocation {
        let mut invocation = toolbox.invocation(program, &self.folder);
        invocation.stdin = self.folder.join("input.json");
        invocation.env.extend([
            ("CLAUDE_PROJECT_DIR".to_owned(), self.folder.clone().into_os_string()),
            ("CLAUDE_PLUGIN_DATA".to_owned(), memory.to_owned().into_os_string()),
            ("CLAUDE_CONTEXT_WINDOW".to_owned(), WINDOW.to_string().into()),
        ]);
        invocation
    }

    /// A state folder for each contender, so that they do not silence each other.
    fn check(
        &self,
        toolbox: &Toolbox,
        case: &str,
        expected: HookAnswer,
    ) -> Result<(), Box<dyn Error>> {
        toolbox.check(CONTEXT_MONITOR, case, expected, |program, index| {
            let memory = self.folder.join(format!("memory-{index}"));
            fs::create_dir_all(&memory)?;
            Ok(self.invocation(toolbox, program, &memory))
        })
    }
}

pub(crate) fn check_answers(toolbox: &Toolbox) -> Result<(), Box<dyn Error>> {
    for (percent, expected) in [
        (12, HookAnswer::Silence),
        (49, HookAnswer::Silence),
        (55, HookAnswer::Notice),
        (75, HookAnswer::Warning),
        (95, HookAnswer::Critical),
    ] {
        let name = format!("context-{percent}");
        let session = Session::create(toolbox, &name, MEGABYTE, percent)?;
        session.check(toolbox, &format!("{percent} % of the context are used"), expected)?;
        session.check(toolbox, &format!("it warned at {percent} % before"), HookAnswer::Silence)?;
    }
    Ok(())
}

pub(crate) fn scenarios(toolbox: &Toolbox, rounds: usize) -> Result<Vec<Scenario>, Box<dyn Error>> {
    let mut scenarios = vec![in_loop(toolbox, rounds)?];
    for megabytes in [1, 100] {
        scenarios.push(scenario(toolbox, rounds, megabytes)?);
    }
    Ok(scenarios)
}

/// The first iteration of a large loop: the window size is unknown, so the hook reads the marker
/// after every tool call. The peers cannot do that.
fn in_loop(toolbox: &Toolbox, rounds: usize) -> Result<Scenario, Box<dyn Error>> {
    let name = "transcript-in-loop";
    let session = Session::create(toolbox, name, MEGABYTE, 12)?;
    // In the order of the runner: times come before long fields.
    let short = [
        ("version", json!(1)),
        ("softLimitAt", json!(FAR)),
        ("hardLimitAt", json!(FAR)),
        ("iterationMode", json!("implement")),
        ("sessionId", json!(name)),
    ];
    let long = task_list::snapshot(&task_list::fresh(STORIES))?;
    let fields = short.iter().map(|(name, value)| (*name, value));
    let fields = fields.chain(long.iter().map(|(name, value)| (name.as_str(), value)));
    let fields: Vec<String> = fields.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    let marker = format!("{{{}}}\n", fields.join(","));
    fs::write(session.folder.join(".ralph-active"), &marker)?;
    let setting = |program| {
        let mut invocation = session.invocation(toolbox, program, &session.folder);
        invocation.env.retain(|(name, _)| name != "CLAUDE_CONTEXT_WINDOW");
        invocation
    };
    let entrant = |name: &str, program: &str, budget| Entrant {
        name: name.into(),
        budget,
        invocation: Ok(setting(toolbox.binary(program))),
    };
    Ok(Scenario {
        title: "context-monitor, loop running, window not known".into(),
        sizes: format!(
            "A marker of {} KB with {STORIES} stories; a transcript of 1 MB.",
            marker.len() / 1000
        ),
        rounds,
        entrants: vec![
            entrant("empty process", "empty-process", None),
            entrant("context-monitor", CONTEXT_MONITOR.name, Some(BUDGET_IN_LOOP)),
        ],
    })
}

fn scenario(
    toolbox: &Toolbox,
    rounds: usize,
    megabytes: usize,
) -> Result<Scenario, Box<dyn Error>> {
    let name = format!("transcript-{megabytes}");
    let session = Session::create(toolbox, &name, megabytes * MEGABYTE, 12)?;
    session.check(toolbox, "12 % of the context are used", HookAnswer::Silence)?;
    let memory = session.folder.join("memory");
    fs::create_dir(&memory)?;
    let setting = |program| session.invocation(toolbox, program, &memory);
    let mut entrants = vec![Entrant {
        name: "empty process".into(),
        budget: None,
        invocation: Ok(setting(toolbox.binary("empty-process"))),
    }];
    entrants
        .extend(toolbox.entrants(CONTEXT_MONITOR, Some(BUDGET), |program| Ok(setting(program)))?);
    Ok(Scenario {
        title: format!("context-monitor, transcript of {megabytes} MB"),
        sizes: format!(
            "12 % of the window in use, so no warning; the last tool result is {} KB.",
            transcript::LAST_RESULT / 1000
        ),
        rounds,
        entrants,
    })
}
