//! Simple commands: expands and records them, and follows what they run.

use std::rc::Rc;

use super::assignments::Values;
use super::command_output::{CommandOutput, Printed};
use super::redirects::Redirected;
use crate::invocation::{Input, Invocation, RedirectKind};
use crate::limits::INVOCATION_COST;
use crate::parse::{in_name, parse_quoted};
use crate::shell::{Run, Shell};
use crate::syntax::{Redirection, Simple};
use crate::word::Word;

impl Shell<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, redirects: &[Redirection]) -> Printed {
        let mut words = self.all_fields(&simple.words)?;
        let (mut assignments, mut before) = self.assign_all(&simple.assignments)?;
        let redirected = self.redirects(redirects)?;
        if simple.declares() {
            // Its arguments are expanded like assignments, and stay.
            before.clear();
            for (name, value) in assignments.drain(..) {
                let mut word = Word::of(format!("{name}="));
                word.append(self.known_variable(&name).cloned().unwrap_or(value));
                words.push(word);
            }
        }
        for word in words.iter().chain(assignments.iter().map(|(_, value)| value)) {
            self.run_quoted_index(word)?;
        }
        if words.is_empty() {
            return self.without_program(assignments, &redirected);
        }
        let printed = self.with_input(redirected.input.clone(), |shell| {
            shell.run(words.into(), assignments, &redirected)
        });
        for (name, value) in before.into_iter().rev() {
            self.scope.restore(name, value);
        }
        self.deliver(printed?, &redirected)
    }

    /// `name[$(…)]` in quotes: arithmetic and builtins that take a name run the command in the index.
    pub(super) fn run_quoted_index(&mut self, word: &Word) -> Run<()> {
        let text = word.text().unwrap_or_default();
        let Some((name, index)) = text.split_once('[') else { return Ok(()) };
        let runs = index.contains("$(") || index.contains('`');
        if runs && !name.is_empty() && name.chars().all(|c| in_name(c) || c == '=') {
            self.spend(word.weight())?;
            if let Some(raw) = parse_quoted(word) {
                self.single(&raw)?;
            }
        }
        Ok(())
    }

    fn without_program(&mut self, set: Values, own: &Redirected) -> Printed {
        if set.is_empty() && own.redirects.is_empty() {
            return Ok(CommandOutput::nothing());
        }
        let at = self.record(Rc::default(), set, own)?;
        // `$(<file)`
        let reads = matches!(own.redirects.as_slice(), [only] if only.kind == RedirectKind::Read);
        Ok(match &own.input {
            Some(Input::Text { text, .. }) if reads => CommandOutput::known(text.clone(), at),
            _ if reads => CommandOutput::unknown(at),
            _ => CommandOutput::nothing(),
        })
    }

    /// Records a program with its arguments, and follows what it runs.
    pub(super) fn run(&mut self, words: Rc<[Word]>, set: Values, own: &Redirected) -> Printed {
        self.spend(words.iter().map(Word::weight).sum())?;
        self.spend(self.context.input.text().map_or(0, Word::weight))?;
        let at = self.record(Rc::clone(&words), set, own)?;
        self.deeper(|shell| shell.dispatch(&words, at))
    }

    /// Records a command and returns its index.
    pub(super) fn record(
        &mut self,
        words: Rc<[Word]>,
        set: Values,
        own: &Redirected,
    ) -> Run<usize> {
        let index = self.analysis.invocations.len();
        self.spend(INVOCATION_COST + (self.context.launchers.len() + own.redirects.len()) * 16)?;
        let invocation = Invocation {
            words,
            assignments: set,
            redirects: own.redirects.clone(),
            input: own.input.clone().unwrap_or_else(|| self.context.input.clone()),
            folder: self.scope.folder.clone(),
            launchers: self.context.launchers.clone(),
            mode: self.context.mode,
            repetition: self.context.repetition,
        };
        self.analysis.invocations.push(invocation);
        Ok(index)
    }
}
