//! Operations on the value of a variable: cut, slice.

use super::pattern::cut;
use crate::parse::parse_quoted;
use crate::shell::{Run, Shell};
use crate::syntax::{Parameter, RawWord};
use crate::word::Word;

/// The longest text that is matched against a pattern.
const LONGEST: usize = 512;

impl Shell<'_> {
    pub(super) fn operate(&mut self, parameter: &Parameter, word: Word) -> Run<Word> {
        let Parameter { name, operator, operands, .. } = parameter;
        self.spend(word.weight())?;
        if operator.is_empty() && operands.iter().all(|operand| operand.parts.is_empty()) {
            return Ok(word);
        }
        let range = if *operator == ":" { self.range(operands)? } else { None };
        let Some(text) = word.text() else {
            // The first character of PATH is `/` on every machine.
            let is_root = name == "PATH" && range == Some((0, 1));
            return Ok(if is_root { Word::of("/") } else { word.unknown_parts() });
        };
        let changed = match (*operator, operands.as_slice()) {
            ("length", _) => Some(text.chars().count().to_string()),
            ("#" | "##" | "%" | "%%", [operand]) if text.len() < LONGEST => {
                let pattern = self.pattern(operand)?;
                self.spend(text.len() * (text.len() + pattern.weight()))?;
                cut(&pattern, &text, operator)
            }
            (":", _) => {
                let chars: Vec<char> = text.chars().collect();
                range.and_then(|range| slice(&chars, range)).map(String::from_iter)
            }
            ("@P", _) => match parse_quoted(&word) {
                Some(raw) => return self.single(&raw),
                None => None,
            },
            _ => None,
        };
        Ok(changed.map_or_else(|| word.unknown_parts(), Word::of))
    }

    /// The offset and the length of a slice, if they are known.
    pub(super) fn range(&mut self, operands: &[RawWord]) -> Run<Option<(i64, i64)>> {
        let words = operands.iter().map(|operand| self.single(operand));
        let numbers = words.map(|word| Ok(word?.text().and_then(|text| text.trim().parse().ok())));
        let numbers = numbers.collect::<Run<Vec<_>>>()?;
        Ok(match numbers.as_slice() {
            [from] => from.zip(Some(i64::MAX)),
            [from, count] => from.zip(*count),
            _ => None,
        })
    }
}

pub(super) fn slice<T>(items: &[T], (from, count): (i64, i64)) -> Option<&[T]> {
    let length = i64::try_from(items.len()).ok()?;
    let from = if from < 0 { (length + from).max(0) } else { from.min(length) };
    let to = if count < 0 { length + count } else { from.saturating_add(count).min(length) };
    items.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
}
