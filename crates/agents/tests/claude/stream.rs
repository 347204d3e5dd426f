//! Streams to decode.

use std::path::Path;

use agents::claude::Decoder;
use agents::{AgentEvent, AgentResult};

pub(crate) fn recorded(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    std::fs::read(folder.join(name).with_extension("jsonl")).unwrap()
}

pub(crate) fn all_recorded() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.into_iter().flat_map(|file| std::fs::read(file).unwrap()).collect()
}

pub(crate) struct Decoded {
    pub(crate) events: Vec<AgentEvent>,
    pub(crate) unreadable: u64,
}

pub(crate) fn decode(stream: &[u8]) -> Decoded {
    let mut decoder = Decoder::default();
    let mut events = Vec::new();
    for line in stream.split(|byte| *byte == b'\n') {
        decoder.line(line, &mut |event| events.push(event));
    }
    Decoded { events, unreadable: decoder.unreadable() }
}

impl Decoded {
    pub(crate) fn result(&self) -> &AgentResult {
        self.events
            .iter()
            .rev()
            .find_map(|event| match event {
                AgentEvent::Result(result) => Some(result),
                _ => None,
            })
            .unwrap()
    }

    /// One short line for each event, results apart.
    pub(crate) fn told(&self) -> Vec<String> {
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
        AgentEvent::ToolEnded { id, outcome, summary } => format!("end {id} {outcome:?} {summary}"),
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
