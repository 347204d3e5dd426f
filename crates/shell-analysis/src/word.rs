//! One word of a command as the program gets it, as far as it is known.

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

impl Word {
    pub fn of(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())] }
    }

    /// The whole text, if no part is unknown; a pattern counts as its text.
    pub fn text(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) | Piece::Glob(part) => text.push_str(part),
                Piece::Unknown(_) => return None,
            }
        }
        Some(text)
    }

    /// Whether it is known to be exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.text().as_deref() == Some(text)
    }

    /// The text before the first unknown part.
    pub fn known_start(&self) -> String {
        let known = self.pieces.iter().map_while(|piece| match piece {
            Piece::Text(part) | Piece::Glob(part) => Some(part.as_str()),
            Piece::Unknown(_) => None,
        });
        known.collect()
    }

    /// For display: unknown parts as `${NAME}` or `$(…)`.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) | Piece::Glob(part) => shown.push_str(part),
                Piece::Unknown(Unknown::Variable(name)) => {
                    shown.push_str("${");
                    shown.push_str(name);
                    shown.push('}');
                }
                Piece::Unknown(_) => shown.push_str("$(…)"),
            }
        }
        shown
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
        if let Some(Piece::Text(end)) = self.pieces.last_mut() {
            end.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        for piece in other.pieces {
            self.push(piece);
        }
    }

    pub(crate) fn of_unknown(unknown: Unknown) -> Self {
        Self { pieces: vec![Piece::Unknown(unknown)] }
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
        let weights = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => text.len(),
            Piece::Unknown(Unknown::Output(invocations) | Unknown::Item(invocations)) => {
                invocations.len()
            }
            Piece::Unknown(_) => 1,
        });
        weights.sum::<usize>() + self.pieces.len() * PIECE_COST
    }

    /// Only its unknown parts, for results that cannot be computed.
    pub(crate) fn unknown_parts(&self) -> Self {
        let unknown = |piece: &&Piece| matches!(piece, Piece::Unknown(_));
        let mut pieces: Vec<_> = self.pieces.iter().filter(unknown).cloned().collect();
        if pieces.is_empty() {
            pieces.push(Piece::Unknown(Unknown::Value));
        }
        Self { pieces }
    }

    /// Removes the first `bytes` of the word, which are known text.
    pub fn without_start(&self, mut bytes: usize) -> Self {
        let mut rest = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) | Piece::Glob(text) if bytes > 0 => {
                    let left = text.get(bytes.min(text.len())..).unwrap_or_default();
                    bytes -= bytes.min(text.len());
                    match piece {
                        _ if left.is_empty() => {}
                        Piece::Glob(_) => rest.push(Piece::Glob(left.to_owned())),
                        _ => rest.push_text(left),
                    }
                }
                piece => rest.push(piece.clone()),
            }
        }
        rest
    }

    /// Replaces each `from` in its known parts.
    pub(crate) fn with(&self, from: &str, by: &Self) -> Self {
        let mut word = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) | Piece::Glob(text) if text.contains(from) => {
                    for (at, part) in text.split(from).enumerate() {
                        if at > 0 {
                            word.append(by.clone());
                        }
                        word.push_text(part);
                    }
                }
                piece => word.push(piece.clone()),
            }
        }
        word
    }

    /// Without trailing line breaks, as in a substitution.
    pub(crate) fn trimmed(mut self) -> Self {
        while let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.truncate(text.trim_end_matches('\n').len());
            if !text.is_empty() {
                break;
            }
            self.pieces.pop();
        }
        self
    }

    /// The commands whose output is part of it.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces.iter().flat_map(|piece| match piece {
            Piece::Unknown(Unknown::Output(invocations) | Unknown::Item(invocations)) => {
                invocations.clone()
            }
            _ => Vec::new(),
        })
    }
}
