//! `read` and `mapfile`: lines of the input as values of variables.

use super::{CommandOutput, ExitStatus, Printed, Run, Shell};
use crate::arguments::Arguments;
use crate::invocation::Input;
use crate::scope::Value;
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn read_line(&mut self, arguments: &[Word]) -> Printed {
        let valued = ["a", "d", "i", "n", "N", "p", "t", "u"];
        let (options, names) = Arguments::leading(arguments, &valued);
        let end = options.value(&["d"]).and_then(Word::text);
        let end = end.unwrap_or_else(|| "\n".to_owned());
        let (line, status) = match &mut self.context.input {
            Input::Text { text, .. } if text.is_empty() => (Word::default(), ExitStatus::Failure),
            Input::Text { text, .. } => {
                let mut lines = split(text, &end, 2).into_iter();
                let line = lines.next().unwrap_or_default();
                *text = lines.next().unwrap_or_default();
                (line, ExitStatus::Success)
            }
            _ => (self.unknown_input(), ExitStatus::Unknown),
        };
        self.spend(line.weight())?;
        let separators = self.separators();
        if let Some(array) = options.value(&["a"]).and_then(Word::text) {
            self.set_items(&array, split(&line, &separators, usize::MAX));
            return Ok(CommandOutput::nothing(status));
        }
        let mut names: Vec<String> = names.iter().filter_map(Word::text).collect();
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        let mut values = split(&line, &separators, names.len()).into_iter();
        for name in names {
            // One unknown line makes all variables unknown.
            let rest = if line.text().is_none() { line.unknown_parts() } else { Word::default() };
            self.scope.set(&name, Value::Text(values.next().unwrap_or(rest)));
        }
        Ok(CommandOutput::nothing(status))
    }

    pub(super) fn read_lines(&mut self, arguments: &[Word]) -> Run<()> {
        let options = Arguments::of(arguments, &["d", "n", "O", "s", "u", "C", "c"]);
        let name = options.operands.first().and_then(Word::text);
        let end = options.value(&["d"]).and_then(Word::text);
        let lines = match &self.context.input {
            Input::Text { text, .. } => split(text, end.as_deref().unwrap_or("\n"), usize::MAX),
            _ => vec![self.unknown_input()],
        };
        self.spend(lines.iter().map(Word::weight).sum())?;
        self.set_items(name.as_deref().unwrap_or("MAPFILE"), lines);
        Ok(())
    }

    fn set_items(&mut self, name: &str, items: Vec<Word>) {
        let items = items.into_iter().enumerate();
        let items = items.map(|(at, word)| (at.to_string(), word)).collect();
        self.scope.set(name, Value::List(items));
    }

    /// One item of an input that is only known at run time.
    pub(super) fn unknown_input(&self) -> Word {
        Word::of_unknown(Unknown::Item(match &self.context.input {
            Input::Pipe { from } => from.clone(),
            Input::Inherited | Input::Text { .. } => Vec::new(),
        }))
    }
}

/// Splits at separators into at most `most` words; the last one takes the rest.
pub(super) fn split(line: &Word, separators: &str, most: usize) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for piece in &line.pieces {
        let Piece::Text(text) = piece else {
            words.last_mut().into_iter().for_each(|word| word.push(piece.clone()));
            continue;
        };
        let mut rest = text.as_str();
        while words.len() < most
            && let Some((head, tail)) = rest.split_once(|c| separators.contains(c))
        {
            words.last_mut().into_iter().for_each(|word| word.push_text(head));
            if words.last().is_some_and(|word| !word.is_empty()) {
                words.push(Word::default());
            }
            rest = tail;
        }
        words.last_mut().into_iter().for_each(|word| word.push_text(rest));
    }
    words.retain(|word| !word.is_empty());
    words
}
