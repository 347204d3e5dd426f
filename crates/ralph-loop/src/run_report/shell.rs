//! Quotes names in commands that a user copies: branch and file names are untrusted.

use events::RolledBack;

use crate::report::neutral_line;

/// Pattern characters of git.
const MAGIC: [char; 4] = ['*', '?', '[', '\\'];

/// Merges `branch` into `base`; `None` without a different base.
pub(crate) fn merge_commands(branch: &str, base: Option<&str>) -> Option<[String; 2]> {
    let base = base.filter(|base| !branch.is_empty() && *base != branch)?;
    Some([format!("git switch {}", quoted(base)), format!("git merge {}", quoted(branch))])
}

/// Quoted for a shell.
pub(crate) fn quoted(name: &str) -> String {
    shlex::try_quote(name).map(Into::into).unwrap_or_default()
}

/// Shows the changes of an iteration that was rolled back; `None` without changes.
pub(super) fn show_command(RolledBack { to, backup, .. }: &RolledBack) -> Option<String> {
    (!backup.is_empty()).then(|| format!("git diff {} {}", quoted(to), quoted(backup)))
}

/// A git pathspec for exactly this path.
pub(super) fn pathspec(path: &str) -> String {
    if path.chars().all(can_be_copied) {
        let is_magic = path.starts_with(':') || path.contains(MAGIC);
        return if is_magic { format!(":(literal){path}") } else { path.to_owned() };
    }
    let pattern =
        path.chars().map(|c| if can_be_copied(c) && !MAGIC.contains(&c) { c } else { '*' });
    format!(":(glob){}", pattern.collect::<String>())
}

/// Shows changes below the current folder, except those at the paths `without`; `what` is quoted.
pub(super) fn diff(what: &str, without: &[String]) -> String {
    let without = without.iter().map(|path| format!(" {}", quoted(&excluded(path))));
    format!("git diff {what} -- .{}", without.collect::<String>())
}

/// A git pathspec for everything but this path.
fn excluded(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_/".contains(c);
    let exclude = if path.chars().all(is_plain) { ":!" } else { ":(exclude,literal)" };
    format!("{exclude}{path}")
}

/// Control characters are not shown as they are.
fn can_be_copied(c: char) -> bool {
    let text = c.to_string();
    neutral_line(&text) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_characters_in_a_path_are_literal() {
        assert_eq!(pathspec("tests/a b.rs"), "tests/a b.rs");
        assert_eq!(pathspec("app/[id].test.ts"), ":(literal)app/[id].test.ts");
        assert_eq!(pathspec(":x"), ":(literal):x");
        assert_eq!(pathspec("a\x1b[2J\nb\u{202e}"), ":(glob)a**2J*b*");
    }

    #[test]
    fn pattern_characters_in_an_excluded_path_are_literal() {
        assert_eq!(excluded("ralph/"), ":!ralph");
        assert_eq!(excluded("r*"), ":(exclude,literal)r*");
        assert_eq!(excluded("(x)"), ":(exclude,literal)(x)");
    }

    #[test]
    fn names_are_quoted_for_the_shell() {
        assert_eq!(quoted("wip/f"), "wip/f");
        assert_eq!(quoted("$(reboot);`x`"), "'$(reboot);`x`'");
        assert_eq!(quoted("it's"), "\"it's\"");
    }
}
