//! Expands raw words to the words that a program gets.

pub(crate) mod arithmetic;
mod braces;
mod collector;
mod operations;
mod parameter;
pub(crate) mod pattern;
mod values;

pub(crate) use collector::{Collector, SplitMode};

use std::borrow::Cow;

use crate::interpret::{Run, Shell};
use crate::syntax::{RawWord, WordPart};
use crate::word::Word;

/// The default `IFS`.
pub(crate) const BLANKS: &str = " \t\n";

/// Whether a part is in double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    Bare,
    Quoted,
}

impl Shell<'_> {
    /// All words that one raw word expands to.
    pub(crate) fn fields(&mut self, raw: &RawWord) -> Run<Vec<Word>> {
        if let Some(word) = simple(raw) {
            self.spend(word.weight())?;
            return Ok(vec![word]);
        }
        let mut words = Vec::new();
        for raw in self.braces(raw)?.iter() {
            let ifs = self.separators();
            let mut collector = Collector::new(SplitMode::Fields, ifs);
            self.expand_into(&raw.parts, Quoting::Bare, &mut collector)?;
            words.extend(collector.finish());
        }
        self.spend(words.iter().map(Word::weight).sum())?;
        Ok(words)
    }

    pub(crate) fn all_fields(&mut self, raws: &[RawWord]) -> Run<Vec<Word>> {
        let mut words = Vec::new();
        for raw in raws {
            words.extend(self.fields(raw)?);
        }
        Ok(words)
    }

    /// One word without splitting or globbing, as in an assignment.
    pub(crate) fn single(&mut self, raw: &RawWord) -> Run<Word> {
        self.joined(raw, SplitMode::Text)
    }

    /// One word whose patterns stay active.
    pub(crate) fn pattern(&mut self, raw: &RawWord) -> Run<Word> {
        self.joined(raw, SplitMode::Pattern)
    }

    fn joined(&mut self, raw: &RawWord, want: SplitMode) -> Run<Word> {
        if let Some(word) = simple(raw) {
            self.spend(word.weight())?;
            return Ok(word);
        }
        let ifs = self.separators();
        let mut collector = Collector::new(want, ifs);
        self.expand_into(&raw.parts, Quoting::Bare, &mut collector)?;
        let mut words = collector.finish().into_iter();
        let word = words.next().unwrap_or_default();
        self.spend(word.weight())?;
        Ok(word)
    }

    fn expand_into(
        &mut self,
        parts: &[WordPart],
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        for (at, part) in parts.iter().enumerate() {
            self.spend(1)?;
            match part {
                WordPart::Plain(text) => self.plain(text, at == 0, out),
                WordPart::Quoted(text) => out.quoted(text),
                WordPart::Double(inner) => {
                    // `"$@"` without arguments expands to no word.
                    if !matches!(inner.as_slice(), [WordPart::Parameter(_)]) {
                        out.quoted("");
                    }
                    self.expand_into(inner, Quoting::Quoted, out)?;
                }
                WordPart::Parameter(parameter) => self.parameter(parameter, quoting, out)?,
                WordPart::Command(list) => {
                    let printed = self.substitution(list)?;
                    out.value(&printed.word.trimmed(), quoting);
                }
                WordPart::ProcessIn(list) => {
                    let name = self.process_in(list)?;
                    out.value(&name, Quoting::Quoted);
                }
                WordPart::ProcessOut(list) => {
                    let name = self.process_out(list)?;
                    out.value(&name, Quoting::Quoted);
                }
                WordPart::Arithmetic(raw) => {
                    let value = self.arithmetic(raw)?;
                    out.value(&value, quoting);
                }
                WordPart::Array(items) => {
                    for (_, item) in items {
                        let word = self.single(item)?;
                        out.value(&word, Quoting::Quoted);
                    }
                }
                WordPart::Hole(unknown) => out.unknown(unknown.clone()),
            }
        }
        Ok(())
    }

    fn plain(&mut self, text: &str, first: bool, out: &mut Collector) {
        // A tilde expands at the start and after `NAME=`.
        let named = text.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let (before, value) = match named {
            Some((name, value)) => (&text[..=name.len()], value),
            None => ("", text),
        };
        let whose = [("~+", "PWD"), ("~-", "OLDPWD"), ("~", "HOME")].into_iter();
        let mut whose = whose.filter_map(|(sign, name)| Some((name, value.strip_prefix(sign)?)));
        let found = whose.find(|(_, rest)| rest.is_empty() || rest.starts_with('/'));
        let Some((name, rest)) = found.filter(|_| first) else { return out.plain(text) };
        out.quoted(before);
        let home = self.variable(name);
        out.value(&home, Quoting::Quoted);
        out.plain(rest);
    }

    /// The word separators from `IFS`.
    pub(crate) fn separators(&mut self) -> Cow<'static, str> {
        if !self.scope.variables.contains_key("IFS") {
            return Cow::Borrowed(BLANKS);
        }
        let set = self.known_variable("IFS").and_then(|word| word.text());
        set.map_or(Cow::Borrowed(BLANKS), Cow::Owned)
    }

    pub(crate) fn arithmetic(&mut self, raw: &RawWord) -> Run<Word> {
        let word = self.single(raw)?;
        let value = word.text().and_then(|text| {
            arithmetic::evaluate(&text, &mut |name| {
                self.known_variable(name).and_then(|word| word.text())
            })
        });
        Ok(match value {
            Some(value) => Word::of(value.to_string()),
            None => word.unknown_parts(),
        })
    }
}

/// A word without expansions, the common case.
fn simple(raw: &RawWord) -> Option<Word> {
    match raw.parts.as_slice() {
        [WordPart::Plain(text)] if !text.contains(['{', '~', '*', '?', '[', '(']) => {
            Some(Word::of(text))
        }
        [WordPart::Quoted(text)] => Some(Word::of(text)),
        _ => None,
    }
}
