//! The layout of one part of a prompt: the text of its first items, and its token count.
//!
//! Pieces begin with a line break and end with another character. No token spans such a boundary, so the
//! weights of pieces add up to the weight of their text.

use itertools::Itertools;

use crate::budget::PartContent;
use crate::clean::{clean, one_line};
use crate::item::Item;
use crate::prompt_part::PromptPart;
use crate::tokens::{weight, whole};

#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) part: PromptPart,
    heading: String,
    pieces: Vec<String>,
    /// `weights[n]` is the weight of the heading and the first `n` pieces.
    weights: Vec<u64>,
}

impl Section {
    pub(crate) fn new(wanted: PartContent) -> Self {
        let heading = clean(&wanted.heading).trim().to_owned();
        let mut pieces: Vec<String> = Vec::with_capacity(wanted.items.len());
        let mut group = None;
        for item in &wanted.items {
            let blank = heading.is_empty() && pieces.is_empty();
            if let Some(piece) = piece(item, group, if blank { "" } else { "\n\n" }) {
                pieces.push(piece);
                group = item.group.as_deref();
            }
        }
        let mut weights = vec![weight(&heading, None)];
        let mut before = heading.chars().next_back();
        for piece in &pieces {
            weights.push(weights[weights.len() - 1] + weight(piece, before));
            before = piece.chars().next_back();
        }
        Section { part: wanted.part, heading, pieces, weights }
    }

    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Tokens of `text(kept)`.
    pub(crate) fn cost(&self, kept: usize) -> usize {
        if kept == 0 {
            return 0;
        }
        let before = self.pieces[kept - 1].chars().next_back();
        whole(self.weights[kept] + weight(&self.remark(kept), before))
    }

    /// The largest number of items, at most `kept`, within `limit` tokens.
    pub(crate) fn items_within(&self, kept: usize, limit: usize) -> usize {
        let without_remark =
            self.weights[..=kept].partition_point(|weight| whole(*weight) <= limit);
        (1..without_remark).rev().find(|&kept| self.cost(kept) <= limit).unwrap_or(0)
    }

    pub(crate) fn text(&self, kept: usize) -> String {
        if kept == 0 {
            return String::new();
        }
        format!("{}{}{}", self.heading, self.pieces[..kept].concat(), self.remark(kept))
    }

    fn remark(&self, kept: usize) -> String {
        match self.len() - kept {
            0 => String::new(),
            1 => "\n\n(1 more was left out: not enough space.)".to_owned(),
            count => format!("\n\n({count} more were left out: not enough space.)"),
        }
    }
}

/// `None` for an empty item.
fn piece(item: &Item, group_before: Option<&str>, gap: &str) -> Option<String> {
    let text = clean(&item.text);
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return None;
    }
    let Some(group) = &item.group else {
        return Some(format!("{gap}{text}"));
    };
    let bullet = bullet(text.trim_start());
    Some(if group_before == Some(group.as_str()) {
        format!("\n{bullet}")
    } else {
        format!("{gap}### {}\n\n{bullet}", one_line(group))
    })
}

/// Lines after the first are indented, so that Markdown blocks in them end with the bullet.
fn bullet(text: &str) -> String {
    let indented = |line| format!("  {line}").trim_end().to_owned();
    let lines = text.split('\n').map(indented).join("\n");
    format!("- {}", lines.trim_start())
}
