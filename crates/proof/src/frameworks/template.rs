//! Replaces `{placeholders}` in the text of commands.

/// `template` with each `{word}` that `value` knows replaced. Replacements are not searched again,
/// so a test called `{report}` stays one.
pub(crate) fn fill(template: &str, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled.push_str(before);
        let known = from.find('}').and_then(|end| Some((value(&from[1..end])?, end + 1)));
        match known {
            Some((text, end)) => {
                filled.push_str(&text);
                rest = &from[end..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled + rest
}
