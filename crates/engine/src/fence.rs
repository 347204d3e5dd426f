//! Somebody else's text in Markdown, in a fence that nothing in it can close.

pub(crate) fn fenced(text: &str) -> String {
    let ticks = |line: &str| line.trim_start().chars().take_while(|c| *c == '`').count();
    let longest = text.lines().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_text_closes_the_fence() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("  ````x\nb"), "`````\n  ````x\nb\n`````");
    }
}
