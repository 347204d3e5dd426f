//! A test, a group of tests, or a helper function.

use std::ops::Range;

use crate::body::Body;
use crate::mark::{Mark, Marked};
use crate::source::Source;
use crate::token::TokenKind;

/// Opening and closing brackets.
pub(crate) const BRACKETS: [&str; 2] = ["([{", ")]}"];

/// Limit for messages and prompts.
const LONGEST_NAME: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Test,
    Group,
    Helper,
    File,
}

#[derive(Debug)]
pub(crate) struct Unit<'a> {
    pub(crate) role: Role,
    /// Qualified by its groups, in the notation of its language.
    pub(crate) name: String,
    pub(crate) leaf: &'a str,
    pub(crate) marks: Vec<Marked>,
    pub(crate) body: Body<'a>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(role: Role, name: String, leaf: &'a str) -> Self {
        Self { role, name, leaf, marks: Vec::new(), body: Body::default() }
    }

    /// The unit for the file as a whole.
    pub(crate) fn file() -> Self {
        Self::new(Role::File, String::new(), "")
    }

    pub(crate) fn mark(&mut self, mark: Mark, words: impl Into<String>) {
        self.marks.push(Marked::new(mark, words));
    }

    /// Its display name.
    pub(crate) fn subject(&self) -> String {
        let name = &self.name;
        match self.role {
            Role::Test => format!("`{name}`"),
            Role::Group => format!("all of `{name}`"),
            Role::Helper => format!("the helper `{name}`"),
            Role::File => "the whole file".to_owned(),
        }
    }

    /// Reads its code: calls `word` with the place and text of each word and the number of open brackets.
    /// Assertions after an unconditional `return` do not count.
    pub(crate) fn read_code(
        &mut self,
        source: &Source<'a>,
        range: Range<usize>,
        [opening, closing]: [&str; 2],
        mut word: impl FnMut(&mut Self, usize, &'a str, usize),
    ) {
        if !range.is_empty() {
            self.body.set_code(source, range.clone());
        }
        let (mut depth, mut returns) = (0_usize, None);
        for (at, token) in (range.start..).zip(source.slice(range)) {
            match token.kind {
                TokenKind::Mark if opening.contains(token.text) => depth += 1,
                TokenKind::Mark if closing.contains(token.text) => depth = depth.saturating_sub(1),
                TokenKind::Word if token.text == "return" && depth == 0 => {
                    returns = returns.or(Some(at));
                }
                TokenKind::Word => word(self, at, token.text, depth),
                _ => {}
            }
        }
        let mark = self.body.cut_at(returns.map(|at| source.statement_end(at)));
        self.marks.extend(mark);
    }
}

/// `leaf` in `group`, safe for one line between back quotes.
pub(crate) fn qualified(group: &str, between: &str, leaf: &str) -> String {
    let leaf = shown(leaf);
    if group.is_empty() { leaf } else { shown(&format!("{group}{between}{leaf}")) }
}

/// Foreign text, shortened and safe between back quotes.
pub(crate) fn shown(words: &str) -> String {
    let cut: String = words.chars().take(LONGEST_NAME + 1).collect();
    let plain = sanitize::plain(&cut).replace('`', "'");
    match plain.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", plain.get(..end).unwrap_or_default()),
        None => plain,
    }
}

pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
