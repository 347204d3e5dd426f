//! Walks the syntax as a shell would, and records every command that would run.

mod assignments;
mod builtins;
mod command_output;
mod compound;
mod dispatch;
mod files;
mod items;
mod list;
mod read;
mod redirects;
mod shells;
mod simple;
mod wrappers;

use std::rc::Rc;

use command_output::{CommandOutput, Printed};

use crate::analysis::{Analysis, InitialState, Recursion, Unanalyzed};
use crate::invocation::Launcher;
use crate::limits::TEXT_BYTES;
use crate::parse::parse;
use crate::shell::{Call, LimitReached, Run, Shell};
use crate::word::Word;

pub fn analyze(script: &str, start: &InitialState<'_>) -> Analysis {
    let mut shell = Shell::new(start);
    if script.len() > TEXT_BYTES {
        shell.analysis.unanalyzed.push(Unanalyzed::TooLong { bytes: script.len() });
        return shell.analysis;
    }
    // When a limit is reached, `unanalyzed` already reports it.
    let _ = shell.text(&Word::of(script)).and_then(|_| shell.analyze_uncalled_functions());
    for (name, text) in shell.files {
        match name.text() {
            // Later commands may run it.
            Some(path) => {
                shell.analysis.files.insert(path.into_owned().into(), text.shown().into_owned());
            }
            None => shell.analysis.streams.push((name, text)),
        }
    }
    shell.analysis
}

impl Shell<'_> {
    /// Parses and runs a text in the current shell.
    fn text(&mut self, word: &Word) -> Printed {
        self.spend(word.weight())?;
        let (list, trouble) = parse(word);
        if let Some(trouble) = trouble {
            let bound = !matches!(trouble, Unanalyzed::Broken { .. });
            self.analysis.unanalyzed.push(trouble);
            if bound {
                return Err(LimitReached);
            }
        }
        self.list(&list)
    }

    /// Analyzes functions that the text does not call, because later commands may call them.
    fn analyze_uncalled_functions(&mut self) -> Run<()> {
        let mut at = 0;
        while at < self.definitions.len() {
            if !self.definitions[at].called {
                self.scope.positional = None;
                self.call(at)?;
            }
            at += 1;
        }
        Ok(())
    }

    /// Runs the body of a function; its arguments are already set.
    fn call(&mut self, at: usize) -> Printed {
        let definition = &mut self.definitions[at];
        definition.called = true;
        let (name, body) = (definition.name.clone(), Rc::clone(&definition.body));
        self.calling(Word::of(at.to_string()), &name.clone(), |shell| {
            shell.launched_by(Launcher::Function(name), |shell| shell.command(&body))
        })
    }

    /// Runs a function or script, unless it is already active: then it only records the recursion.
    fn calling(
        &mut self,
        called: Word,
        name: &str,
        inner: impl FnOnce(&mut Self) -> Printed,
    ) -> Printed {
        let multiplying = self.context.multiplying;
        let arguments = self.scope.positional.as_ref().map_or(0, |words| words.len());
        // A recursion with ever fewer arguments ends.
        let again = |call: &&Call| call.called == called && arguments >= call.arguments;
        if let Some(call) = self.calls.iter().rev().find(again) {
            let multiplies = multiplying > call.multiplying;
            let recursion = Recursion { function: name.to_owned(), multiplies };
            if !self.analysis.recursions.contains(&recursion) {
                self.analysis.recursions.push(recursion);
            }
            return Ok(CommandOutput::default());
        }
        self.calls.push(Call { called, arguments, multiplying });
        let printed = inner(self);
        self.calls.pop();
        printed
    }
}
