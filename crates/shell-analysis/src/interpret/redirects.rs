//! Redirection of input and output.

use super::{CommandOutput, Run, Shell};
use crate::invocation::{Input, Invocation, Redirect, RedirectKind};
use crate::syntax::{Redirection, Target};
use crate::word::Word;

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
    Write(Word),
    Append(Word),
}

impl Shell<'_> {
    pub(super) fn redirects(&mut self, redirections: &[Redirection]) -> Run<Redirected> {
        let mut all = Redirected::default();
        for Redirection { descriptor, target } in redirections {
            self.spend(1)?;
            match target {
                Target::Read(raw) => {
                    let word = self.single(raw)?;
                    let input = self.file_input(&word)?;
                    self.opened(*descriptor, input, &mut all);
                    all.add(RedirectKind::Read, word);
                }
                Target::ReadWrite(raw) => {
                    let word = self.single(raw)?;
                    all.add(RedirectKind::ReadWrite, word);
                }
                Target::Write(raw) | Target::WriteBoth(raw) => {
                    let word = self.single(raw)?;
                    if descriptor.unwrap_or(1) == 1 {
                        all.output = Output::Write(word.clone());
                    }
                    all.add(RedirectKind::Write, word);
                }
                Target::Append(raw) | Target::AppendBoth(raw) => {
                    let word = self.single(raw)?;
                    if descriptor.unwrap_or(1) == 1 {
                        all.output = Output::Append(word.clone());
                    }
                    all.add(RedirectKind::Append, word);
                }
                Target::CopyIn(raw) => {
                    let number = self.single(raw)?.text().unwrap_or_default();
                    let input = self.files.descriptors.get(&number).cloned();
                    if input.is_some() {
                        self.opened(*descriptor, input, &mut all);
                    }
                }
                Target::CopyOut(raw) => {
                    let word = self.single(raw)?;
                    let text = word.text().unwrap_or_default();
                    let copies =
                        !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '-');
                    if copies {
                        if descriptor.unwrap_or(1) == 1 && text != "1" {
                            all.output = Output::Away;
                        }
                    } else {
                        all.output = Output::Write(word.clone());
                        all.add(RedirectKind::Write, word);
                    }
                }
                Target::HereString(raw) => {
                    let mut text = self.single(raw)?;
                    text.push_text("\n");
                    let input = Some(Input::Text { text, from: Vec::new() });
                    self.opened(*descriptor, input, &mut all);
                }
                Target::HereDocument(body) => {
                    let text = match body.get() {
                        Some(raw) => self.single(raw)?,
                        None => Word::default(),
                    };
                    let input = Some(Input::Text { text, from: Vec::new() });
                    self.opened(*descriptor, input, &mut all);
                }
            }
        }
        Ok(all)
    }

    /// Sets the content of a descriptor.
    fn opened(&mut self, descriptor: Option<u32>, input: Option<Input>, all: &mut Redirected) {
        match (descriptor.unwrap_or(0), input) {
            (0, input) => all.input = input,
            (number, Some(input)) => {
                self.files.descriptors.insert(number.to_string(), input);
            }
            (_, None) => {}
        }
    }

    /// The input of `<`, if the content of the file is known.
    fn file_input(&mut self, word: &Word) -> Run<Option<Input>> {
        let from: Vec<usize> = word.sources().collect();
        let Some(text) = self.written(word)? else { return Ok(Some(Input::Inherited)) };
        Ok(Some(if text.has_known_part() || text.is_empty() {
            Input::Text { text, from }
        } else {
            Input::Pipe { from: text.sources().collect() }
        }))
    }

    /// Records the redirections of a compound command as a command without words.
    pub(super) fn record_redirects(&mut self, redirected: &Redirected) -> Run<usize> {
        let input = redirected.input.clone().unwrap_or(Input::Inherited);
        let invocation = Invocation {
            words: Vec::new(),
            assignments: Vec::new(),
            redirects: redirected.redirects.clone(),
            input,
            folder: self.folder(),
            launchers: self.context.launchers.clone(),
            mode: self.context.mode,
            repetition: self.context.repetition,
        };
        self.record(invocation)
    }

    /// Sends output to its redirection.
    pub(super) fn deliver(
        &mut self,
        printed: CommandOutput,
        redirected: &Redirected,
    ) -> Run<CommandOutput> {
        let status = printed.status;
        match &redirected.output {
            Output::On => match self.context.output.clone() {
                Some(file) => self.write(&file, printed.word, RedirectKind::Append)?,
                None => return Ok(printed),
            },
            Output::Away => {}
            Output::Write(word) => self.write(word, printed.word, RedirectKind::Write)?,
            Output::Append(word) => self.write(word, printed.word, RedirectKind::Append)?,
        }
        Ok(CommandOutput::nothing(status))
    }
}

impl Redirected {
    /// The file of standard output.
    pub(super) fn target(&self) -> Option<Word> {
        match &self.output {
            Output::Write(word) | Output::Append(word) => Some(word.clone()),
            Output::On | Output::Away => None,
        }
    }

    fn add(&mut self, kind: RedirectKind, target: Word) {
        self.redirects.push(Redirect { kind, target });
    }
}
