//! The user's side of a dialogue.

use super::NoAnswer;

pub(crate) trait UserIo {
    /// Prints text verbatim.
    fn say(&mut self, text: &str) -> Result<(), NoAnswer>;

    /// Reads one line, without its line break.
    fn ask(&mut self, question: &str) -> Result<String, NoAnswer>;
}
