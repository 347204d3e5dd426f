//! `read`: lines of the input as values of variables.

use super::command_output::{CommandOutput, Printed};
use crate::arguments::Arguments;
use crate::invocation::Input;
use crate::shell::{Run, Shell};
use crate::word::{Piece, Word};

impl Shell<'_> {
    pub(super) fn read_line(&mut self, arguments: &[Word]) -> Printed {
        let valued = ["a", "d", "i", "n", "N", "p", "t", "u"];
        let (options, names) = Arguments::leading(arguments, &valued);
        let end = options.value(&["d"]).and_then(Word::text);
        let (line, succeeds) = match &mut self.context.input {
            Input::Text { text, .. } => {
                let succeeds = Some(!text.is_empty());
                let mut lines = split(text, end.as_deref().unwrap_or("\n"), 2).into_iter();
                let line = lines.next().unwrap_or_default();
                *text = lines.next().unwrap_or_default();
                (line, succeeds)
            }
            _ => (self.unknown_input(), None),
        };
        self.spend(line.weight())?;
        let separators = self.separators();
        if let Some(array) = options.value(&["a"]).and_then(Word::text) {
            self.set_list(&array, split(&line, &separators, usize::MAX));
        }
        let mut values = split(&line, &separators, names.len().max(1)).into_iter();
        // One unknown line makes all variables unknown.
        let rest = if line.text().is_none() { line.unknown_parts() } else { Word::default() };
        for name in names.iter().filter_map(Word::text) {
            self.scope.set(&name, values.next().unwrap_or_else(|| rest.clone()));
        }
        if names.is_empty() {
            self.scope.set("REPLY", line);
        }
        Ok(CommandOutput { succeeds, ..CommandOutput::default() })
    }

    /// `mapfile`
    pub(super) fn read_lines(&mut self, arguments: &[Word]) -> Run<()> {
        let options = Arguments::of(arguments, &["d", "n", "O", "s", "u", "C", "c"]);
        let name = options.operands.first().and_then(Word::text);
        let end = options.value(&["d"]).and_then(Word::text);
        let lines = match &self.context.input {
            Input::Text { text, .. } => split(text, end.as_deref().unwrap_or("\n"), usize::MAX),
            _ => vec![self.unknown_input()],
        };
        self.spend(lines.iter().map(Word::weight).sum())?;
        self.set_list(name.as_deref().unwrap_or("MAPFILE"), lines);
        Ok(())
    }

    fn set_list(&mut self, name: &str, items: Vec<Word>) {
        let items = items.into_iter().enumerate().map(|(at, word)| (at.to_string(), word));
        self.scope.set_items(name, items.collect());
    }
}

/// Splits at separators into at most `most` words; the last one takes the rest.
pub(super) fn split(line: &Word, separators: &str, most: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    for piece in &line.pieces {
        let Piece::Text(text) = piece else {
            word.push(piece.clone());
            continue;
        };
        let mut rest = text.as_str();
        while words.len() + 1 < most
            && let Some((head, tail)) = rest.split_once(|c| separators.contains(c))
        {
            word.push_text(head);
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            rest = tail;
        }
        word.push_text(rest);
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}
