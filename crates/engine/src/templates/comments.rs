//! Removes comments for people from a prompt template before it is sent to the agent.

/// The template without HTML comments on their own lines. A comment in a code block is part of the prompt.
pub(crate) fn without_comments(template: &str) -> String {
    let mut kept = String::with_capacity(template.len());
    let mut fence: Option<&str> = None;
    let mut rest = template;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        if let (None, Some(after_comment)) = (fence, after_comment(rest)) {
            let is_first = kept.is_empty() || kept.ends_with("\n\n");
            rest = if is_first { after_comment.trim_start_matches('\n') } else { after_comment };
            continue;
        }
        kept.push_str(line);
        rest = after;
    }
    kept
}

/// The rest after a comment that begins this line and ends one.
fn after_comment(text: &str) -> Option<&str> {
    let comment = text.trim_start_matches([' ', '\t']).strip_prefix("<!--")?;
    let after = &comment[comment.find("-->")? + "-->".len()..];
    let (line, next) = after.split_once('\n').unwrap_or((after, ""));
    line.trim().is_empty().then_some(next)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_on_lines_of_their_own_are_removed() {
        for (template, sent) in [
            ("<!-- Yours to edit.\nTwo lines. -->\n# Title\n", "# Title\n"),
            ("<!-- one -->\n<!-- two -->\n\n# Title\n", "# Title\n"),
            ("a\n\n  <!-- b -->  \n\nc", "a\n\nc"),
            ("a\n<!-- b -->\nc", "a\nc"),
            ("a\n<!-- b -->", "a\n"),
            ("<!-- nothing else -->", ""),
        ] {
            assert_eq!(without_comments(template), sent, "{template}");
        }
    }

    #[test]
    fn everything_else_stays() {
        for template in [
            "",
            "plain\n",
            "a <!-- in a line --> b\n",
            "<!-- begins a line --> and goes on\n",
            "<!-- never closed\ntext\n",
            "```html\n<!-- code -->\n```\n",
            "~~~\n```\n<!-- code -->\n~~~\n",
        ] {
            assert_eq!(without_comments(template), template);
        }
    }
}
