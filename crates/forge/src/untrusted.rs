//! Makes text of other people safe: no control characters, no hidden comments, bounded length.

use crate::outline;

/// Bytes that are read of a body. GitHub's limit is 65,536 characters.
const MOST_BODY: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) was_cut: bool,
    /// HTML comments that were removed: a reader of the page does not see them.
    pub(crate) comments: usize,
}

impl Body {
    pub(crate) fn clean(raw: &str) -> Self {
        let kept = prefix(raw, MOST_BODY);
        let (text, comments) = without_comments(&sanitize::block(kept).join("\n"));
        Self { text, was_cut: kept.len() < raw.len(), comments }
    }
}

/// One line of at most `most` characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    cut(outline::one_line(&sanitize::line(prefix(text, MOST_BODY))), most)
}

/// With `…` in place of the characters beyond `most`.
pub(crate) fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most.saturating_sub(1)) {
        Some((end, last)) if text.len() > end + last.len_utf8() => format!("{}…", &text[..end]),
        _ => text,
    }
}

/// `text` with spaces in place of code.
pub(crate) fn without_code(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in outline::code(text) {
        bytes[range].fill(b' ');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn prefix(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or_default()]
}

/// A comment without an end hides the rest.
fn without_comments(text: &str) -> (String, usize) {
    const START: &str = "<!--";
    const END: &str = "-->";
    if !text.contains(START) {
        return (text.to_owned(), 0);
    }
    let code = outline::code(text);
    let (mut kept, mut count, mut done, mut from) = (String::new(), 0, 0, 0);
    while let Some(at) = text[from..].find(START).map(|at| from + at) {
        if let Some(range) = code.iter().find(|range| range.contains(&at)) {
            from = range.end.max(at + START.len());
            continue;
        }
        kept.push_str(&text[done..at]);
        count += 1;
        let end = text[at..].find(END).map_or(text.len(), |end| at + end + END.len());
        (done, from) = (end, end);
    }
    kept.push_str(&text[done..]);
    (kept, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_removed_outside_of_code() {
        for (raw, text, comments) in [
            ("a <!-- b --> c", "a  c", 1),
            ("a\n<!--\nb\n\n- [ ] c\n-->\nd", "a\n\nd", 1),
            ("a <!-- b", "a ", 1),
            ("`<!-- x -->` <!-- y -->", "`<!-- x -->` ", 1),
            ("```\n<!-- x\n```\nkept", "```\n<!-- x\n```\nkept", 0),
            ("<!--a--><!--b-->c", "c", 2),
        ] {
            let expected = Body { text: text.into(), was_cut: false, comments };
            assert_eq!(Body::clean(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn control_characters_and_long_texts_are_bounded() {
        assert_eq!(Body::clean("a\x1b[31mb\r\n\u{202e}c\0").text, "ab\n\u{fffd}c\u{fffd}");
        let long = Body::clean(&"é".repeat(MOST_BODY));
        assert!(long.was_cut && long.text.len() == MOST_BODY);
        assert_eq!(line(" a\n\tb  c ", 99), "a b c");
        assert_eq!(line("abcdé", 5), "abcdé");
        assert_eq!(line("abcdéf", 5), "abcd…");
    }

    #[test]
    fn code_becomes_spaces() {
        assert_eq!(without_code("a `é` b"), "a      b");
    }
}
