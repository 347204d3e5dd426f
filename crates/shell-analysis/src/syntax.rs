//! The syntax tree of a shell text, before expansion.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::word::Unknown;

pub(crate) type List = Vec<AndOr>;

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub(crate) struct AndOr {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Connector, Pipeline)>,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connector {
    And,
    Or,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// `;` or the end of a line.
    Wait,
    /// `&`
    Background,
}

#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    pub(crate) sense: Sense,
    pub(crate) stages: Vec<Command>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    AsIs,
    /// With `!`.
    Inverted,
}

#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) form: Form,
    pub(crate) redirects: Vec<Redirection>,
}

#[derive(Debug, Clone)]
pub(crate) enum Form {
    Simple(Simple),
    Group(List),
    Subshell(List),
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    While {
        condition: List,
        body: List,
        until: Sense,
    },
    /// `for` and `select`; without `in`, over the positional parameters.
    For {
        name: String,
        items: Option<Vec<Raw>>,
        body: List,
    },
    /// `for ((…))`.
    Count {
        header: Raw,
        body: List,
        ending: Ending,
    },
    Case {
        subject: Raw,
        arms: Vec<(Vec<Raw>, List)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`
    Condition(Vec<Raw>),
    /// `(( … ))`
    Arithmetic(Raw),
    Coprocess {
        name: String,
        command: Box<Command>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Sometime,
    Never,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Raw>,
}

#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) index: Option<Raw>,
    pub(crate) how: Assign,
    pub(crate) value: Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assign {
    Replace,
    /// `+=`
    Extend,
}

#[derive(Debug, Clone)]
pub(crate) struct Redirection {
    /// The number before the operator.
    pub(crate) descriptor: Option<u32>,
    pub(crate) target: Target,
}

#[derive(Debug, Clone)]
pub(crate) enum Target {
    Read(Raw),
    Write(Raw),
    Append(Raw),
    ReadWrite(Raw),
    /// `&>`
    WriteBoth(Raw),
    /// `&>>`
    AppendBoth(Raw),
    /// `<&`
    CopyIn(Raw),
    /// `>&`
    CopyOut(Raw),
    HereString(Raw),
    /// Its text comes after the line with its operator.
    HereDocument(Rc<OnceCell<Raw>>),
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raw {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Unquoted: patterns and braces are active.
    Plain(String),
    /// Quoted: literal.
    Quoted(String),
    /// `"…"`
    Double(Vec<Part>),
    Parameter(Box<Parameter>),
    /// `$(…)` and backticks.
    Command(Rc<List>),
    /// `<(…)`
    ProcessIn(Rc<List>),
    /// `>(…)`
    ProcessOut(Rc<List>),
    /// `$((…))`
    Arithmetic(Raw),
    /// `NAME=(…)`, the part in brackets.
    Array(Vec<(Option<Raw>, Raw)>),
    /// A part of the text that was unknown when the text was built.
    Hole(Unknown),
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    pub(crate) index: Index,
    pub(crate) operation: Operation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Direct,
    /// `${!NAME}`
    Indirect,
}

#[derive(Debug, Clone)]
pub(crate) enum Index {
    None,
    /// `[@]`
    Each,
    /// `[*]`
    Joined,
    At(Raw),
}

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Plain,
    /// `${#NAME}`
    Length,
    /// `-`, `=`, `+`, `?`
    Substitute {
        kind: Substitute,
        empty: Empty,
        word: Raw,
    },
    /// `#` and `##`
    CutStart {
        greed: Greed,
        pattern: Raw,
    },
    /// `%` and `%%`
    CutEnd {
        greed: Greed,
        pattern: Raw,
    },
    /// `/`, `//`, `/#`, `/%`
    Replace {
        place: Place,
        pattern: Raw,
        by: Raw,
    },
    /// `:offset:length`
    Slice {
        offset: Raw,
        length: Option<Raw>,
    },
    Upper(Extent),
    Lower(Extent),
    /// `@P`: the value is expanded once more.
    Prompt,
    /// `@Q` and others.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Substitute {
    Default,
    Assign,
    Alternative,
    Error,
}

/// Whether an empty value counts as none (`:-`) or as a value (`-`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    IsNone,
    IsValue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Greed {
    Shortest,
    Longest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    First,
    All,
    Start,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    First,
    All,
}

impl Raw {
    pub(crate) fn push_plain(&mut self, c: char) {
        if let Some(Part::Plain(text)) = self.parts.last_mut() {
            text.push(c);
        } else {
            // Most words have one part.
            self.parts.reserve_exact(1);
            self.parts.push(Part::Plain(c.into()));
        }
    }

    /// The text of a word without quotes and expansions.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
