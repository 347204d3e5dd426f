//! Parses a text to its syntax.

pub(crate) mod ansi;
mod command;
mod compound;
mod dollar;
mod parser;
mod redirection;
mod word;

use crate::analysis::Unanalyzed;
use crate::limits::NODES;
use crate::syntax::{List, RawWord};
use crate::text::Text;
use crate::word::Word;
pub(crate) use parser::in_name;
use parser::{Parser, Quotes};

/// The syntax up to the first error, if any.
pub(crate) fn parse(text: &Word) -> (List, Option<Unanalyzed>) {
    let mut list = List::new();
    let trouble = Parser::new(&Text::of_word(text), 0, NODES).whole(&mut list).err();
    (list, trouble)
}

/// Parses a text as if in double quotes.
pub(crate) fn parse_quoted(text: &Word) -> Option<RawWord> {
    Parser::new(&Text::of_word(text), 0, NODES).here_body(Quotes::Here).ok()
}
