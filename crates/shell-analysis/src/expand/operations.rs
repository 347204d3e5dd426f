//! Operations on the value of a variable: cut, replace, slice.

use super::pattern::Pattern;
use crate::interpret::{Run, Shell};
use crate::syntax::{Extent, Operation, RawWord};
use crate::text::Text;
use crate::word::Word;

impl Shell<'_> {
    pub(super) fn operate(&mut self, name: &str, operation: &Operation, word: Word) -> Run<Word> {
        self.spend(word.weight())?;
        let known = word.text();
        let Some(text) = known else {
            // The first character of PATH is `/` on every machine.
            let root = name == "PATH" && self.is_first_character(operation)?;
            return Ok(match operation {
                Operation::Plain => word,
                _ if root => Word::of("/"),
                _ => word.unknown_parts(),
            });
        };
        let changed = match operation {
            Operation::Plain => return Ok(word),
            Operation::Length => Some(text.chars().count().to_string()),
            Operation::CutStart { greed, pattern } => {
                let pattern = self.compiled(pattern, &text)?;
                pattern.and_then(|pattern| pattern.cut_start(&text, *greed))
            }
            Operation::CutEnd { greed, pattern } => {
                let pattern = self.compiled(pattern, &text)?;
                pattern.and_then(|pattern| pattern.cut_end(&text, *greed))
            }
            Operation::Replace { at, pattern, by } => {
                let pattern = self.compiled(pattern, &text)?;
                let by = self.single(by)?;
                let replaced = pattern.zip(by.text());
                let replaced = replaced.and_then(|(pattern, by)| pattern.replace(&text, &by, *at));
                self.spend(replaced.as_ref().map_or(0, String::len))?;
                replaced
            }
            Operation::Slice { offset, length } => {
                let from = self.number(offset)?;
                let count = match length {
                    Some(raw) => self.number(raw)?,
                    None => Some(i64::MAX),
                };
                from.zip(count).and_then(|(from, count)| slice(&text, from, count))
            }
            Operation::Upper(extent) => Some(upper(&text, *extent)),
            Operation::Lower(extent) => Some(lower(&text, *extent)),
            Operation::Prompt => {
                return match crate::parse::parse_quoted(&Text::of_word(&word)) {
                    Some(raw) => self.single(&raw),
                    None => Ok(word.unknown_parts()),
                };
            }
            Operation::Substitute { .. } | Operation::Other => None,
        };
        Ok(changed.map_or_else(|| word.unknown_parts(), Word::of))
    }

    fn is_first_character(&mut self, operation: &Operation) -> Run<bool> {
        let Operation::Slice { offset, length: Some(length) } = operation else { return Ok(false) };
        Ok(self.number(offset)? == Some(0) && self.number(length)? == Some(1))
    }

    fn compiled(&mut self, pattern: &RawWord, text: &str) -> Run<Option<Pattern>> {
        let pattern = Pattern::of(&self.pattern(pattern)?);
        self.spend(pattern.as_ref().map_or(0, |pattern| pattern.cost(text)))?;
        Ok(pattern)
    }

    pub(super) fn number(&mut self, raw: &RawWord) -> Run<Option<i64>> {
        let value = self.arithmetic(raw)?;
        Ok(value.text().and_then(|text| text.parse().ok()))
    }
}

fn slice(text: &str, from: i64, count: i64) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let length = i64::try_from(chars.len()).ok()?;
    let from = if from < 0 { (length + from).max(0) } else { from.min(length) };
    let to = if count < 0 { length + count } else { from.saturating_add(count).min(length) };
    let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
    Some(chars.get(from..to)?.iter().collect())
}

fn upper(text: &str, extent: Extent) -> String {
    match extent {
        Extent::All => text.to_uppercase(),
        Extent::First => first(text, str::to_uppercase),
    }
}

fn lower(text: &str, extent: Extent) -> String {
    match extent {
        Extent::All => text.to_lowercase(),
        Extent::First => first(text, str::to_lowercase),
    }
}

fn first(text: &str, change: impl Fn(&str) -> String) -> String {
    let length = text.chars().next().map_or(0, char::len_utf8);
    let (head, tail) = text.split_at(length);
    change(head) + tail
}
