//! Patterns of file names and commands, without looking at the disk.

/// Marks a part of a path that is only known at run time.
pub(crate) const UNKNOWN: char = '\u{E010}';

/// Makes the pattern characters of quoted text literal.
pub(crate) fn quoted(text: &str) -> String {
    text.replace('[', "[[]").replace('*', "[*]").replace('?', "[?]")
}

pub(crate) fn is_pattern(name: &str) -> bool {
    memchr::memchr3(b'*', b'?', b'[', name.as_bytes()).is_some()
}

/// Whether a shell pattern can match this file name, on case-sensitive and case-insensitive systems. A leading
/// dot must be explicit.
pub(crate) fn names(pattern: &str, name: &str) -> bool {
    pattern.eq_ignore_ascii_case(name)
        || is_pattern(pattern)
            && (pattern.starts_with('.') || !name.starts_with('.'))
            && glob(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase())
}

/// Whether a rule of the user, with `*` as its only wildcard, matches a command.
pub(crate) fn fits(rule: &str, command: &str) -> bool {
    let rule = rule.trim();
    let has_signs = memchr::memchr2(b'[', b'?', rule.as_bytes()).is_some();
    let quoted = has_signs.then(|| rule.replace('[', "[[]").replace('?', "[?]"));
    glob(quoted.as_deref().unwrap_or(rule), command)
}

/// Whether a pattern with `*`, `?` and `[…]` matches a whole text; letters in upper and lower case differ. Backtracks to
/// the last `*` only, so it takes at most pattern times text steps.
pub(crate) fn glob(mut pattern: &str, mut text: &str) -> bool {
    let after = |text: &str| text.chars().next().map_or(0, char::len_utf8);
    let mut back: Option<(&str, &str)> = None;
    loop {
        let wanted = pattern.chars().next();
        let step = match (wanted, text.chars().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern = &pattern[1..];
                back = Some((pattern, text));
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('['), Some(letter)) => class(pattern, letter),
            _ => wanted.filter(|_| wanted == text.chars().next()).map(char::len_utf8),
        };
        match (step, back) {
            (Some(step), _) => {
                pattern = &pattern[step..];
                text = &text[after(text)..];
            }
            (None, Some((star, from))) if !from.is_empty() => {
                text = &from[after(from)..];
                pattern = star;
                back = Some((star, text));
            }
            (None, _) => return false,
        }
    }
}

/// The length of the class that a pattern begins with, if it matches this letter.
fn class(pattern: &str, letter: char) -> Option<usize> {
    let inside = pattern.get(1..)?;
    let inner = inside.strip_prefix(['!', '^']).unwrap_or(inside);
    let first = inner.chars().next()?.len_utf8();
    let end = first + inner.get(first..)?.find(']')?;
    let letters: Vec<char> = inner[..end].chars().collect();
    let is_range = |at: usize| letters.get(at + 1) == Some(&'-') && at + 2 < letters.len();
    let (mut at, mut is_taken) = (0, false);
    while at < letters.len() {
        let last = at + if is_range(at) { 2 } else { 0 };
        is_taken |= (letters[at]..=letters[last]).contains(&letter);
        at = last + 1;
    }
    let length = pattern.len() - inner.len() + end + 1;
    (is_taken != (inner.len() < inside.len())).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_what_the_shell_would_put_in_its_place() {
        for (pattern, name) in [
            (".ralph*", ".ralph-active"),
            (".g??", ".git"),
            (".[g]it", ".git"),
            ("sh?dow", "shadow"),
            (".RALPH", ".ralph"),
            ("*", "src"),
            ("[!a]x", "bx"),
            ("[a-c]x", "bx"),
            ("*a*b*", "xaxbx"),
        ] {
            assert!(names(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*", ".git"), ("x*", "yx"), ("?", "ab"), ("[a", "a"), ("[!b]x", "bx")]
        {
            assert!(!names(pattern, name), "{pattern} {name}");
        }
        assert!(!names(&quoted("*"), "src"), "quoted, it is a letter");
    }

    #[test]
    fn a_rule_has_stars_only() {
        assert!(fits("rm -rf *", "rm -rf /opt/x"));
        assert!(!fits("rm", "rm -rf /"), "a rule is a whole command");
        assert!(fits("ls [a]?", "ls [a]?"));
        assert!(!fits("ls [a]?", "ls ab"));
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        let pattern = "*a".repeat(200);
        assert!(!names(&pattern, &"a".repeat(199)));
    }
}
