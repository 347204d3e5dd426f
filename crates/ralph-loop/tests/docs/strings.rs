//! The string literals of a Rust file, without its comments and its unit tests.

/// Line number and text of each literal.
pub(crate) fn literals(source: &str) -> Vec<(usize, String)> {
    let product = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let bytes: Vec<char> = product.chars().collect();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match rest {
            ['/', '/', ..] => at + rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['r', '"' | '#', ..] if !is_name(at.checked_sub(1).map(|before| bytes[before])) => {
                match raw(rest) {
                    Some((text, length)) => {
                        found.push((line, text));
                        at + length
                    }
                    None => at + 1,
                }
            }
            ['"', ..] => {
                let (text, length) = quoted(rest);
                found.push((line, text));
                at + length
            }
            // A character, which may be a quotation mark; a lifetime has no second one.
            ['\'', '\\', _, '\'', ..] => at + 4,
            ['\'', _, '\'', ..] => at + 3,
            _ => at + 1,
        };
        line += bytes[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    found
}

fn is_name(before: Option<char>) -> bool {
    before.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// `r#"…"#`
fn raw(rest: &[char]) -> Option<(String, usize)> {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    let start = 2 + hashes;
    if rest.get(start - 1) != Some(&'"') {
        return None;
    }
    let closes = |at: usize| {
        rest[at] == '"'
            && rest[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    let end = (start..rest.len()).find(|at| closes(*at))?;
    Some((rest[start..end].iter().collect(), end + 1 + hashes))
}

fn quoted(rest: &[char]) -> (String, usize) {
    let (mut text, mut at) = (String::new(), 1);
    while at < rest.len() && rest[at] != '"' {
        if rest[at] == '\\' && at + 1 < rest.len() {
            // A line that continues is one sentence.
            if rest[at + 1] == '\n' {
                at += 2;
                while rest.get(at).is_some_and(|c| c.is_whitespace()) {
                    at += 1;
                }
                continue;
            }
            text.push(rest[at]);
            at += 1;
        }
        text.push(rest[at]);
        at += 1;
    }
    (text, at + 1)
}

#[test]
fn comments_and_tests_are_left_out() {
    let source = "// \"no\"\nlet a = \"one \\\n  two\"; let b = '\"'; r#\"th\"ree\"#\n\
                  #[cfg(test)]\nmod tests { \"no\" }";
    let texts: Vec<String> = literals(source).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["one two", "th\"ree"]);
}
