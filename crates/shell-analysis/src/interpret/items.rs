//! Programs that run commands for items or from their input: `xargs`, `find -exec`, `parallel`, `at`.

use super::command_output::{CommandOutput, Printed};
use super::read::split;
use super::wrappers::valued_options;
use crate::arguments::Arguments;
use crate::invocation::Input;
use crate::parse::ansi::{EscapeSet, unescape};
use crate::shell::{Run, Shell};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    /// The items on standard input, one word each; `xargs` removes their quotes.
    fn items(&mut self, separators: &str) -> Run<Vec<Word>> {
        let Some(mut text) = self.context.input.text().cloned() else {
            return Ok(vec![self.unknown_input()]);
        };
        self.spend(text.weight() * 2)?;
        for piece in &mut text.pieces {
            if let Piece::Text(part) = piece {
                part.retain(|c| !['\'', '"', '\\'].contains(&c));
            }
        }
        Ok(split(&text, separators, usize::MAX))
    }

    /// `xargs`, or `parallel` and similar, whose words are a text for a shell.
    pub(super) fn xargs(&mut self, name: &str, arguments: &[Word]) -> Printed {
        let is_text = !name.ends_with("xargs");
        let (options, words) = Arguments::leading(arguments, &valued_options(name));
        let known = |names: &'static [&str]| options.value(names).and_then(Word::text);
        let placeholder = known(&["I", "J", "replace"])
            .filter(|text| !text.is_empty())
            .or_else(|| (is_text || options.has(&["i", "replace"])).then(|| "{}".into()));
        let separators = match known(&["d", "delimiter"]) {
            Some(text) => unescape(&text, EscapeSet::Quote),
            None if options.has(&["0", "null"]) => "\0".to_owned(),
            None if placeholder.is_some() => "\n".to_owned(),
            None => " \t\n".to_owned(),
        };
        let separates = |word: &Word| [":::", ":::+", "--"].iter().any(|mark| word.is(mark));
        let mark = words.iter().position(separates).filter(|_| is_text);
        let items = match mark {
            Some(at) => words[at + 1..].to_vec(),
            None if name == "sem" => vec![Word::default()],
            None => self.items(&separators)?,
        };
        self.context.input = Input::Inherited;
        let mut command = words[..mark.unwrap_or(words.len())].to_vec();
        if command.is_empty() && !is_text {
            command.push(Word::of("echo"));
        }
        let Some(placeholder) = placeholder else {
            return self.wrapped(name, &[command, items].concat());
        };
        if is_text && !Word::joined(&command).known_start().contains(&*placeholder) {
            command.push(Word::of(&*placeholder));
        }
        let mut printed = CommandOutput::default();
        for item in &items {
            let words: Vec<Word> =
                command.iter().map(|word| word.with(&placeholder, item)).collect();
            printed.then(match is_text {
                true => self.wrapped_text(name, &Word::joined(&words))?,
                false => self.wrapped(name, &words)?,
            });
        }
        Ok(printed)
    }

    pub(super) fn find_exec(&mut self, name: &str, arguments: &[Word], at: usize) -> Printed {
        let item = Word::of_unknown(Unknown::Item(vec![at]));
        let mut printed = CommandOutput::unknown(at);
        let mut rest = arguments;
        while let Some(flag) = rest.iter().position(runs_command) {
            let command = &rest[flag + 1..];
            let ends = |at: &usize| {
                command[*at].is(";") || *at > 0 && command[*at].is("+") && command[*at - 1].is("{}")
            };
            let end = (0..command.len()).find(ends).unwrap_or(command.len());
            let mut words: Vec<_> =
                command[..end].iter().map(|word| word.with("{}", &item)).collect();
            if name.starts_with("fd") && words == command[..end] {
                words.push(item.clone());
            }
            printed = self.in_subshell(|shell| {
                shell.context.input = Input::Inherited;
                shell.wrapped(name, &words)
            })?;
            rest = &command[end..];
        }
        Ok(printed)
    }
}

fn runs_command(word: &Word) -> bool {
    matches!(
        word.text().as_deref(),
        Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
    )
}
