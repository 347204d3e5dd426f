//! Extracts the message of one failure report.

use crate::error_signs::{PANICKED, complains, panics, throws};

/// Labels of the values that assertions print on separate lines.
const PAIRS: &[(&str, &str)] =
    &[("Expected: ", "Received: "), ("expected: ", "got: "), ("Expected: ", "Actual: ")];
/// rspec prints the source line of the test before the message.
const SOURCE: &str = "Failure/Error:";
/// The YAML marker, in TAP, of a text block below.
const BLOCK: &str = "|-";

pub(crate) fn message(lines: &[&str]) -> Option<String> {
    let first = |matches: fn(&str) -> bool| lines.iter().position(|line| matches(line));
    if let Some(at) = first(panics) {
        let panic = message_from(lines, at);
        return Some(panic.split_once(": ").map_or(panic.as_str(), |(_, text)| text).to_owned());
    }
    if let Some(text) = lines.iter().find_map(|line| line.strip_prefix("E  ")) {
        return Some(text.trim().to_owned());
    }
    if let Some(at) = first(throws) {
        return Some(message_from(lines, at));
    }
    if let Some(at) = first(|line| line.trim().starts_with("error: ")) {
        return Some(message_from(lines, at).trim_start_matches("error: ").to_owned());
    }
    if let Some(values) = PAIRS.iter().find_map(|pair| values(lines, *pair)) {
        return Some(values);
    }
    let at = first(|line| complains(line) && !line.trim().starts_with(SOURCE));
    (!lines.is_empty()).then(|| message_from(lines, at.unwrap_or(0)))
}

/// The message that begins at a line. After a colon it continues on the next line; a panic message
/// is followed by its values.
pub(crate) fn message_from(lines: &[&str], at: usize) -> String {
    let (line, below) = (lines[at].trim(), &lines[at + 1..]);
    let mut message = line.find(PANICKED).map_or(line, |start| &line[start..]).to_owned();
    for more in below {
        let opened = message.trim_end_matches(BLOCK).trim_end();
        if !opened.ends_with(':') || !more.contains(char::is_alphanumeric) {
            break;
        }
        message = format!("{opened} {}", more.trim());
    }
    let values = values(below, ("left: ", "right: ")).filter(|_| panics(line));
    joined(std::iter::once(message).chain(values))
}

fn values(lines: &[&str], (one, other): (&str, &str)) -> Option<String> {
    let starting =
        |start: &str| lines.iter().map(|line| line.trim()).find(|line| line.starts_with(start));
    Some(joined([starting(one)?.to_owned(), starting(other)?.to_owned()]))
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join(", ")
}
