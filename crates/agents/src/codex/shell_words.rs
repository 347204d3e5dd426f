//! Extracts the script from a shell command for display.

/// Codex reports every command with its shell: `/bin/bash -lc 'cargo test'`.
pub(super) fn script(command: &str) -> String {
    let call = command.split_once(" -lc ").or_else(|| command.split_once(" -c "));
    match call {
        Some((shell, script)) if shell.ends_with("sh") && !shell.contains(' ') => unquoted(script),
        _ => command.to_owned(),
    }
}

fn unquoted(word: &str) -> String {
    let inside = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    match (inside('\''), inside('"')) {
        (Some(inside), _) => inside.replace(r"'\''", "'").replace(r#"'"'"'"#, "'"),
        (_, Some(inside)) => inside.replace(r#"\""#, "\""),
        // Also an unterminated quote.
        _ => word.trim_start_matches(['\'', '"']).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_script() {
        assert_eq!(script("/bin/bash -lc 'echo hi'"), "echo hi");
        assert_eq!(script("bash -lc ls"), "ls");
        assert_eq!(script(r#"/bin/zsh -lc "echo 'a' \"b\"""#), r#"echo 'a' "b""#);
        assert_eq!(script(r"/bin/sh -c 'it'\''s'"), "it's");
        assert_eq!(script("bash -lc 'cut of"), "cut of");
    }

    #[test]
    fn other_commands_are_unchanged() {
        assert_eq!(script("python -c 'print(1)'"), "python -c 'print(1)'");
        assert_eq!(script("git push -c x"), "git push -c x");
        assert_eq!(script(""), "");
    }
}
