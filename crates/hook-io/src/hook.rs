//! Runs a hook program: one input, one answer, exit code 0; or its help, if a user starts it by hand.

use std::io::{IsTerminal, Write};

use crate::input::read_input;
use crate::{HookDecision, HookInput, InputError};

/// The name, version and help text of a hook program.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    pub name: &'static str,
    pub version: &'static str,
    /// The help text.
    pub about: &'static str,
}

impl Hook {
    /// Prints the help for a user, else reads standard input and prints the answer of `decide`.
    pub fn run(self, decide: impl FnOnce(Result<HookInput, InputError>) -> HookDecision) {
        match help_for_user(self.name, self.version, self.about) {
            // A closed standard output is no error.
            Some(help) => drop(writeln!(std::io::stdout(), "{}", help.trim_end())),
            None => decide(read_input()).deliver(self.name),
        }
    }
}

/// The help or version text for a user; `None` when Claude Code runs the hook. `about` is the help
/// without its first line.
fn help_for_user(hook: &str, version: &str, about: &str) -> Option<String> {
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
