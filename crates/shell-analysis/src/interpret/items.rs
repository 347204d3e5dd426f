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

    pub(super) fn xargs(&mut self, name: &str, arguments: &[Word]) -> Printed {
        let (options, command) = Arguments::leading(arguments, &valued_options(name));
        let known = |names: &[&str]| options.value(names).and_then(Word::text);
        let placeholder = known(&["I", "J", "replace"])
            .filter(|text| !text.is_empty())
            .or_else(|| options.has(&["i", "replace"]).then(|| "{}".to_owned()));
        let separators = match known(&["d", "delimiter"]) {
            Some(text) => unescape(&text, EscapeSet::Quote),
            None if options.has(&["0", "null"]) => "\0".to_owned(),
            None if placeholder.is_some() => "\n".to_owned(),
            None => " \t\n".to_owned(),
        };
        let items = self.items(&separators)?;
        self.context.input = Input::Inherited;
        let echo = [Word::of("echo")];
        let command = if command.is_empty() { &echo } else { command };
        let mut printed = CommandOutput::default();
        if let Some(placeholder) = placeholder {
            for item in &items {
                let words: Vec<Word> =
                    command.iter().map(|word| word.with(&placeholder, item)).collect();
                printed.then(self.wrapped(name, &words)?);
            }
            return Ok(printed);
        }
        self.wrapped(name, &[command, &items].concat())
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

    pub(super) fn parallel(&mut self, name: &str, arguments: &[Word]) -> Printed {
        let (_, rest) = Arguments::leading(arguments, &valued_options(name));
        let is_separator =
            |word: &Word| matches!(word.text().as_deref(), Some(":::" | ":::+" | "--"));
        let (command, items) = match rest.iter().position(is_separator) {
            Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
            None if name == "sem" => (rest, vec![Word::default()]),
            None => (rest, self.items("\n")?),
        };
        self.context.input = Input::Inherited;
        let mut text = Word::joined(command);
        if !text.known_start().contains("{}") {
            text.push_text(if command.is_empty() { "{}" } else { " {}" });
        }
        let mut printed = CommandOutput::default();
        for item in &items {
            printed.then(self.wrapped_text(name, &text.with("{}", item))?);
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
