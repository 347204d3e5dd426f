//! Runs a hook program: one input, one answer, exit code 0.

use std::io::Write;

use crate::help::help_for_user;
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
