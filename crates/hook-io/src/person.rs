//! A person who starts a hook by hand: told what it is, instead of being waited for.

use std::io::IsTerminal;

/// What to print to a person; `None` when nobody but Claude Code is there. `about` is the hook's
/// help without its first line.
pub(crate) fn words_for_a_person(hook: &str, version: &str, about: &str) -> Option<String> {
    let input = if std::io::stdin().is_terminal() { Input::Keyboard } else { Input::Pipe };
    let argument =
        std::env::args_os().nth(1).map(|argument| argument.to_string_lossy().into_owned());
    words(argument.as_deref(), input, &format!("{hook} {version}"), about)
}

#[derive(Debug, Clone, Copy)]
enum Input {
    Keyboard,
    Pipe,
}

fn words(argument: Option<&str>, input: Input, name: &str, about: &str) -> Option<String> {
    match (argument, input) {
        (Some("--version" | "-V"), _) => Some(name.to_owned()),
        (Some(_), _) | (None, Input::Keyboard) => Some(format!("{name}\n\n{about}")),
        (None, Input::Pipe) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_answered_and_claude_code_is_not() {
        let asked = |argument, input| words(argument, input, "hook 1.0", "It guards.");
        let help = Some("hook 1.0\n\nIt guards.".to_owned());
        assert_eq!(asked(None, Input::Pipe), None);
        assert_eq!(asked(None, Input::Keyboard), help);
        assert_eq!(asked(Some("--help"), Input::Pipe), help);
        assert_eq!(asked(Some("--version"), Input::Pipe).as_deref(), Some("hook 1.0"));
    }
}
