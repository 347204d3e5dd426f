//! Extracts a JSON object from an agent's last message.
//!
//! Not a lenient parser: it only tolerates a comma before a closing bracket.

use std::borrow::Cow;

use serde_json::Value;

/// The recursion limit of serde_json.
const DEEPEST: usize = 127;

/// How often a message may be scanned for an object before it counts as having none.
const READINGS: usize = 16;

/// The object with `wanted_key`: the whole text, else the last fenced block that is one, else
/// the last span in brackets that is one.
pub fn extract_json(text: &str, wanted_key: &str) -> Option<Value> {
    let quoted = format!("\"{wanted_key}\"");
    let last_key = text.rfind(&quoted)?;
    let wanted = |text: &str| parse(text).filter(|value| value.get(wanted_key).is_some());
    wanted(text)
        .or_else(|| fenced(text).into_iter().rev().find_map(wanted))
        .or_else(|| last_object(text, last_key, wanted))
}

/// The object with `wanted_key`, if the text ends with it or with the fence around it: text after an object may
/// contradict it.
pub fn closing_json(text: &str, wanted_key: &str) -> Option<Value> {
    let body = text.trim_end().trim_end_matches(['`', '~']).trim_end();
    let last_key = body.rfind(&format!("\"{wanted_key}\""))?;
    last_object(body, last_key, |object| {
        let value = parse(object).filter(|value| value.get(wanted_key).is_some());
        value.filter(|_| body.ends_with(object))
    })
}

fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with('{') {
        return None;
    }
    let value = serde_json::from_str(text).or_else(|error| match without_trailing_commas(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(repaired) => serde_json::from_str(&repaired),
    });
    value.ok()
}

/// The contents of fences, in order. An unclosed fence extends to the end.
fn fenced(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        match open {
            Some((fence, from)) if line.starts_with(fence) && line == marks(line) => {
                blocks.push(&text[from..start]);
                open = None;
            }
            None if marks(line).len() >= 3 => open = Some((marks(line), at)),
            _ => {}
        }
    }
    blocks.extend(open.map(|(_, from)| &text[from..]));
    blocks
}

/// The backticks or tildes at the start of a line.
fn marks(line: &str) -> &str {
    let mark = match line.as_bytes().first() {
        Some(b'`') => '`',
        Some(b'~') => '~',
        _ => return "",
    };
    &line[..line.len() - line.trim_start_matches(mark).len()]
}

/// Searches from the end, so that inner objects come before outer ones. `{` in prose is cheap: parsing stops at
/// the first invalid character.
fn last_object(
    text: &str,
    last_key: usize,
    wanted: impl Fn(&str) -> Option<Value>,
) -> Option<Value> {
    let bytes = text.as_bytes();
    let mut work_left = READINGS * text.len();
    let mut before = last_key;
    while let Some(start) = text[..before].rfind('{') {
        let (end, read) = object_end(&bytes[start..]);
        if let Some(value) = end.and_then(|end| wanted(&text[start..start + end])) {
            return Some(value);
        }
        work_left = work_left.checked_sub(read)?;
        before = start;
    }
    None
}

/// The end of the object at the start of `bytes`, and how many bytes were read.
fn object_end(bytes: &[u8]) -> (Option<usize>, usize) {
    let mut closers = Vec::new();
    let mut at = 0;
    let mut after = b' ';
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'{' | b'[' if closers.len() < DEEPEST => {
                closers.push(if byte == b'{' { b'}' } else { b']' });
            }
            b'}' | b']' if closers.pop() == Some(byte) => {
                if closers.is_empty() {
                    return (Some(at), at);
                }
            }
            b'"' => at += string_rest(&bytes[at..]),
            _ if after == b'{' => return (None, at),
            b',' | b':' | b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E' => {}
            _ => return (None, at),
        }
        after = byte;
    }
    (None, at)
}

/// The length up to and including the closing quote, or to the end.
fn string_rest(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(bytes.len(), |end| end + 1)
}

fn without_trailing_commas(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == b'"' {
            at += string_rest(&bytes[at..]);
        } else if byte == b',' {
            let gap = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if matches!(bytes.get(at + gap), Some(b'}' | b']')) {
                kept.push_str(&text[copied..at - 1]);
                copied = at;
            }
            at += gap;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}
