//! Agent `json`: a program that prints JSON lines and has no adapter. The user's jq filters select the events.
//!
//! The filters are trusted; the lines are not.

mod bounds;
mod decoder;
mod filter;
mod filter_output;

use crate::adapter::Adapter;
use crate::{Abilities, Decode, text};

use decoder::Decoder;
pub use filter::{BadFilter, Filter};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities { structured_output: true, ..Abilities::default() },
        // Without filters it selects nothing: `Filters::decoder` has them.
        decoder: |_| Filters::default().decoder(),
        ..text::adapter()
    }
}

/// The filters for each line. A filter that fails or has no output selects nothing.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Messages of the agent, each a string.
    pub text: Option<Filter>,
    /// The final message, a string. Without this filter, it is the last message without a later tool call.
    pub result: Option<Filter>,
    /// Tool calls: a string, or an object with `name` and `summary`.
    pub tool: Option<Filter>,
    /// The cost that the line adds to the session: a number.
    pub cost_usd: Option<Filter>,
}

impl Filters {
    pub fn decoder(&self) -> Box<dyn Decode> {
        Box::new(Decoder::new(self.clone()))
    }
}
