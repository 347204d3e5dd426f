//! Decodes streams of any agent.

#![allow(dead_code, reason = "each agent's tests use what they need")]

pub(crate) mod mutation;

use std::path::{Path, PathBuf};

use agents::{Agent, AgentEvent, AgentResult, LineKind, ProcessExit};

/// One recorded stream.
pub(crate) fn recorded(agent: Agent, name: &str) -> Vec<u8> {
    std::fs::read(folder(agent).join(name).with_extension("jsonl")).unwrap()
}

/// The names of all recorded streams.
pub(crate) fn names(agent: Agent) -> Vec<String> {
    let files = folder(agent).read_dir().unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<_> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

pub(crate) fn all_recorded(agent: Agent) -> Vec<u8> {
    names(agent).iter().flat_map(|name| recorded(agent, name)).collect()
}

fn folder(agent: Agent) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams").join(agent.name())
}

#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) events: Vec<AgentEvent>,
    /// The number of lines that were not part of the stream.
    pub(crate) unreadable: u64,
}

pub(crate) fn decode(agent: Agent, prompt: &str, stream: &[u8], exit: ProcessExit) -> Decoded {
    let mut decoder = agent.decoder(prompt);
    let mut events = Vec::new();
    let mut unreadable = 0;
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        let kind = decoder.line(line, &mut |event| events.push(event));
        unreadable += u64::from(kind == LineKind::Noise);
    }
    decoder.ended(exit, &mut |event| events.push(event));
    Decoded { events, unreadable }
}

impl Decoded {
    /// The last result, which counts.
    pub(crate) fn last_result(&self) -> Option<&AgentResult> {
        self.events.iter().rev().find_map(|event| match event {
            AgentEvent::Result(result) => Some(result),
            _ => None,
        })
    }

    pub(crate) fn result(&self) -> &AgentResult {
        self.last_result().unwrap()
    }

    /// One short line per event, without results.
    pub(crate) fn summaries(&self) -> Vec<String> {
        self.events.iter().filter_map(short).collect()
    }
}

fn short(event: &AgentEvent) -> Option<String> {
    Some(match event {
        AgentEvent::SessionStarted { model, version, plugins, .. } => {
            let plugins: Vec<_> =
                plugins.iter().map(|p| format!("{}@{}", p.name, p.path.display())).collect();
            format!("started {model:?} {version:?} {}", plugins.join(" ")).replace("Some", "")
        }
        AgentEvent::Text { text } => format!("text {text}"),
        AgentEvent::ToolStarted { id, name, summary, thread } => {
            format!("start {id} {name} {thread:?} {summary}")
        }
        AgentEvent::ToolEnded { id, outcome, summary, .. } => {
            format!("end {id} {outcome:?} {summary}")
        }
        AgentEvent::Todo { items } => {
            let items: Vec<_> =
                items.iter().map(|item| format!("{}:{:?}", item.text, item.state)).collect();
            format!("todo {}", items.join(" "))
        }
        AgentEvent::Context { tokens } => format!("context {tokens}"),
        AgentEvent::Retry { attempt, of, delay, status, reason } => {
            format!("retry {attempt}/{of} {delay:?} {status:?} {reason}")
        }
        AgentEvent::Limit(limit) => format!(
            "limit {:?} {:?} {} {:?}",
            limit.state, limit.resets_at, limit.window, limit.utilization
        ),
        AgentEvent::Hook(hook) => {
            format!("hook {} {} {:?} {:?}", hook.event, hook.name, hook.exit_code, hook.verdict)
        }
        AgentEvent::Compacted { tokens_after } => format!("compacted {tokens_after:?}"),
        AgentEvent::Notice { text } => format!("notice {text}"),
        AgentEvent::Result(_) => return None,
    })
}
