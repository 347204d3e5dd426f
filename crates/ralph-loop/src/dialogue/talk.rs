//! The other side of a dialogue.

use super::Silence;

pub(crate) trait Talk {
    /// Text as it stands, with its line ends.
    fn say(&mut self, text: &str) -> Result<(), Silence>;

    /// One line, without its end.
    fn ask(&mut self, question: &str) -> Result<String, Silence>;
}
