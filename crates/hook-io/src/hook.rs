//! The life of a hook: one input, one answer, exit code 0.

use std::io::Write;

use crate::input::read_input;
use crate::person::words_for_a_person;
use crate::{HookInput, InputError, Verdict};

/// A hook program, as it introduces itself.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    pub name: &'static str,
    pub version: &'static str,
    /// For a person who starts it by hand.
    pub about: &'static str,
}

impl Hook {
    /// Reads standard input and delivers what `decide` makes of it; a person gets the help instead.
    pub fn run(self, decide: impl FnOnce(Result<HookInput, InputError>) -> Verdict) {
        match words_for_a_person(self.name, self.version, self.about) {
            // Whoever does not read the answer does not get one.
            Some(words) => drop(writeln!(std::io::stdout(), "{}", words.trim_end())),
            None => decide(read_input()).deliver(self.name),
        }
    }
}
