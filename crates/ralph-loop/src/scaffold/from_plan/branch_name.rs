//! Whether git would take a name for a branch, without asking it.

/// The rules of `git check-ref-format --branch`, but for names that only a command could mistake.
pub(super) fn is_legal(name: &str) -> bool {
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\\u{7f}".contains(c);
    let part_is_legal =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !matches!(name, "@" | "HEAD")
        && name.split('/').all(part_is_legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_takes_is_taken_and_nothing_else() {
        for name in ["main", "feature/ralph-orchestrator", "größe", "a.b", "a@b", "x/HEAD"] {
            assert!(is_legal(name), "{name}");
        }
        for name in [
            "", "a b", "a..b", "-f", "a.", "/a", "a/", "a//b", ".a", "a/.b", "x.lock", "x.lock/y",
            "a@{1}", "@", "HEAD", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\nb",
        ] {
            assert!(!is_legal(name), "{name:?}");
        }
    }
}
