//! Redirection of input and output.

use super::command_output::{CommandOutput, Printed};
use super::files;
use crate::invocation::{Input, Redirect, RedirectKind};
use crate::shell::{Run, Shell};
use crate::syntax::Redirection;
use crate::word::Word;

/// All redirections of one command.
#[derive(Default)]
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
        for Redirection { descriptor, operator, word } in redirections {
            self.spend(1)?;
            let Some(raw) = word.get() else { continue };
            let is_text = operator.starts_with("<<");
            let word = if is_text { self.single(raw)? } else { self.pattern(raw)? };
            let known = word.text().unwrap_or_default();
            let is_descriptor = known.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let is_output = descriptor.unwrap_or(1) == 1;
            let kind = match *operator {
                "<<" | "<<-" | "<<<" => {
                    let mut text = word;
                    text.push_text(if *operator == "<<<" { "\n" } else { "" });
                    self.open(*descriptor, text, &Word::default(), &mut all);
                    continue;
                }
                ">&" if is_descriptor => {
                    if is_output && known != "1" {
                        all.output = Some((Word::of("/dev/null"), RedirectKind::Write));
                    }
                    continue;
                }
                "<" | "<&" => {
                    let copied = files::descriptor(&known);
                    match self.written(if *operator == "<" { &word } else { &copied })? {
                        Some(text) => self.open(*descriptor, text, &word, &mut all),
                        None if *operator == "<" && descriptor.unwrap_or(0) == 0 => {
                            all.input = Some(Input::Inherited);
                        }
                        None => {}
                    }
                    if *operator == "<&" {
                        continue;
                    }
                    RedirectKind::Read
                }
                "<>" => RedirectKind::ReadWrite,
                ">>" | "&>>" => RedirectKind::Append,
                _ => RedirectKind::Write,
            };
            if is_output && matches!(kind, RedirectKind::Write | RedirectKind::Append) {
                all.output = Some((word.clone(), kind));
            }
            all.redirects.push(Redirect { kind, target: word });
        }
        Ok(all)
    }

    /// Sets the content of a descriptor, read from this name.
    fn open(&mut self, descriptor: Option<u32>, text: Word, name: &Word, all: &mut Redirected) {
        if let Some(number @ 1..) = descriptor {
            self.files.insert(files::descriptor(&number.to_string()), text);
            return;
        }
        let from = if text.has_known_part() { name } else { &text };
        let (invocations, succeeds) = (from.sources().collect(), Some(true));
        all.input = Some(CommandOutput { word: text, invocations, succeeds }.into_input());
    }

    /// Sends output to its redirection.
    pub(super) fn deliver(&mut self, printed: CommandOutput, redirected: &Redirected) -> Printed {
        let Some((file, kind)) = &redirected.output else { return Ok(printed) };
        self.write(file, printed.word, *kind)?;
        Ok(CommandOutput { succeeds: printed.succeeds, ..CommandOutput::default() })
    }
}
