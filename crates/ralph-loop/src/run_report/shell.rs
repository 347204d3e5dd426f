//! Names in commands that a person copies: branches and files are called whatever somebody called them.

use crate::report::neutral_line;

/// What git takes for a pattern.
const MAGIC: [char; 4] = ['*', '?', '[', '\\'];

/// Brings the work of `branch` to `base`; None if there is no other branch to bring it to.
pub(crate) fn take_over_commands(branch: &str, base: Option<&str>) -> Option<[String; 2]> {
    let base = base.filter(|base| !branch.is_empty() && *base != branch)?;
    Some([format!("git switch {}", quoted(base)), format!("git merge {}", quoted(branch))])
}

/// As a shell takes it.
pub(crate) fn quoted(name: &str) -> String {
    shlex::try_quote(name).map(Into::into).unwrap_or_default()
}

/// A pathspec of git for this path and nothing else.
pub(super) fn pathspec(path: &str) -> String {
    if path.chars().all(can_be_copied) {
        let is_magic = path.starts_with(':') || path.contains(MAGIC);
        return if is_magic { format!(":(literal){path}") } else { path.to_owned() };
    }
    let pattern =
        path.chars().map(|c| if can_be_copied(c) && !MAGIC.contains(&c) { c } else { '*' });
    format!(":(glob){}", pattern.collect::<String>())
}

/// A pathspec of git for all but this path.
pub(super) fn left_out(path: &str) -> String {
    let path = path.trim_end_matches('/');
    if is_plain(path) { format!(":!{path}") } else { format!(":(exclude,literal){path}") }
}

/// A character that steers a terminal is not shown as it is.
fn can_be_copied(c: char) -> bool {
    let text = c.to_string();
    neutral_line(&text) == text
}

fn is_plain(path: &str) -> bool {
    path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_path_and_no_pattern() {
        assert_eq!(pathspec("tests/a b.rs"), "tests/a b.rs");
        assert_eq!(pathspec("app/[id].test.ts"), ":(literal)app/[id].test.ts");
        assert_eq!(pathspec(":x"), ":(literal):x");
        assert_eq!(pathspec("a\x1b[2J\nb\u{202e}"), ":(glob)a**2J*b*");
    }

    #[test]
    fn what_is_left_out_is_no_pattern_either() {
        assert_eq!(left_out("ralph/"), ":!ralph");
        assert_eq!(left_out("r*"), ":(exclude,literal)r*");
        assert_eq!(left_out("(x)"), ":(exclude,literal)(x)");
    }

    #[test]
    fn a_shell_takes_a_name_as_it_is() {
        assert_eq!(quoted("wip/f"), "wip/f");
        assert_eq!(quoted("$(reboot);`x`"), "'$(reboot);`x`'");
        assert_eq!(quoted("it's"), "\"it's\"");
    }
}
