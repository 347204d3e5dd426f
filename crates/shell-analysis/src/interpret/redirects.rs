//! Redirection of input and output.

use super::{CommandOutput, ExitStatus, Printed, Run, Shell, files};
use crate::invocation::{Input, Redirect, RedirectKind};
use crate::syntax::{Redirection, Target};
use crate::word::Word;

/// All redirections of one command.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) redirects: Vec<Redirect>,
    /// The redirected standard input, if any.
    pub(super) input: Option<Input>,
    /// The target of standard output, if it has its own.
    pub(super) output: Option<(Word, RedirectKind)>,
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
                    self.open(*descriptor, text, &Word::default(), &mut all);
                }
                Target::CopyIn(_) => {
                    let name = files::descriptor(&word.text().unwrap_or_default());
                    if let Some(text) = self.written(&name)? {
                        self.open(*descriptor, text, &word, &mut all);
                    }
                }
                Target::CopyOut(_) if word.text().is_some_and(is_descriptor) => {
                    if is_output && !word.is("1") {
                        all.output = Some((Word::of("/dev/null"), RedirectKind::Write));
                    }
                }
                Target::Read(_) => {
                    match self.written(&word)? {
                        Some(text) => self.open(*descriptor, text, &word, &mut all),
                        None if descriptor.unwrap_or(0) == 0 => all.input = Some(Input::Inherited),
                        None => {}
                    }
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

    /// Sets the content of a descriptor, read from this name.
    fn open(&mut self, descriptor: Option<u32>, text: Word, name: &Word, all: &mut Redirected) {
        if let Some(number @ 1..) = descriptor {
            self.files.contents.insert(files::descriptor(&number.to_string()), text);
            return;
        }
        let from = if text.has_known_part() { name } else { &text };
        let (invocations, status) = (from.sources().collect(), ExitStatus::Success);
        all.input = Some(CommandOutput { word: text, invocations, status }.into_input());
    }

    /// Sends output to its redirection.
    pub(super) fn deliver(&mut self, printed: CommandOutput, redirected: &Redirected) -> Printed {
        let own = || self.context.output.clone().map(|file| (file, RedirectKind::Append));
        let Some((file, kind)) = redirected.output.clone().or_else(own) else {
            return Ok(printed);
        };
        self.write(&file, printed.word, kind)?;
        Ok(CommandOutput::nothing(printed.status))
    }
}

impl Redirected {
    fn add(&mut self, kind: RedirectKind, target: Word, is_output: bool) {
        if is_output {
            self.output = Some((target.clone(), kind));
        }
        self.redirects.push(Redirect { kind, target });
    }
}
