//! Patterns of file names and commands, without looking at the disk.

pub(crate) use shell_analysis::glob;

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
