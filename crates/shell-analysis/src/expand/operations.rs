//! Operations on the value of a variable: cut, replace, slice.

use super::pattern::Pattern;
use crate::interpret::{Run, Shell};
use crate::syntax::{Parameter, RawWord};
use crate::text::Text;
use crate::word::Word;

/// The steps of one operation with a pattern.
const STEPS: usize = 100_000;

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
        let changed = match *operator {
            "length" => Some(text.chars().count().to_string()),
            "#" | "##" | "%" | "%%" | "/" | "//" | "/#" | "/%" => {
                self.matched(&text, operator, operands)?
            }
            ":" => {
                let chars: Vec<char> = text.chars().collect();
                range.and_then(|range| slice(&chars, range)).map(String::from_iter)
            }
            "^" | "^^" | "," | ",," => Some(with_case(&text, operator)),
            "@P" => match crate::parse::parse_quoted(&Text::of_word(&word)) {
                Some(raw) => return self.single(&raw),
                None => None,
            },
            _ => None,
        };
        Ok(changed.map_or_else(|| word.unknown_parts(), Word::of))
    }

    fn matched(&mut self, text: &str, operator: &str, operands: &[RawWord]) -> Run<Option<String>> {
        let words = operands.iter().map(|operand| self.pattern(operand));
        let words = words.collect::<Run<Vec<_>>>()?;
        let mut steps = STEPS;
        let by = words.get(1).map_or(Some(String::new()), Word::text);
        let pattern = words.first().and_then(Pattern::of).zip(by);
        let changed =
            pattern.and_then(|(pattern, by)| pattern.replace(text, operator, &by, &mut steps));
        self.spend(STEPS - steps)?;
        Ok(changed)
    }

    /// The offset and the length of a slice, if they are known.
    pub(super) fn range(&mut self, operands: &[RawWord]) -> Run<Option<(i64, i64)>> {
        let words = operands.iter().map(|operand| self.arithmetic(operand));
        let numbers = words.map(|word| Ok(word?.text().and_then(|text| text.parse().ok())));
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

/// In upper (`^`) or lower case (`,`), the first character or all (`^^`, `,,`).
fn with_case(text: &str, operator: &str) -> String {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let (head, tail) = text.split_at(if operator.len() == 2 { text.len() } else { first });
    let is_upper = operator.starts_with('^');
    (if is_upper { head.to_uppercase() } else { head.to_lowercase() }) + tail
}
