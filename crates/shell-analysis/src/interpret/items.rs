//! Programs that insert items into a command: `xargs`, `find -exec`, `parallel`, and git aliases.

use super::options::Options;
use super::wrappers::joined;
use super::{CommandOutput, Run, Shell};
use crate::expand::{Collector, Quoting, SplitMode};
use crate::invocation::{Input, Launcher};
use crate::limits::ROUNDS;
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn run_with_items(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        match name {
            "xargs" | "gxargs" => self.in_subshell(|shell| shell.xargs(name, arguments)).map(Some),
            "find" | "gfind" | "fd" | "fdfind" => {
                self.run_on_found_files(name, arguments, at).map(Some)
            }
            "parallel" => self.in_subshell(|shell| shell.parallel(arguments)).map(Some),
            "git" => self.git_alias(arguments, at),
            "at" | "batch" => match self.context.input.clone() {
                Input::Text { text, .. } => {
                    let by = Launcher::Wrapper(name.to_owned());
                    self.in_subshell(|shell| {
                        shell.launched_by(by, |shell| {
                            shell.text_in_subshell(&text, Launcher::ShellText)
                        })
                    })
                    .map(Some)
                }
                Input::Inherited | Input::Pipe { .. } => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The items on standard input, one word each.
    fn items(&mut self, separators: &str) -> Run<Vec<Word>> {
        Ok(match &self.context.input {
            Input::Text { text, .. } => {
                let text = text.clone();
                self.spend(text.weight() * 2)?;
                let mut collector = Collector::new(SplitMode::Fields, separators.to_owned().into());
                collector.value(&unquoted(&text), Quoting::Bare);
                let words = collector.finish().into_iter().map(without_globs);
                words.filter(|word| !word.is_empty()).collect()
            }
            Input::Pipe { from } => vec![Word::of_unknown(Unknown::Item(from.clone()))],
            Input::Inherited => vec![Word::of_unknown(Unknown::Item(Vec::new()))],
        })
    }

    fn xargs(&mut self, name: &str, arguments: &[Word]) -> Run<CommandOutput> {
        let options = Options {
            letters: "adEIiLnPsJR",
            names: &[
                "arg-file",
                "delimiter",
                "max-lines",
                "max-args",
                "max-procs",
                "max-chars",
                "process-slot-var",
            ],
        };
        let command = arguments.get(options.count(arguments)..).unwrap_or_default();
        let placeholder = options
            .value(arguments, 'I', "replace")
            .or_else(|| options.value(arguments, 'J', "\0"))
            .or_else(|| options.has(arguments, 'i', "replace").then(|| Word::of("{}")));
        let delimiter = options.value(arguments, 'd', "delimiter").and_then(|word| word.text());
        let separators = match delimiter {
            Some(text) => crate::output::unescaped(&text),
            None if options.has(arguments, '0', "null") => "\0".to_owned(),
            None if placeholder.is_some() => "\n".to_owned(),
            None => " \t\n".to_owned(),
        };
        let items = self.items(&separators)?;
        let size = options
            .value(arguments, 'n', "max-args")
            .or_else(|| options.value(arguments, 'L', "max-lines"));
        let size = size.and_then(|word| word.text()).and_then(|text| text.parse::<usize>().ok());
        self.context.input = Input::Inherited;
        let echo = [Word::of("echo")];
        let command = if command.is_empty() { &echo } else { command };
        if let Some(placeholder) = placeholder.and_then(|word| word.text()) {
            return self.run_for_each_item(name, command, &placeholder, items);
        }
        let mut printed = CommandOutput::default();
        let size = size.unwrap_or(usize::MAX).max(1);
        let (first, rest) = items.split_at(items.len().min(size.saturating_mul(ROUNDS)));
        // Items beyond the limit are handled together.
        for chunk in first.chunks(size).chain(Some(rest).filter(|rest| !rest.is_empty())) {
            let words = [command, chunk].concat();
            printed.then(self.wrapped(name, &words)?);
        }
        if items.is_empty() {
            printed.then(self.wrapped(name, command)?);
        }
        Ok(printed)
    }

    fn run_for_each_item(
        &mut self,
        by: &str,
        command: &[Word],
        placeholder: &str,
        items: Vec<Word>,
    ) -> Run<CommandOutput> {
        let mut printed = CommandOutput::default();
        let placeholder = if placeholder.is_empty() { "{}" } else { placeholder };
        for item in &items {
            let words: Vec<_> = command.iter().map(|word| word.with(placeholder, item)).collect();
            printed.then(self.wrapped(by, &words)?);
        }
        Ok(printed)
    }

    fn run_on_found_files(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<CommandOutput> {
        let item = Word::of_unknown(Unknown::Item(vec![at]));
        let mut printed = CommandOutput::unknown(at);
        let mut rest = arguments;
        while let Some(flag) = rest.iter().position(runs_command) {
            let command = &rest[flag + 1..];
            let end = command.iter().enumerate().position(|(index, word)| {
                let ends = |text: &str| {
                    text == ";"
                        || text == "+"
                            && index > 0
                            && command[index - 1].text().as_deref() == Some("{}")
                };
                word.text().is_some_and(|text| ends(&text))
            });
            let end = end.unwrap_or(command.len());
            let mut words: Vec<_> =
                command[..end].iter().map(|word| word.with("{}", &item)).collect();
            let filled = command[..end].iter().any(|word| word.known_start().contains("{}"));
            if name.starts_with("fd") && !filled {
                words.push(item.clone());
            }
            let in_found_folder = rest[flag].text().is_some_and(|text| text.ends_with("dir"));
            printed = self.in_subshell(|shell| {
                if in_found_folder {
                    shell.scope.folders = vec![crate::invocation::Folder::Unknown];
                }
                shell.context.input = Input::Inherited;
                shell.wrapped(name, &words)
            })?;
            rest = &command[end..];
        }
        Ok(printed)
    }

    fn parallel(&mut self, arguments: &[Word]) -> Run<CommandOutput> {
        let options = Options {
            letters: "jNnLaISPC",
            names: &[
                "jobs", "max-args", "arg-file", "colsep", "delay", "timeout", "joblog", "sshlogin",
            ],
        };
        let rest = arguments.get(options.count(arguments)..).unwrap_or_default();
        let separator =
            rest.iter().position(|word| matches!(word.text().as_deref(), Some(":::" | ":::+")));
        let (command, items) = match separator {
            Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
            None => (rest, self.items("\n")?),
        };
        self.context.input = Input::Inherited;
        let mut text = joined(command);
        if command.is_empty() {
            text = Word::of("{}");
        } else if !text.known_start().contains("{}") {
            text.push_text(" {}");
        }
        let mut printed = CommandOutput::default();
        for item in &items {
            let text = text.with("{}", item);
            printed.then(self.launched_by(Launcher::Wrapper("parallel".to_owned()), |shell| {
                shell.text_in_subshell(&text, Launcher::ShellText)
            })?);
        }
        Ok(printed)
    }

    /// `git -c alias.x='!command' x`
    fn git_alias(&mut self, arguments: &[Word], at: usize) -> Run<Option<CommandOutput>> {
        let mut ran = None;
        for pair in arguments.windows(2) {
            let (Some("-c"), start) = (pair[0].text().as_deref(), pair[1].known_start()) else {
                continue;
            };
            if let Some((name, value)) = start.split_once('=')
                && name.starts_with("alias.")
                && value.starts_with('!')
            {
                let text = super::options::without_start(&pair[1], name.len() + 2);
                self.in_subshell(|shell| {
                    shell.launched_by(Launcher::Wrapper("git".to_owned()), |shell| {
                        shell.text_in_subshell(&text, Launcher::ShellText)
                    })
                })?;
                ran = Some(CommandOutput::unknown(at));
            }
        }
        Ok(ran)
    }
}

fn runs_command(word: &Word) -> bool {
    matches!(
        word.text().as_deref(),
        Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
    )
}

/// `xargs` removes quotes from its items.
fn unquoted(text: &Word) -> Word {
    let mut word = Word::default();
    for piece in &text.pieces {
        match piece {
            Piece::Text(text) => word.push_text(&text.replace(['\'', '"', '\\'], "")),
            piece => word.push(piece.clone()),
        }
    }
    word
}

/// No shell expands these items, so a star is literal.
fn without_globs(word: Word) -> Word {
    let mut plain = Word::default();
    for piece in word.pieces {
        match piece {
            Piece::Glob(text) => plain.push_text(&text),
            piece => plain.push(piece),
        }
    }
    plain
}
