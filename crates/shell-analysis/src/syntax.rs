//! The syntax tree of a shell text, before expansion.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::word::Unknown;

pub(crate) type List = Vec<AndOr>;

/// Pipelines joined by `&&` and `||`.
pub(crate) struct AndOr {
    pub(crate) first: Pipeline,
    /// Each with `||` or else `&&` before it.
    pub(crate) rest: Vec<(bool, Pipeline)>,
    /// With `&`.
    pub(crate) is_background: bool,
}

pub(crate) struct Pipeline {
    /// With `!`.
    pub(crate) is_negated: bool,
    pub(crate) stages: Vec<Command>,
}

pub(crate) struct Command {
    pub(crate) form: Form,
    pub(crate) redirects: Vec<Redirection>,
}

/// `While` is also `until` and `for ((…))`, which is endless without a condition. `For` is also `select`, and without
/// `in` it takes the positional parameters. `If` is also `case`. `Expression` is `[[ … ]]` and `((…))`.
pub(crate) enum Form {
    Simple(Simple),
    Group(List),
    Subshell(List),
    If { arms: Vec<(List, List)>, otherwise: List },
    While { condition: List, body: List, is_until: bool },
    For { name: String, items: Option<Vec<RawWord>>, body: List },
    Function { name: String, body: Rc<Command> },
    Expression(Vec<RawWord>),
    Coprocess { name: String, command: Box<Command> },
}

#[derive(Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<RawWord>,
}

pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) index: Option<RawWord>,
    /// With `+=`.
    pub(crate) extends: bool,
    pub(crate) value: RawWord,
}

pub(crate) struct Redirection {
    /// The number before the operator.
    pub(crate) descriptor: Option<u32>,
    pub(crate) operator: &'static str,
    /// The text of a here-document is only set after the line with its operator.
    pub(crate) word: Rc<OnceCell<RawWord>>,
}

/// A word before expansion.
#[derive(Clone, Default)]
pub(crate) struct RawWord {
    pub(crate) parts: Vec<WordPart>,
}

#[derive(Clone)]
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

#[derive(Clone, Default)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// `${!NAME}`
    pub(crate) is_indirect: bool,
    pub(crate) index: Option<RawWord>,
    /// What follows the name, such as `:-`; `length` for `${#NAME}`.
    pub(crate) operator: &'static str,
    pub(crate) operands: Vec<RawWord>,
}

impl Simple {
    /// Whether its arguments are assignments.
    pub(crate) fn declares(&self) -> bool {
        let name = self.words.first().and_then(RawWord::plain);
        matches!(name, Some("export" | "declare" | "typeset" | "local" | "readonly"))
    }
}

impl RawWord {
    /// Appends one character; quoted, it is literal.
    pub(crate) fn push(&mut self, c: char, is_quoted: bool) {
        self.extend(&[c], is_quoted);
    }

    pub(crate) fn extend(&mut self, run: &[char], is_quoted: bool) {
        match self.parts.last_mut() {
            Some(WordPart::Plain(text)) if !is_quoted => text.extend(run),
            Some(WordPart::Quoted(text)) if is_quoted => text.extend(run),
            _ if is_quoted => self.parts.push(WordPart::Quoted(run.iter().collect())),
            _ => self.parts.push(WordPart::Plain(run.iter().collect())),
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
