//! Patterns of file names and commands, without looking at the disk.

/// Marks a part of a path that is only known at run time.
pub(crate) const UNKNOWN: char = '\u{E010}';

/// Private characters for quoted pattern characters, which are literal.
const QUOTED: [(char, char); 3] = [('*', '\u{E000}'), ('?', '\u{E001}'), ('[', '\u{E002}')];

/// Escapes the pattern characters of quoted text.
pub(crate) fn quoted(text: &str) -> String {
    let quote = |letter: char| {
        QUOTED.iter().find(|(plain, _)| *plain == letter).map_or(letter, |(_, kept)| *kept)
    };
    text.chars().map(quote).collect()
}

pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Whether a shell pattern can match this file name, on case-sensitive and case-insensitive systems. A leading
/// dot must be explicit.
pub(crate) fn names(pattern: &str, name: &str) -> bool {
    let literal: String = pattern.chars().map(unquoted_char).collect();
    let same = literal.eq_ignore_ascii_case(name);
    if same || !is_pattern(pattern) {
        return same;
    }
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let pattern: Vec<char> = pattern.to_ascii_lowercase().chars().collect();
    let name: Vec<char> = name.to_ascii_lowercase().chars().collect();
    matches(&pattern, &name, &|letter, wanted| letter == unquoted_char(wanted))
}

/// Whether a rule of the user matches a command with marked unknown parts. `*` matches an unknown part only in
/// a rule that denies.
pub(crate) fn fits(rule: &str, command: &str, unknown_match: UnknownMatch) -> bool {
    let rule: Vec<char> = rule.trim().chars().collect();
    let command: Vec<char> = command.chars().collect();
    if unknown_match == UnknownMatch::KnownText && command.contains(&UNKNOWN) {
        return false;
    }
    let rule: Vec<char> =
        rule.into_iter().map(|c| if c == '?' || c == '[' { quoted_char(c) } else { c }).collect();
    matches(&rule, &command, &|letter, wanted| letter == unquoted_char(wanted))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownMatch {
    KnownText,
    Anything,
}

fn quoted_char(letter: char) -> char {
    QUOTED.iter().find(|(plain, _)| *plain == letter).map_or(letter, |(_, kept)| *kept)
}

fn unquoted_char(letter: char) -> char {
    QUOTED.iter().find(|(_, kept)| *kept == letter).map_or(letter, |(plain, _)| *plain)
}

/// Whether a pattern with `*`, `?` and `[…]` matches a whole text; letters in upper and lower case differ.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    if !is_pattern(pattern) {
        return pattern == text;
    }
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    matches(&pattern, &text, &|letter, wanted| letter == wanted)
}

/// Backtracks to the last `*` only, so it takes at most pattern times text steps.
fn matches(pattern: &[char], text: &[char], same: &dyn Fn(char, char) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = pattern.get(p).and_then(|&wanted| match wanted {
            '*' => None,
            '?' => Some(1),
            '[' => class(&pattern[p..], text[t]),
            wanted => same(text[t], wanted).then_some(1),
        });
        if pattern.get(p) == Some(&'*') {
            back = Some((p + 1, t));
            p += 1;
        } else if let Some(step) = step {
            p += step;
            t += 1;
        } else if let Some((star, from)) = back {
            back = Some((star, from + 1));
            p = star;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&left| left == '*')
}

/// The length of a class that matches this letter.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|&c| c == ']')? + 2;
    let inside = &pattern[1..end];
    let (inside, negated) = match inside.first() {
        Some('!' | '^') => (&inside[1..], true),
        _ => (inside, false),
    };
    let mut taken = false;
    let mut at = 0;
    while at < inside.len() {
        match inside.get(at + 1..at + 3) {
            Some(['-', to]) => {
                taken |= (inside[at]..=*to).contains(&letter);
                at += 3;
            }
            _ => {
                taken |= inside[at] == letter;
                at += 1;
            }
        }
    }
    (taken != negated).then_some(end + 1)
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
    fn an_allow_rule_does_not_match_unknown_parts() {
        let unknown = format!("rm -rf {UNKNOWN}");
        assert!(fits("rm -rf *", "rm -rf /opt/x", UnknownMatch::KnownText));
        assert!(!fits("rm -rf *", &unknown, UnknownMatch::KnownText));
        assert!(fits("rm -rf *", &unknown, UnknownMatch::Anything));
        assert!(!fits("rm", "rm -rf /", UnknownMatch::KnownText), "a rule is a whole command");
        assert!(fits("ls [a]?", "ls [a]?", UnknownMatch::KnownText));
        assert!(!fits("ls [a]?", "ls ab", UnknownMatch::KnownText));
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        let pattern = "*a".repeat(200);
        assert!(!names(&pattern, &"a".repeat(199)));
    }
}
