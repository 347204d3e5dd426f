//! One word of a command as the program gets it, as far as it is known.

use std::borrow::Cow;

use crate::limits::PIECE_COST;

/// A word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// An unquoted pattern (`*`, `?`, `[…]`), which the shell replaces with file names.
    Glob(String),
    Unknown(Unknown),
}

/// A part of a word that is only known at run time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// A variable that the text does not set.
    Variable(String),
    /// The output of these commands, as indices into the list of the analysis.
    Output(Vec<usize>),
    /// A line or name from `xargs`, `find` or `read`, with the commands that produce it, if known.
    Item(Vec<usize>),
    /// Anything else, such as arithmetic.
    Value,
}

impl Piece {
    /// Its text, if known; a pattern counts as its text.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Glob(text) => Some(text),
            Self::Unknown(_) => None,
        }
    }

    fn sources(&self) -> &[usize] {
        match self {
            Self::Unknown(Unknown::Output(invocations) | Unknown::Item(invocations)) => invocations,
            _ => &[],
        }
    }

    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Glob(text) => text.into(),
            Self::Unknown(Unknown::Variable(name)) => format!("${{{name}}}").into(),
            Self::Unknown(_) => "$(…)".into(),
        }
    }
}

impl Word {
    pub fn of(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())] }
    }

    pub(crate) fn of_unknown(unknown: Unknown) -> Self {
        Self { pieces: vec![Piece::Unknown(unknown)] }
    }

    /// With spaces between them.
    pub fn joined<'w>(words: impl IntoIterator<Item = &'w Self>) -> Self {
        Self::joined_by(" ", words)
    }

    pub fn joined_by<'w>(between: &str, words: impl IntoIterator<Item = &'w Self>) -> Self {
        let mut joined = Self::default();
        for (at, word) in words.into_iter().enumerate() {
            joined.push_text(if at > 0 { between } else { "" });
            joined.append(word.clone());
        }
        joined
    }

    /// The whole text, if no part is unknown.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        self.pieces.iter().all(|piece| piece.text().is_some()).then(|| self.known_start())
    }

    /// Whether it is known to be exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.text().is_some_and(|own| own == text)
    }

    /// The text before the first unknown part.
    pub fn known_start(&self) -> Cow<'_, str> {
        joined(self.pieces.iter().map_while(|piece| piece.text().map(Cow::Borrowed)))
    }

    /// For display: unknown parts as `${NAME}` or `$(…)`.
    pub fn shown(&self) -> Cow<'_, str> {
        joined(self.pieces.iter().map(Piece::shown))
    }

    pub fn has_glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
    }

    pub(crate) fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (Some(Piece::Text(text)), Piece::Text(more)) => text.push_str(&more),
            (_, piece) => self.pieces.push(piece),
        }
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        if self.pieces.is_empty() {
            self.pieces = other.pieces;
        } else {
            other.pieces.into_iter().for_each(|piece| self.push(piece));
        }
    }

    /// Known to be empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(text) if text.is_empty()))
    }

    pub(crate) fn has_known_part(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Unknown(_)))
    }

    /// The cost of a copy.
    pub(crate) fn weight(&self) -> usize {
        let cost =
            |piece: &Piece| piece.text().map_or(1, str::len) + piece.sources().len() + PIECE_COST;
        self.pieces.iter().map(cost).sum()
    }

    /// Only its unknown parts, for results that cannot be computed.
    pub(crate) fn unknown_parts(&self) -> Self {
        let mut pieces = self.pieces.clone();
        pieces.retain(|piece| matches!(piece, Piece::Unknown(_)));
        if pieces.is_empty() {
            pieces.push(Piece::Unknown(Unknown::Value));
        }
        Self { pieces }
    }

    /// Removes the first `bytes` of the word, which are known text.
    pub fn without_start(&self, mut bytes: usize) -> Self {
        let mut rest = self.clone();
        while let Some(Piece::Text(text) | Piece::Glob(text)) = rest.pieces.first_mut() {
            let cut = bytes.min(text.len());
            *text = text.get(cut..).unwrap_or_default().to_owned();
            bytes -= cut;
            if !text.is_empty() {
                break;
            }
            rest.pieces.remove(0);
        }
        rest
    }

    /// Replaces each `from` in its known parts.
    pub(crate) fn with(&self, from: &str, by: &Self) -> Self {
        let mut word = Self::default();
        for piece in &self.pieces {
            match piece.text().filter(|text| text.contains(from)) {
                Some(text) => {
                    for (at, part) in text.split(from).enumerate() {
                        if at > 0 {
                            word.append(by.clone());
                        }
                        word.push_text(part);
                    }
                }
                None => word.push(piece.clone()),
            }
        }
        word
    }

    /// Without trailing line breaks, as in a substitution.
    pub(crate) fn trimmed(mut self) -> Self {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.truncate(text.trim_end_matches('\n').len());
        }
        self
    }

    /// The commands whose output is part of it.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().flat_map(Piece::sources).copied()
    }
}

/// The parts as one text; a single part is not copied.
fn joined<'p>(parts: impl Iterator<Item = Cow<'p, str>>) -> Cow<'p, str> {
    parts.fold(Cow::Borrowed(""), |text, part| text + part)
}
