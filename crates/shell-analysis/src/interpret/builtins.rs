//! Shell builtins: folders, variables, `eval` and similar.

use std::rc::Rc;

use super::wrappers::joined;
use super::{CommandOutput, ExitStatus, Run, Shell};
use crate::arguments::Arguments;
use crate::invocation::{Input, Launcher};
use crate::scope::{Positional, Value};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    /// Runs a builtin; `None` if it is no builtin or has no relevant effect.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        let quiet = CommandOutput::nothing(ExitStatus::Unknown);
        match name {
            "cd" | "chdir" | "pushd" | "popd" => self.change_folder(name, arguments),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, arguments);
            }
            "unset" => self.unset(arguments),
            "read" => return self.read_line(arguments).map(Some),
            "mapfile" | "readarray" => self.read_lines(arguments)?,
            "printf" if arguments.first().and_then(Word::text).as_deref() == Some("-v") => {
                self.print_to_variable(arguments);
            }
            "set" => self.set(arguments),
            "shift" => self.shift(arguments),
            "alias" => self.define_aliases(arguments),
            "unalias" => self.scope.aliases = Rc::default(),
            "eval" => {
                let words = if arguments.first().and_then(Word::text).as_deref() == Some("--") {
                    &arguments[1..]
                } else {
                    arguments
                };
                let text = joined(words);
                return self.launched_by(Launcher::ShellText, |shell| shell.text(&text)).map(Some);
            }
            "command" | "builtin" | "exec" => {
                return self.without_function(name, arguments, at).map(Some);
            }
            "source" | "." => {
                let Some((script, rest)) = arguments.split_first() else { return Ok(Some(quiet)) };
                if let Some("/dev/stdin") = script.text().as_deref()
                    && let Input::Text { text, .. } = self.context.input.clone()
                {
                    return self
                        .launched_by(Launcher::PipedText, |shell| shell.text(&text))
                        .map(Some);
                }
                return self.script(script, rest, at).map(Some);
            }
            "trap" => {
                let text = arguments.iter().find(|word| !is_flag(word) || is_dash(word));
                if let Some(text) = text.filter(|word| arguments.len() > 1 && !is_dash(word)) {
                    self.text_in_subshell(text, Launcher::ShellText)?;
                }
            }
            "let" => self.forget(arguments),
            "getopts" => {
                if let Some(name) = arguments.get(1).and_then(Word::text) {
                    self.scope.set(&name, Value::Text(Word::of_unknown(Unknown::Value)));
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(quiet))
    }

    /// `command`, `builtin` and `exec` ignore functions.
    fn without_function(&mut self, by: &str, arguments: &[Word], at: usize) -> Run<CommandOutput> {
        let (options, words) = Arguments::leading(arguments, &["a"]);
        let name = words.first().and_then(Word::text).unwrap_or_default();
        if options.has(&["v", "V"]) {
            // The name stands for its path.
            let found = CommandOutput::known(name + "\n", at);
            return Ok(CommandOutput { status: ExitStatus::Unknown, ..found });
        }
        let function = self.scope.functions.get(name.as_str()).copied();
        if function.is_some() {
            self.scope.undefine(&name);
        }
        let printed = self.wrapped(by, words);
        if let Some(function) = function {
            self.scope.define(&name, function);
        }
        printed
    }

    /// `export NAME=value`; the values are already expanded.
    fn declare(&mut self, by: &str, arguments: &[Word]) {
        for word in arguments {
            let start = word.known_start();
            match start.split_once('=') {
                Some((name, _)) if !name.starts_with('-') => {
                    let value = word.without_start(name.len() + 1);
                    let name = name.trim_end_matches('+');
                    // Expansion has already set an array.
                    if !matches!(
                        self.scope.variables.get(name).map(|values| values.as_slice()),
                        Some([Value::List(_)])
                    ) {
                        self.scope.set(name, Value::Text(value));
                    }
                }
                Some(_) => {}
                None if by == "local" && !start.starts_with('-') && !start.is_empty() => {
                    self.scope.set(&start, Value::Unset);
                }
                None => {}
            }
        }
    }

    fn unset(&mut self, arguments: &[Word]) {
        let functions = arguments.first().and_then(Word::text).as_deref() == Some("-f");
        for name in arguments.iter().filter_map(Word::text).filter(|name| !name.starts_with('-')) {
            if functions || !self.scope.variables.contains_key(name.as_str()) {
                self.scope.undefine(&name);
            }
            if !functions {
                self.scope.set(&name, Value::Unset);
            }
        }
    }

    fn read_line(&mut self, arguments: &[Word]) -> Run<CommandOutput> {
        let (options, names) =
            Arguments::leading(arguments, &["a", "d", "i", "n", "N", "p", "t", "u"]);
        let array = options.value(&["a"]).and_then(Word::text);
        let end = options.value(&["d"]).and_then(Word::text);
        let end = end.map_or('\n', |end| end.chars().next().unwrap_or('\0'));
        let names: Vec<String> = names.iter().filter_map(Word::text).collect();
        let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        let (line, status) = match &mut self.context.input {
            Input::Text { text, .. } if text.is_empty() => (Word::default(), ExitStatus::Failure),
            Input::Text { text, .. } => (take_line(text, end), ExitStatus::Success),
            Input::Pipe { from } => {
                (Word::of_unknown(Unknown::Item(from.clone())), ExitStatus::Unknown)
            }
            Input::Inherited => (Word::of_unknown(Unknown::Item(Vec::new())), ExitStatus::Unknown),
        };
        self.spend(line.weight())?;
        let separators = self.separators();
        if let Some(array) = array {
            let items = split(&line, &separators, usize::MAX);
            let items = items.into_iter().enumerate();
            let items = items.map(|(at, word)| (at.to_string(), word)).collect();
            self.scope.set(&array, Value::List(items));
            return Ok(CommandOutput::nothing(status));
        }
        let mut values = split(&line, &separators, names.len()).into_iter();
        for name in names {
            // One unknown line makes all variables unknown.
            let rest = if line.text().is_none() { line.unknown_parts() } else { Word::default() };
            self.scope.set(&name, Value::Text(values.next().unwrap_or(rest)));
        }
        Ok(CommandOutput::nothing(status))
    }

    fn read_lines(&mut self, arguments: &[Word]) -> Run<()> {
        let options = Arguments::of(arguments, &["d", "n", "O", "s", "u", "C", "c"]);
        let name = options.operands.first().and_then(Word::text);
        let name = name.unwrap_or_else(|| "MAPFILE".to_owned());
        let end = options.value(&["d"]).and_then(Word::text);
        let lines = match self.context.input.clone() {
            Input::Text { text, .. } => split(&text, end.as_deref().unwrap_or("\n"), usize::MAX),
            Input::Pipe { from } => vec![Word::of_unknown(Unknown::Item(from))],
            Input::Inherited => vec![Word::of_unknown(Unknown::Item(Vec::new()))],
        };
        self.spend(lines.iter().map(Word::weight).sum())?;
        let items =
            lines.into_iter().enumerate().map(|(at, word)| (at.to_string(), word)).collect();
        self.scope.set(&name, Value::List(items));
        Ok(())
    }

    fn print_to_variable(&mut self, arguments: &[Word]) {
        let Some(name) = arguments.get(1).and_then(Word::text) else { return };
        let output = crate::output::of("printf", arguments.get(2..).unwrap_or_default(), None);
        let word = output.map(|output| output.word);
        let word = word.unwrap_or_else(|| joined(arguments).unknown_parts());
        self.scope.set(&name, Value::Text(word));
    }

    fn set(&mut self, arguments: &[Word]) {
        let dashes = arguments.iter().position(|word| word.text().as_deref() == Some("--"));
        let plain =
            arguments.first().is_some_and(|word| !word.known_start().starts_with(['-', '+']));
        let from = match dashes {
            Some(at) => at + 1,
            None if plain => 0,
            None => return,
        };
        self.scope.positional = Positional::Known(Rc::new(arguments[from..].to_vec()));
    }

    fn shift(&mut self, arguments: &[Word]) {
        let count = arguments.first().and_then(Word::text).and_then(|text| text.parse().ok());
        if let Positional::Known(words) = &self.scope.positional {
            let rest = words.iter().skip(count.unwrap_or(1)).cloned().collect();
            self.scope.positional = Positional::Known(Rc::new(rest));
        }
    }

    fn define_aliases(&mut self, arguments: &[Word]) {
        for word in arguments {
            let start = word.known_start();
            if let Some((name, _)) = start.split_once('=') {
                let value = word.without_start(name.len() + 1);
                self.scope.set_alias(name, value);
            }
        }
    }

    fn forget(&mut self, arguments: &[Word]) {
        for text in arguments.iter().filter_map(Word::text) {
            let name: String =
                text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                self.scope.set(&name, Value::Text(Word::of_unknown(Unknown::Value)));
            }
        }
    }
}

pub(super) fn is_flag(word: &Word) -> bool {
    word.known_start().starts_with('-')
}

pub(super) fn is_dash(word: &Word) -> bool {
    word.text().as_deref() == Some("-")
}

/// Removes the first line from a text.
fn take_line(text: &mut Word, end: char) -> Word {
    let mut line = Word::default();
    let mut rest = Word::default();
    let mut pieces = std::mem::take(&mut text.pieces).into_iter();
    for piece in pieces.by_ref() {
        if let Piece::Text(part) | Piece::Glob(part) = &piece
            && let Some((head, tail)) = part.split_once(end)
        {
            line.push_text(head);
            rest.push_text(tail);
            break;
        }
        line.push(piece);
    }
    pieces.for_each(|piece| rest.push(piece));
    *text = rest;
    line
}

/// Splits at separators into at most `most` words; the last one takes the rest.
fn split(line: &Word, separators: &str, most: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current = Word::default();
    for piece in &line.pieces {
        let Piece::Text(text) = piece else {
            current.push(piece.clone());
            continue;
        };
        let mut rest = text.as_str();
        while words.len() + 1 < most
            && let Some(at) = rest.find(|c| separators.contains(c))
        {
            current.push_text(&rest[..at]);
            if !current.is_empty() {
                words.push(std::mem::take(&mut current));
            }
            let length = rest[at..].chars().next().map_or(1, char::len_utf8);
            rest = &rest[at + length..];
        }
        current.push_text(rest);
    }
    if !current.is_empty() {
        words.push(current);
    }
    words
}
