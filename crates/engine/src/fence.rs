//! Text of agents and other programs within a prompt: set off, so that it cannot pass for what the runner
//! says.

/// In a fence that nothing in it can close: no run of backticks in it is as long, wherever it stands.
pub(crate) fn fenced(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

/// The same for a text of an agent, without characters that move, hide or turn round what stands there.
pub(crate) fn fenced_words(text: &str) -> String {
    fenced(&sanitize::block(text).join("\n"))
}

/// Every line of it begins with `>`.
pub(crate) fn block_quote(text: &str) -> String {
    let lines = sanitize::block(text);
    lines
        .iter()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// One item of a list, whatever lines it has. They are set in so far that Markdown takes none of them for
/// a heading, a list or a fence.
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
        // Whatever a reader takes for the end of a line, or for white space before the backticks.
        for before in
            ["\r", "\u{c}", "\u{b}", "\u{85}", "\u{2028}", "\u{a0}", "> ", "- ", "x", "\t"]
        {
            let text = format!("a{before}````\n## b");
            assert_eq!(fenced(&text), format!("`````\n{text}\n`````"), "{before:?}");
        }
        assert_eq!(fenced("~~~~~\nb"), "```\n~~~~~\nb\n```");
    }

    #[test]
    fn words_keep_their_lines_and_nothing_that_steers() {
        assert_eq!(
            fenced_words("a\u{202e}b\r```\rc\x1b[31m\n\u{2028}d"),
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
