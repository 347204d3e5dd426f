//! Embeds untrusted text in Markdown: escaped, and without control characters.

use crate::report::{beginning, neutral_line};

/// Longer texts are cut; `--format json` has all of it.
const LONGEST: usize = 1000;

/// Escapes Markdown syntax.
pub(crate) fn text(text: &str) -> String {
    let line = line(text);
    let mut out = String::with_capacity(line.len());
    let mut before: Option<char> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let within_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let special = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '&' | '~' => true,
            // `snake_case` needs no escape.
            '_' => !(within_word(before) && within_word(rest.peek().copied())),
            '#' | '-' | '+' | '=' => before.is_none(),
            '.' | ')' => out.bytes().all(|b| b.is_ascii_digit()),
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Inline code, for names, errors and commands.
pub(crate) fn code(text: &str) -> String {
    let line = line(text);
    let fence = "`".repeat(longest_run_of_backticks(&line) + 1);
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    if line.is_empty() { "-".to_owned() } else { format!("{fence}{space}{line}{space}{fence}") }
}

/// Text of Ralph in which names are in backticks.
pub(super) fn words(words: &str) -> String {
    let line = line(words);
    let parts: Vec<&str> = line.split('`').collect();
    let is_paired =
        parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(|name| !name.is_empty());
    if !is_paired {
        return text(words);
    }
    let parts = parts
        .iter()
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { code(part) } else { between(part) });
    parts.collect()
}

/// Text within a line.
fn between(part: &str) -> String {
    let escaped = text(&format!("x{part}x"));
    escaped[1..escaped.len() - 1].to_owned()
}

/// Inline code in a table cell, where a bar ends the cell even in code.
pub(super) fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A code block of commands.
pub(super) fn block<'c>(commands: impl IntoIterator<Item = &'c String>) -> String {
    let lines: Vec<String> = commands.into_iter().map(|command| neutral_line(command)).collect();
    let longest = lines.iter().map(|line| longest_run_of_backticks(line)).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}sh\n{}\n{fence}", lines.join("\n"))
}

fn line(text: &str) -> String {
    beginning(&neutral_line(text.trim()), LONGEST, "…")
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_unchanged() {
        for plain in ["Sums with tax (10%)", "snake_case in src/a.rs: no!", "日本語 ✓", "a - b"]
        {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn names_in_backticks_stay_code() {
        assert_eq!(words("`t_1` is gone (`#[ignore]`)"), "`t_1` is gone (`#[ignore]`)");
        assert_eq!(words("`a` became `b|c`: *x*"), "`a` became `b|c`: \\*x\\*");
        assert_eq!(words("odd ` one"), "odd \\` one");
        assert_eq!(words("``` fence"), "\\`\\`\\` fence");
    }

    #[test]
    fn markdown_syntax_is_escaped() {
        assert_eq!(text("a | b\n## c"), "a \\| b ## c");
        assert_eq!(text("# h"), "\\# h");
        assert_eq!(text("- x"), "\\- x");
        assert_eq!(text("12. x"), "12\\. x");
        assert_eq!(
            text("_em_ **b** [l](u) <b> &lt; ~~s~~"),
            "\\_em\\_ \\*\\*b\\*\\* \\[l\\](u) \\<b\\> \\&lt; \\~\\~s\\~\\~"
        );
        assert_eq!(text("```sh"), "\\`\\`\\`sh");
        assert_eq!(text("a\\|b"), "a\\\\\\|b");
        assert_eq!(text("a\x1b[31mb\x07\u{202e}"), "ab\u{fffd}\u{fffd}");
    }

    #[test]
    fn code_has_more_backticks_than_its_content() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a `b` c"), "``a `b` c``");
        assert_eq!(code("``x`"), "``` ``x` ```");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(code(" "), "-");
        assert_eq!(code_cell("a|b"), "`a\\|b`");
    }

    #[test]
    fn a_code_block_has_a_longer_fence_than_its_content() {
        let commands = ["git merge 'a```b'".to_owned(), "x\n```\n# evil".to_owned()];
        assert_eq!(block(&commands), "````sh\ngit merge 'a```b'\nx ``` # evil\n````");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(text(&"é".repeat(5000)).chars().count(), LONGEST + 1);
    }
}
