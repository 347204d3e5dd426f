//! Where input comes from and output goes.

use super::{Printed, Run, Shell};
use crate::act::{Act, Input, Redirect, RedirectKind};
use crate::syntax::{Redirection, Target};
use crate::word::Word;

/// All redirections of one command.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) acts: Vec<Redirect>,
    /// What standard input is, if it is not what was there before.
    pub(super) input: Option<Input>,
    output: Output,
}

/// Where standard output goes.
#[derive(Debug, Default)]
enum Output {
    #[default]
    On,
    /// To standard error or another descriptor.
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

    /// What can be read from a descriptor from here on.
    fn opened(&mut self, descriptor: Option<u32>, input: Option<Input>, all: &mut Redirected) {
        match (descriptor.unwrap_or(0), input) {
            (0, input) => all.input = input,
            (number, Some(input)) => {
                self.files.descriptors.insert(number.to_string(), input);
            }
            (_, None) => {}
        }
    }

    /// What `<` reads, where the text says what is in the file.
    fn file_input(&mut self, word: &Word) -> Run<Option<Input>> {
        let from: Vec<usize> = word.sources().collect();
        let Some(text) = self.written(word)? else { return Ok(Some(Input::Inherited)) };
        Ok(Some(if text.has_known_part() || text.is_empty() {
            Input::Text { text, from }
        } else {
            Input::Pipe { from: text.sources().collect() }
        }))
    }

    /// Redirections of a compound command, which no act of its own has.
    pub(super) fn note_redirects(&mut self, redirected: &Redirected) -> Run<usize> {
        let input = redirected.input.clone().unwrap_or(Input::Inherited);
        let act = Act {
            words: Vec::new(),
            assignments: Vec::new(),
            redirects: redirected.acts.clone(),
            input,
            folder: self.folder(),
            through: self.around.through.clone(),
            mode: self.around.mode,
            repetition: self.around.repetition,
        };
        self.note(act)
    }

    /// Sends what was printed to where it is redirected.
    pub(super) fn deliver(&mut self, printed: Printed, redirected: &Redirected) -> Run<Printed> {
        let status = printed.status;
        match &redirected.output {
            Output::On => match self.around.output.clone() {
                Some(file) => self.write(&file, printed.word, RedirectKind::Append)?,
                None => return Ok(printed),
            },
            Output::Away => {}
            Output::Write(word) => self.write(word, printed.word, RedirectKind::Write)?,
            Output::Append(word) => self.write(word, printed.word, RedirectKind::Append)?,
        }
        Ok(Printed::nothing(status))
    }
}

impl Redirected {
    /// The file that standard output goes to.
    pub(super) fn target(&self) -> Option<Word> {
        match &self.output {
            Output::Write(word) | Output::Append(word) => Some(word.clone()),
            Output::On | Output::Away => None,
        }
    }

    fn add(&mut self, kind: RedirectKind, target: Word) {
        self.acts.push(Redirect { kind, target });
    }
}
