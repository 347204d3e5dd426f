//! Prints the help when a user starts a hook by hand, instead of waiting for input.

use std::io::IsTerminal;

/// The help or version text for a user; `None` when Claude Code runs the hook. `about` is the help
/// without its first line.
pub(crate) fn help_for_user(hook: &str, version: &str, about: &str) -> Option<String> {
    let argument =
        std::env::args_os().nth(1).map(|argument| argument.to_string_lossy().into_owned());
    let on_terminal = std::io::stdin().is_terminal();
    text(argument.as_deref(), on_terminal, &format!("{hook} {version}"), about)
}

fn text(argument: Option<&str>, on_terminal: bool, name: &str, about: &str) -> Option<String> {
    match argument {
        Some("--version" | "-V") => Some(name.to_owned()),
        None if !on_terminal => None,
        _ => Some(format!("{name}\n\n{about}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_get_help_and_claude_code_does_not() {
        let printed = |argument, on_terminal| text(argument, on_terminal, "hook 1.0", "It guards.");
        let help = Some("hook 1.0\n\nIt guards.".to_owned());
        assert_eq!(printed(None, false), None);
        assert_eq!(printed(None, true), help);
        assert_eq!(printed(Some("--help"), false), help);
        assert_eq!(printed(Some("--version"), false).as_deref(), Some("hook 1.0"));
    }
}
