//! A program that prints lines of JSON and has no adapter: filters of the user pick out of each line what it says.
//!
//! Filters are written in jq's language. They are the user's and trusted; the lines are the agent's and are not.

mod bounds;
mod decoder;
mod filter;
mod picked;

use crate::{Abilities, Decode, Installed, SignIn};

use decoder::Decoder;
pub use filter::{BadFilter, Filter};

pub(crate) use crate::text::command;

pub(crate) const ABILITIES: Abilities = Abilities { structured_output: true, ..Abilities::NONE };

pub(crate) const INSTALLED: Installed = crate::text::INSTALLED;

pub(crate) const SIGN_IN: SignIn = SignIn::ToldByItself;

/// What is picked out of a line. A filter that fails or gives nothing on a line picks nothing.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Messages of the agent, each a string.
    pub text: Option<Filter>,
    /// The final message, a string. Without this filter, it is the last message that no tool call follows.
    pub result: Option<Filter>,
    /// Tool calls: a string, or an object with `name` and `summary`.
    pub tool: Option<Filter>,
    /// What the line adds to the cost of the session: a number.
    pub cost_usd: Option<Filter>,
}

impl Filters {
    pub fn decoder(&self) -> Box<dyn Decode> {
        Box::new(Decoder::new(self.clone()))
    }
}
