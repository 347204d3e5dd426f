//! Makes text of agents and issues harmless on a forge, which reads more in it than Markdown: it notifies people, links and
//! closes issues, and executes commands.

/// Zero width, so the text looks the same. It works in code too, which not every forge leaves alone.
const BREAK: char = '\u{200b}';

/// Ends of addresses of issues and the like, before their number.
const NUMBERED: [&str; 6] =
    ["issues/", "pull/", "pulls/", "merge_requests/", "work_items/", "epics/"];

/// `text` without mentions (`@name`), references (`#12`, `!12`, `GH-12`, addresses of issues), HTML comments and commands
/// of GitLab (`/close` on its own line).
pub(super) fn quiet(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        if c == '/' && is_line_start(&out) {
            out.push(BREAK);
        }
        out.push(c);
        let is_number = next.is_some_and(char::is_numeric);
        let needs_break = match c {
            // The middle of an e-mail address is no mention.
            '@' => !before.is_some_and(|c| c.is_ascii_alphanumeric()) && next.is_some(),
            '#' | '!' => is_number,
            '-' => is_number && ends_with(&out, "gh-"),
            '/' => is_number && NUMBERED.iter().any(|end| ends_with(&out, end)),
            '<' => next == Some('!'),
            _ => false,
        };
        if needs_break {
            out.push(BREAK);
        }
        before = Some(c);
    }
    out
}

fn is_line_start(out: &str) -> bool {
    let line = out.rsplit('\n').next().unwrap_or_default();
    line.chars().all(char::is_whitespace)
}

/// In ASCII, upper or lower case.
fn ends_with(out: &str, end: &str) -> bool {
    let from = out.len().checked_sub(end.len());
    from.and_then(|from| out.get(from..)).is_some_and(|found| found.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        quiet(text).replace(BREAK, "·")
    }

    #[test]
    fn mentions_references_and_commands_are_broken() {
        for (text, expected) in [
            ("ping @octocat and (@org/team)", "ping @·octocat and (@·org/team)"),
            ("_@me_ \\@me é@me", "_@·me_ \\@·me é@·me"),
            ("closes #9, Fixes o/r#10", "closes #·9, Fixes o/r#·10"),
            ("resolves GH-9 gh-10", "resolves GH-·9 gh-·10"),
            ("see !12", "see !·12"),
            ("closes https://github.com/o/r/issues/9", "closes https://github.com/o/r/issues/·9"),
            ("https://h/o/r/-/merge_requests/9", "https://h/o/r/-/merge_requests/·9"),
            ("/close\n  /assign @me\n`/merge`", "·/close\n  ·/assign @·me\n`/merge`"),
            ("`<!-- x -->`", "`<·!-- x -->`"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "me@example.com",
            "#[ignore] # Heading, C#",
            "git diff a...b -- . ':!ralph'",
            "US-001: 10% of 3/4",
            "src/issues/mod.rs",
        ] {
            assert_eq!(quiet(text), text);
        }
    }
}
