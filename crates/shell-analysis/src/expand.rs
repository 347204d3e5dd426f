//! Expands raw words to the words that a program gets.

mod braces;
mod collector;
mod operations;
mod parameter;
pub(crate) mod pattern;

use collector::{Collector, SplitMode};

use std::borrow::Cow;

use crate::limits::PIECE_COST;
use crate::parse::in_name;
use crate::shell::{Run, Shell};
use crate::syntax::{RawWord, WordPart};
use crate::word::{Unknown, Word};

/// The default `IFS`.
pub(crate) const BLANKS: &str = " \t\n";

impl Shell<'_> {
    /// All words that one raw word expands to.
    pub(crate) fn fields(&mut self, raw: &RawWord) -> Run<Vec<Word>> {
        let braced = |part: &WordPart| matches!(part, WordPart::Plain(text) if text.contains('{'));
        if !raw.parts.iter().any(braced) {
            return self.collected(&raw.parts, SplitMode::Fields);
        }
        let mut words = Vec::new();
        for raw in self.braces(raw)? {
            words.extend(self.collected(&raw.parts, SplitMode::Fields)?);
        }
        Ok(words)
    }

    pub(crate) fn all_fields(&mut self, raws: &[RawWord]) -> Run<Vec<Word>> {
        let mut words = Vec::with_capacity(raws.len());
        for raw in raws {
            words.extend(self.fields(raw)?);
        }
        Ok(words)
    }

    /// One word without splitting or globbing, as in an assignment.
    pub(crate) fn single(&mut self, raw: &RawWord) -> Run<Word> {
        Ok(self.collected(&raw.parts, SplitMode::Text)?.pop().unwrap_or_default())
    }

    /// One word whose patterns stay active.
    pub(crate) fn pattern(&mut self, raw: &RawWord) -> Run<Word> {
        Ok(self.collected(&raw.parts, SplitMode::Pattern)?.pop().unwrap_or_default())
    }

    fn collected(&mut self, parts: &[WordPart], want: SplitMode) -> Run<Vec<Word>> {
        let (ifs, done) = (self.separators(), Vec::new());
        let mut collector = Collector { want, ifs, done, current: None, is_quoted: false };
        self.expand(parts, &mut collector)?;
        let Collector { done: mut words, current, .. } = collector;
        words.extend(current);
        self.spend(words.iter().map(Word::weight).sum())?;
        Ok(words)
    }

    fn expand(&mut self, parts: &[WordPart], out: &mut Collector) -> Run<()> {
        for (at, part) in parts.iter().enumerate() {
            self.spend(PIECE_COST)?;
            match part {
                WordPart::Plain(text) if at == 0 => self.with_tilde(text, out),
                WordPart::Plain(text) => out.plain(text),
                WordPart::Quoted(text) => out.quoted(text),
                WordPart::Double(inner) => {
                    // `"$@"` without arguments expands to no word.
                    if !matches!(inner.as_slice(), [WordPart::Parameter(_)]) {
                        out.quoted("");
                    }
                    let outer = std::mem::replace(&mut out.is_quoted, true);
                    self.expand(inner, out)?;
                    out.is_quoted = outer;
                }
                WordPart::Parameter(parameter) => self.parameter(parameter, out)?,
                WordPart::Command(list) => {
                    out.value(self.substitution(list)?.word.trimmed());
                }
                WordPart::ProcessIn(list) => out.exact(self.process_in(list)?),
                WordPart::ProcessOut(list) => out.exact(self.process_out(list)?),
                WordPart::Arithmetic(raw) => {
                    out.value(self.single(raw)?.unknown_parts());
                }
                // Only in assignments.
                WordPart::Array(_) => {}
                WordPart::Hole(unknown) => out.value(Word::of_unknown(unknown.clone())),
            }
        }
        Ok(())
    }

    /// A tilde expands at the start and after `NAME=`.
    fn with_tilde(&self, text: &str, out: &mut Collector) {
        let name = text.find(|c| !in_name(c)).filter(|at| *at > 0 && text[*at..].starts_with('='));
        let (before, value) = text.split_at(name.map_or(0, |at| at + 1));
        for (sign, name) in [("~+", "PWD"), ("~-", "OLDPWD"), ("~", "HOME")] {
            let rest = value.strip_prefix(sign);
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                let unknown = || Word::of_unknown(Unknown::Variable(name.to_owned()));
                out.quoted(before);
                out.exact(self.known_variable(name).cloned().unwrap_or_else(unknown));
                return out.plain(rest);
            }
        }
        out.plain(text);
    }

    /// The word separators from `IFS`.
    pub(crate) fn separators(&self) -> Cow<'static, str> {
        let set = self.known_variable("IFS").and_then(|word| word.text());
        set.map_or(Cow::Borrowed(BLANKS), |set| set.into_owned().into())
    }
}
