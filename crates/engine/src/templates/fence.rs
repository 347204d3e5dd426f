//! Quotes text of agents and other programs in a prompt, so that it cannot be mistaken for the runner's text.

/// A fence longer than every run of backticks in the text, so that the text cannot close it.
pub(crate) fn fenced(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

/// The same for an agent's text, without characters that move, hide or reverse the text around them.
pub(crate) fn fenced_agent_text(text: &str) -> String {
    fenced(&sanitize::block(text).join("\n"))
}

/// Every line begins with `>`.
pub(crate) fn block_quote(text: &str) -> String {
    let lines = sanitize::block(text);
    lines
        .iter()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// One list item, even of several lines. They are indented so far that Markdown reads none of them as a
/// heading, a list or a fence.
pub(crate) fn list_item(text: &str) -> String {
    let item = sanitize::block(text).join("\n      ");
    let opens_fence = item.starts_with("```") || item.starts_with("~~~");
    format!("- {}{item}", if opens_fence { "\\" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_text_closes_the_fence() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("  ````x\nb"), "`````\n  ````x\nb\n`````");
        // Every character that a reader may take for a line end, or for white space before the backticks.
        for before in
            ["\r", "\u{c}", "\u{b}", "\u{85}", "\u{2028}", "\u{a0}", "> ", "- ", "x", "\t"]
        {
            let text = format!("a{before}````\n## b");
            assert_eq!(fenced(&text), format!("`````\n{text}\n`````"), "{before:?}");
        }
        assert_eq!(fenced("~~~~~\nb"), "```\n~~~~~\nb\n```");
    }

    #[test]
    fn agent_text_keeps_its_lines_without_control_characters() {
        assert_eq!(
            fenced_agent_text("a\u{202e}b\r```\rc\x1b[31m\n\u{2028}d"),
            "````\na\u{fffd}b\u{fffd}```\u{fffd}c\n\u{fffd}d\n````"
        );
    }

    #[test]
    fn every_line_is_quoted_and_every_item_is_one() {
        let text = "one\n\n## two\r\n```\rthree\u{2028}# four\n";
        assert_eq!(block_quote(text), "> one\n>\n> ## two\n> ```\u{fffd}three\u{fffd}# four");
        let inner = "      ## two\n      ```\u{fffd}three\u{fffd}# four";
        assert_eq!(list_item(text), format!("- one\n      \n{inner}"));
        assert_eq!(list_item("`make` works"), "- `make` works");
        assert_eq!(list_item("~~~\nx"), "- \\~~~\n      x");
    }
}
