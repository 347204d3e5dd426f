//! Redirection of input and output.

use super::{CommandOutput, Printed, Run, Shell, files};
use crate::invocation::{Input, Redirect, RedirectKind};
use crate::syntax::{Redirection, Target};
use crate::word::{Unknown, Word};

/// All redirections of one command.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) redirects: Vec<Redirect>,
    /// The redirected standard input, if any.
    pub(super) input: Option<Input>,
    output: Output,
}

/// The target of standard output.
#[derive(Debug, Default)]
enum Output {
    #[default]
    On,
    /// Standard error or another descriptor.
    Away,
    File(Word, RedirectKind),
}

impl Shell<'_> {
    pub(super) fn redirects(&mut self, redirections: &[Redirection]) -> Run<Redirected> {
        let mut all = Redirected::default();
        for Redirection { descriptor, target } in redirections {
            self.spend(1)?;
            let raw = match target {
                Target::Read(raw) | Target::ReadWrite(raw) => raw,
                Target::Write(raw) | Target::WriteBoth(raw) => raw,
                Target::Append(raw) | Target::AppendBoth(raw) => raw,
                Target::CopyIn(raw) | Target::CopyOut(raw) | Target::HereString(raw) => raw,
                Target::HereDocument(body) => match body.get() {
                    Some(raw) => raw,
                    None => continue,
                },
            };
            let word = self.single(raw)?;
            let is_output = descriptor.unwrap_or(1) == 1;
            let is_descriptor = |text: String| {
                !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '-')
            };
            match target {
                Target::HereString(_) | Target::HereDocument(_) => {
                    let mut text = word;
                    text.push_text(if let Target::HereString(_) = target { "\n" } else { "" });
                    self.open(*descriptor, Input::Text { text, from: Vec::new() }, &mut all);
                }
                Target::CopyIn(_) => {
                    let name = files::descriptor(&word.text().unwrap_or_default());
                    match self.file_input(&name)? {
                        Input::Inherited => {}
                        input => self.open(*descriptor, input, &mut all),
                    }
                }
                Target::CopyOut(_) if word.text().is_some_and(is_descriptor) => {
                    if is_output && !word.is("1") {
                        all.output = Output::Away;
                    }
                }
                Target::Read(_) => {
                    let input = self.file_input(&word)?;
                    self.open(*descriptor, input, &mut all);
                    all.add(RedirectKind::Read, word, false);
                }
                Target::ReadWrite(_) => all.add(RedirectKind::ReadWrite, word, false),
                Target::Append(_) | Target::AppendBoth(_) => {
                    all.add(RedirectKind::Append, word, is_output);
                }
                Target::Write(_) | Target::WriteBoth(_) => {
                    all.add(RedirectKind::Write, word, is_output);
                }
                Target::CopyOut(_) => all.add(RedirectKind::Write, word, true),
            }
        }
        Ok(all)
    }

    /// Sets the content of a descriptor.
    fn open(&mut self, descriptor: Option<u32>, input: Input, all: &mut Redirected) {
        match descriptor.unwrap_or(0) {
            0 => all.input = Some(input),
            number => {
                let text = match input {
                    Input::Text { text, .. } => text,
                    Input::Pipe { from } => Word::of_unknown(Unknown::Output(from)),
                    Input::Inherited => return,
                };
                self.files.contents.insert(files::descriptor(&number.to_string()), text);
            }
        }
    }

    /// The input of `<`, if the content of the file is known.
    fn file_input(&mut self, word: &Word) -> Run<Input> {
        let from = word.sources().collect();
        Ok(match self.written(word)? {
            None => Input::Inherited,
            Some(text) if text.has_known_part() || text.is_empty() => Input::Text { text, from },
            Some(text) => Input::Pipe { from: text.sources().collect() },
        })
    }

    /// Sends output to its redirection.
    pub(super) fn deliver(&mut self, printed: CommandOutput, redirected: &Redirected) -> Printed {
        let own = self.context.output.clone().map(|file| (file, RedirectKind::Append));
        let target = match &redirected.output {
            Output::On => own,
            Output::Away => return Ok(CommandOutput::nothing(printed.status)),
            Output::File(word, kind) => Some((word.clone(), *kind)),
        };
        let Some((file, kind)) = target else { return Ok(printed) };
        self.write(&file, printed.word, kind)?;
        Ok(CommandOutput::nothing(printed.status))
    }
}

impl Redirected {
    fn add(&mut self, kind: RedirectKind, target: Word, is_output: bool) {
        if is_output {
            self.output = Output::File(target.clone(), kind);
        }
        self.redirects.push(Redirect { kind, target });
    }

    /// The file of standard output.
    pub(super) fn target(&self) -> Option<Word> {
        match &self.output {
            Output::File(word, _) => Some(word.clone()),
            Output::On | Output::Away => None,
        }
    }
}
