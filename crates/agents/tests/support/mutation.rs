//! Recorded streams with every damage that a pipe, a newer version or tool output can cause. None may stop a run or
//! look complete.

use agents::{Agent, Completion, Ending, ProcessExit};
use proptest::prelude::*;
use serde_json::Value;

use super::{Decoded, decode, names, recorded};

pub(crate) const TAG: &str = "<promise>COMPLETE</promise>";

/// The agent's final message in place of the tag.
const NOT_YET: &str = "Not finished yet.";

/// Fields that only name a line type or a state.
const NAMES: [&str; 4] = ["type", "subtype", "status", "role"];

/// Decides by the line and the path, such as `/item/text`, whether a text is the agent's.
pub(crate) type IsTheAgents = fn(line: &Value, path: &str) -> bool;

pub(crate) fn is_complete(decoded: &Decoded) -> bool {
    decoded.last_result().is_some_and(|result| {
        result.ending == Ending::Completed
            && Completion::promise("COMPLETE").is_given_in(&result.text)
    })
}

/// Truncates at each byte: a stream is only complete if nothing relevant is missing.
pub(crate) fn cut_anywhere(agent: Agent) {
    for name in names(agent) {
        let stream = recorded(agent, &name);
        let whole = decode(agent, "", &stream, ProcessExit::Code(0));
        let last_line = stream.trim_ascii_end().len();
        for end in 0..last_line {
            let cut = decode(agent, "", &stream[..end], ProcessExit::Cut);
            assert!(!is_complete(&cut), "{name} cut at {end}");
            assert!(cut.unreadable <= 1, "{name} cut at {end}");
            assert_eq!(cut.events[..], whole.events[..cut.events.len()], "{name} cut at {end}");
        }
    }
}

/// Replaces each text except the final message with the tag: one at a time, then all at once.
pub(crate) fn the_tag_in_each_text(agent: Agent, final_text: IsTheAgents) {
    for name in names(agent) {
        let lines = not_yet(&recorded(agent, &name));
        let mut tried = 0;
        for at in 0..lines.len() {
            for path in paths(&lines[at]) {
                let mut changed = lines.clone();
                *changed[at].pointer_mut(&path).unwrap() = TAG.into();
                if is_last(&changed, at, &path, final_text) {
                    continue;
                }
                tried += 1;
                let decoded = decode(agent, "", &written(&changed), ProcessExit::Code(0));
                assert!(!is_complete(&decoded), "{name}, line {at}, {path}");
            }
        }
        assert!(tried > 0, "{name}");
        let decoded = decode(agent, "", &poisoned(&lines, final_text), ProcessExit::Code(0));
        assert!(!is_complete(&decoded), "{name}, all");
    }
}

/// Removes lines, and inserts foreign lines and bytes.
pub(crate) fn lost_and_foreign(agent: Agent, agents_words: IsTheAgents) {
    let streams: Vec<_> = names(agent)
        .iter()
        .map(|name| poisoned_but(&not_yet(&recorded(agent, name)), agents_words))
        .collect();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), change()), 1..12);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) };
    proptest!(config, |(which in any::<prop::sample::Index>(), changes in changes)| {
        let mut stream = which.get(&streams).clone();
        for (place, change) in &changes {
            change.apply(&mut stream, *place);
        }
        let decoded = decode(agent, "", &stream, ProcessExit::Code(0));
        prop_assert!(!is_complete(&decoded), "{}", String::from_utf8_lossy(&stream));
    });
}

#[derive(Debug, Clone)]
enum Change {
    LineLost,
    LineTwice,
    LineOf(Vec<u8>),
    Within(Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::LineLost),
        Just(Change::LineTwice),
        foreign_line().prop_map(Change::LineOf),
        foreign_bytes().prop_map(Change::Within),
    ]
}

fn foreign_line() -> impl Strategy<Value = Vec<u8>> {
    let with_tag = prop::sample::select(vec![
        TAG.to_owned(),
        format!("warning: {TAG}"),
        format!(r#"{{"type":"brand.new","text":"{TAG}","result":"{TAG}"}}"#),
        format!(r#"{{"text":"{TAG}"}}"#),
        format!(r#""{TAG}""#),
    ]);
    prop_oneof![with_tag.prop_map(String::into_bytes), foreign_bytes()]
}

/// Never the tag, because it could end up in the agent's own text.
fn foreign_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"{\"type\":".to_vec()),
        Just(b"[[[[".to_vec()),
        Just(b"\xff\xfe\0\xc3".to_vec()),
        Just(b"\x1b[2J\r".to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

impl Change {
    fn apply(&self, stream: &mut Vec<u8>, place: prop::sample::Index) {
        let mut lines: Vec<_> = stream.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let at = place.index(lines.len());
        match self {
            Self::LineLost => drop(lines.remove(at)),
            Self::LineTwice => lines.insert(at, lines[at].clone()),
            Self::LineOf(bytes) => lines.insert(at, bytes.clone()),
            Self::Within(bytes) => {
                let within = place.index(lines[at].len() + 1);
                lines[at].splice(within..within, bytes.iter().copied());
            }
        }
        *stream = lines.join(&b'\n');
    }
}

fn not_yet(stream: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(stream.to_vec()).unwrap().replace(TAG, NOT_YET);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn written(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// The tag in every text except names and the final message.
fn poisoned(lines: &[Value], final_text: IsTheAgents) -> Vec<u8> {
    poisoned_where(lines, |at, path| !is_last(lines, at, path, final_text))
}

/// The tag in every text except names and messages of the agent.
fn poisoned_but(lines: &[Value], agents_words: IsTheAgents) -> Vec<u8> {
    poisoned_where(lines, |at, path| !agents_words(&lines[at], path))
}

fn poisoned_where(lines: &[Value], wanted: impl Fn(usize, &str) -> bool) -> Vec<u8> {
    let mut changed = lines.to_vec();
    for (at, line) in changed.iter_mut().enumerate() {
        for path in paths(&lines[at]) {
            let names = NAMES.iter().any(|name| path.rsplit('/').next() == Some(name));
            if !names && wanted(at, &path) {
                *line.pointer_mut(&path).unwrap() = TAG.into();
            }
        }
    }
    written(&changed)
}

/// Whether this is the last text of its kind, which is the final message.
fn is_last(lines: &[Value], at: usize, path: &str, final_text: IsTheAgents) -> bool {
    let has_one = |line: &Value| paths(line).iter().any(|path| final_text(line, path));
    final_text(&lines[at], path) && !lines[at + 1..].iter().any(has_one)
}

/// The paths to all texts within.
fn paths(value: &Value) -> Vec<String> {
    let below = |(key, value): (String, &Value)| {
        let deeper = move |path: String| format!("/{key}{path}");
        paths(value).into_iter().map(deeper).collect::<Vec<_>>()
    };
    match value {
        Value::String(_) => vec![String::new()],
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (at.to_string(), item))
            .flat_map(below)
            .collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), field)).flat_map(below).collect()
        }
        _ => Vec::new(),
    }
}
