//! One statement about an event: its words and their roles, before layout.

use crate::Role;

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub detail: Detail,
    pub form: Form,
    /// 0 for a heading, 1 for a statement, more for what belongs to it.
    pub depth: usize,
    pub mark: Option<(Role, Mark)>,
    /// Not sanitized. The only span of a statement may have several lines.
    pub spans: Vec<Span>,
}

/// Which displays show a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Normal,
    /// Output of the agent.
    Agent,
    /// The start of a step: not needed beside a status line, which shows the running step.
    Start,
    /// Only with `--verbose`.
    Verbose,
}

/// What the spans are, and how they are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    /// Long text, of which displays show the beginning.
    Excerpt,
    /// Text below the previous statement, which has the same mark.
    Continued,
    /// One line; its end may be cut.
    Cut,
    /// Separate facts.
    Parts,
    /// Facts with commas between them.
    List,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Span {
    Text(Role, String),
    /// A space follows it.
    Mark(Role, Mark),
}

/// A symbol; each display has its own characters for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Ok,
    Failed,
    Warning,
    Start,
    Back,
    Moved,
    Rest,
    /// A change of strategy.
    Shift,
    GivenUp,
    Clock,
    Arrow,
    /// Before a heading.
    Rule,
    /// Before a quoted line.
    Margin,
}

impl Span {
    pub fn role(&self) -> Role {
        match self {
            Self::Text(role, _) | Self::Mark(role, _) => *role,
        }
    }
}

impl Statement {
    fn new(mark: Option<(Role, Mark)>) -> Self {
        Self { detail: Detail::Normal, form: Form::Text, depth: 1, mark, spans: Vec::new() }
    }

    pub fn blank() -> Self {
        Self::new(None).at(0)
    }

    /// A mark without text yet.
    pub fn marked(role: Role, mark: Mark) -> Self {
        Self::new(Some((role, mark)))
    }

    pub fn note(role: Role, mark: Mark, text: impl Into<String>) -> Self {
        Self::marked(role, mark).with(Role::Plain, text)
    }

    pub fn warning(text: impl Into<String>) -> Self {
        Self::note(Role::Warn, Mark::Warning, text)
    }

    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(None).with(role, text)
    }

    /// Text that belongs to the previous statement.
    pub fn below(role: Role, text: impl Into<String>) -> Self {
        Self::text(role, text).at(3)
    }

    pub fn verbose(text: impl Into<String>) -> Self {
        Self::text(Role::Dim, text).detail(Detail::Verbose)
    }

    pub fn parts(parts: impl IntoIterator<Item = (Role, String)>) -> Self {
        Self::new(None).joined(Form::Parts, parts)
    }

    pub fn joined(self, form: Form, parts: impl IntoIterator<Item = (Role, String)>) -> Self {
        let spans = parts.into_iter().map(|(role, text)| Span::Text(role, text)).collect();
        Self { form, spans, ..self }
    }

    pub fn with(mut self, role: Role, text: impl Into<String>) -> Self {
        self.spans.push(Span::Text(role, text.into()));
        self
    }

    pub fn with_mark(mut self, role: Role, mark: Mark) -> Self {
        self.spans.push(Span::Mark(role, mark));
        self
    }

    pub fn at(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    pub fn detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// The role of the statement as a whole.
    pub fn role(&self) -> Role {
        let first = self.spans.first().map(Span::role);
        self.mark.map(|(role, _)| role).or(first).unwrap_or(Role::Plain)
    }

    /// Without roles and marks; not sanitized.
    pub fn words(&self) -> String {
        let texts = self.spans.iter().map(|span| match span {
            Span::Text(_, text) => text.as_str(),
            Span::Mark(_, Mark::Arrow) => "-> ",
            Span::Mark(..) => "",
        });
        let separator = match self.form {
            Form::Parts | Form::List => ", ",
            Form::Text | Form::Excerpt | Form::Continued | Form::Cut => "",
        };
        texts.collect::<Vec<_>>().join(separator)
    }
}
