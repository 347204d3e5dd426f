//! A handoff at three levels of detail: a line, a digest, the whole document.

use crate::clean::{cut, one_line};
use crate::handoff::Handoff;
use crate::item::Item;
use crate::tokens::tokens;

const LINE_TOKENS: usize = 50;
const LONGEST_SENTENCE: usize = 240;

/// The whole handoff is on disk.
const LONGEST_ITEM: usize = 600;

/// `[US-003] First sentence of the summary. Complete. 3 files.`, in about 50 tokens at most.
pub fn line(handoff: &Handoff) -> String {
    let done = &handoff.task_completed;
    let id = match one_line(&done.task_id) {
        id if id.is_empty() => "no story".to_owned(),
        id => cut(&id, 64),
    };
    let how = if done.fully_complete { "Complete" } else { "Partial" };
    let files = match handoff.files_touched.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let rest = format!("{how}. {files}.");
    let spent = tokens(&format!("[{id}] . {rest}"));
    let sentence = first_sentence(&done.summary);
    let shown = within(&sentence, LINE_TOKENS.saturating_sub(spent));
    let stop = if shown.ends_with(['.', '!', '?', '…', '。']) { "" } else { "." };
    sanitize::plain(&format!("[{id}] {shown}{stop} {rest}"))
}

/// What the next iteration needs, by falling importance, each on one line.
pub fn digest(handoff: &Handoff) -> Vec<Item> {
    let done = &handoff.task_completed;
    let how = if done.fully_complete { "complete" } else { "partial" };
    let mut items = vec![format!("[{}] {how}: {}", done.task_id, done.summary)];
    for bug in handoff.bugs_encountered.iter().filter(|bug| !bug.resolved) {
        items.push(format!(
            "Not solved: {}{}",
            bug.description,
            in_parentheses("tried: ", &bug.resolution)
        ));
    }
    for found in &handoff.constraints_discovered {
        let workaround = found.workaround.as_deref().filter(|text| !text.trim().is_empty());
        let so = workaround.unwrap_or(&found.impact);
        items.push(format!("Constraint: {}{}", found.constraint, after_colon(so)));
    }
    let mut unfinished: Vec<_> = handoff.unfinished_business.iter().collect();
    unfinished.sort_by_key(|left| left.priority);
    for left in unfinished {
        let (priority, reason) = (left.priority, after_colon(&left.reason));
        items.push(format!("Unfinished ({priority}): {}{reason}", left.item));
    }
    items.extend(handoff.architectural_notes.iter().map(|note| format!("Decision: {note}")));
    for other in &handoff.deviations {
        let reason = after_colon(&other.reason);
        items.push(format!("Deviation: {} → {}{reason}", other.planned, other.actual));
    }
    items.extend(handoff.recommendations.iter().map(|advice| format!("Recommended: {advice}")));
    items.iter().map(|text| Item::paragraph(cut(&one_line(text), LONGEST_ITEM))).collect()
}

/// As JSON for people and agents.
pub fn document(handoff: &Handoff) -> String {
    serde_json::to_string_pretty(handoff).unwrap_or_default()
}

fn after_colon(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!(": {text}") }
}

fn in_parentheses(label: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!(" ({label}{text})") }
}

/// Up to a full stop before something that begins like a sentence, so that `e.g. this` and `v1.2` do not match;
/// or up to the end of the first line.
fn first_sentence(summary: &str) -> String {
    let summary = summary.trim_start();
    let first = one_line(summary.lines().next().unwrap_or_default());
    let ends = first.char_indices().find(|(at, c)| {
        let rest = &first[at + c.len_utf8()..];
        match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                rest.strip_prefix(' ').is_some_and(|next| !next.starts_with(char::is_lowercase))
            }
            _ => false,
        }
    });
    match ends {
        Some((at, c)) => first[..at + c.len_utf8()].to_owned(),
        None => first,
    }
}

/// The longest prefix of `text` within `limit` tokens.
fn within(text: &str, limit: usize) -> String {
    let text = cut(text, LONGEST_SENTENCE);
    if tokens(&text) <= limit {
        return text;
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|&end| tokens(&text[..end]) < limit);
    format!("{}…", text[..ends[fitting.saturating_sub(1)]].trim_end())
}
