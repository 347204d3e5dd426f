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
    /// With `!`.
    pub(crate) is_negated: bool,
    pub(crate) stages: Vec<Command>,
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
    /// `while` and `until`.
    While {
        condition: List,
        body: List,
        is_until: bool,
    },
    /// `for` and `select`; without `in`, over the positional parameters.
    For {
        name: String,
        items: Option<Vec<RawWord>>,
        body: List,
    },
    /// `for ((…))`.
    Count {
        header: RawWord,
        body: List,
        is_endless: bool,
    },
    Case {
        subject: RawWord,
        arms: Vec<(Vec<RawWord>, List)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`
    Condition(Vec<RawWord>),
    /// `(( … ))`
    Arithmetic(RawWord),
    Coprocess {
        name: String,
        command: Box<Command>,
    },
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<RawWord>,
}

#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) index: Option<RawWord>,
    pub(crate) how: Assign,
    pub(crate) value: RawWord,
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
    Read(RawWord),
    Write(RawWord),
    Append(RawWord),
    ReadWrite(RawWord),
    /// `&>`
    WriteBoth(RawWord),
    /// `&>>`
    AppendBoth(RawWord),
    /// `<&`
    CopyIn(RawWord),
    /// `>&`
    CopyOut(RawWord),
    HereString(RawWord),
    /// Its text comes after the line with its operator.
    HereDocument(Rc<OnceCell<RawWord>>),
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawWord {
    pub(crate) parts: Vec<WordPart>,
}

#[derive(Debug, Clone)]
pub(crate) enum WordPart {
    /// Unquoted: patterns and braces are active.
    Plain(String),
    /// Quoted: literal.
    Quoted(String),
    /// `"…"`
    Double(Vec<WordPart>),
    Parameter(Box<Parameter>),
    /// `$(…)` and backticks.
    Command(Rc<List>),
    /// `<(…)`
    ProcessIn(Rc<List>),
    /// `>(…)`
    ProcessOut(Rc<List>),
    /// `$((…))`
    Arithmetic(RawWord),
    /// `NAME=(…)`, the part in brackets.
    Array(Vec<(Option<RawWord>, RawWord)>),
    /// A part of the text that was unknown when the text was built.
    Hole(Unknown),
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// `${!NAME}`
    pub(crate) is_indirect: bool,
    pub(crate) index: Index,
    pub(crate) operation: Operation,
}

#[derive(Debug, Clone)]
pub(crate) enum Index {
    None,
    /// `[@]`
    Each,
    /// `[*]`
    Joined,
    At(RawWord),
}

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Plain,
    /// `${#NAME}`
    Length,
    /// `-`, `=`, `+`, `?`
    Substitute {
        kind: Substitute,
        /// `:-` instead of `-`.
        empty_is_unset: bool,
        word: RawWord,
    },
    /// `#` and `##`
    CutStart {
        greed: Greed,
        pattern: RawWord,
    },
    /// `%` and `%%`
    CutEnd {
        greed: Greed,
        pattern: RawWord,
    },
    /// `/`, `//`, `/#`, `/%`
    Replace {
        at: ReplaceAt,
        pattern: RawWord,
        by: RawWord,
    },
    /// `:offset:length`
    Slice {
        offset: RawWord,
        length: Option<RawWord>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Greed {
    Shortest,
    Longest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplaceAt {
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

impl RawWord {
    pub(crate) fn push_plain(&mut self, c: char) {
        if let Some(WordPart::Plain(text)) = self.parts.last_mut() {
            text.push(c);
        } else {
            // Most words have one part.
            self.parts.reserve_exact(1);
            self.parts.push(WordPart::Plain(c.into()));
        }
    }

    /// The text of a word without quotes and expansions.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [WordPart::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
