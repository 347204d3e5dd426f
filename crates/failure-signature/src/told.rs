//! One line of output and whose it is. Made of all that is known about layout; what remains is what the
//! check has to tell about its failure.

use std::rc::Rc;

use crate::{chatter, excerpts, lines, sections};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The test, file or error this line was printed under.
    pub(crate) owner: Option<Rc<Owner>>,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) kind: OwnerKind,
    pub(crate) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnerKind {
    Test,
    /// A test of pytest, with its source below.
    Pytest,
    /// A linter's file, with its findings below.
    File,
    /// A compiler's message, with its places and notes below.
    Message,
}

pub(crate) fn told(output: &str) -> Vec<Told> {
    let lines = excerpts::reduce(lines::lines(output).collect());
    let mut told = sections::attribute(lines);
    told.retain_mut(|line| chatter::without_chatter(&mut line.text));
    told
}
