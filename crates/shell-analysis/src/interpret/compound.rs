//! Compound commands: branches, loops, groups, definitions.

use std::rc::Rc;

use super::command_output::{CommandOutput, Printed};
use super::files::descriptor;
use crate::invocation::Repetition;
use crate::shell::{Definition, Shell};
use crate::syntax::{Command, Form, List, RawWord};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    pub(super) fn command(&mut self, command: &Command) -> Printed {
        self.spend(1)?;
        if let Form::Simple(simple) = &command.form {
            return self.simple(simple, &command.redirects);
        }
        let redirected = self.redirects(&command.redirects)?;
        if !redirected.redirects.is_empty() {
            self.record(Rc::default(), Vec::new(), &redirected)?;
        }
        let printed = self.with_input(redirected.input.clone(), |shell| {
            shell.deeper(|shell| shell.form(&command.form))
        });
        self.deliver(printed?, &redirected)
    }

    fn form(&mut self, form: &Form) -> Printed {
        match form {
            Form::Simple(simple) => self.simple(simple, &[]),
            Form::Group(list) => self.list(list),
            Form::Subshell(list) => self.in_subshell(|shell| shell.list(list)),
            Form::If { arms, otherwise } => self.branches(arms, otherwise),
            Form::While { condition, body, is_until } => self.repeat(condition, body, *is_until),
            Form::For { name, items, body } => self.over_items(name, items.as_deref(), body),
            Form::Function { name, body } => {
                self.scope.define(name, self.definitions.len());
                let (name, body) = (name.clone(), Rc::clone(body));
                self.definitions.push(Definition { name, body, called: false });
                Ok(CommandOutput::nothing())
            }
            Form::Expression(words) => {
                for word in words {
                    let word = self.single(word)?;
                    self.run_quoted_index(&word)?;
                }
                Ok(CommandOutput::default())
            }
            Form::Coprocess { name, command } => {
                // Its output can be read from `${NAME[0]}`.
                let printed = self.in_background(|shell| shell.command(command))?;
                let reads = format!("{name}[0]");
                self.scope.set(name, Word::of(&reads));
                self.files.insert(descriptor(&reads), printed.word);
                Ok(CommandOutput::default())
            }
        }
    }

    /// Any of the branches may be the one that runs, even if a condition is known.
    fn branches(&mut self, arms: &[(List, List)], otherwise: &List) -> Printed {
        let mut printed = CommandOutput::default();
        let mut ends = Vec::new();
        for (condition, body) in arms {
            printed.then(self.list(condition)?);
            let before = self.scope.clone();
            let output = self.list(body)?;
            ends.push((output, std::mem::replace(&mut self.scope, before)));
        }
        let mut last = self.list(otherwise)?;
        for (output, scope) in ends {
            last.or(output);
            self.merge(&scope)?;
        }
        printed.then(last);
        Ok(printed)
    }

    fn repeating(&mut self, repetition: Repetition, list: &List) -> Printed {
        let outer = self.context.repetition;
        self.context.repetition = outer.max(repetition);
        let printed = self.list(list);
        self.context.repetition = outer;
        printed
    }

    fn repeat(&mut self, condition: &List, body: &List, is_until: bool) -> Printed {
        let is_constant =
            condition.iter().all(|and_or| and_or.first.stages.iter().all(is_constant));
        let before = Rc::clone(&self.scope.variables);
        let mut printed = CommandOutput::default();
        for round in 0.. {
            // The length of the unread known input.
            let unread = |shell: &Self| shell.context.input.text().map(Word::weight);
            let left = unread(self).filter(|_| !is_constant);
            let tested = self.repeating(Repetition::Loop, condition)?;
            let goes_on = tested.succeeds.map(|succeeds| succeeds != is_until);
            printed.then(tested);
            // `read` has reached the end of its input.
            if left.is_some() && round > 0 && goes_on == Some(false) {
                break;
            }
            let is_endless = is_constant && goes_on == Some(true);
            let repetition = if is_endless { Repetition::Endless } else { Repetition::Loop };
            printed.then(self.repeating(repetition, body)?);
            // Each further round must consume input, or use a variable that the first one has changed.
            let reads = goes_on == Some(true) && unread(self) < left;
            let changes = round == 0 && !Rc::ptr_eq(&before, &self.scope.variables);
            if !reads && !changes {
                break;
            }
        }
        Ok(printed)
    }

    fn over_items(&mut self, name: &str, items: Option<&[RawWord]>, body: &List) -> Printed {
        let unknown = || vec![Word::of_unknown(Unknown::Value)];
        let mut words = match items {
            Some(raws) => self.all_fields(raws)?,
            None => {
                self.scope.positional.as_ref().map_or_else(unknown, |words| words[1..].to_vec())
            }
        };
        if words.is_empty() {
            words.push(Word::default());
        }
        let mut printed = CommandOutput::nothing();
        for word in words {
            self.scope.set(name, word);
            printed.then(self.repeating(Repetition::Loop, body)?);
        }
        Ok(printed)
    }
}

/// A condition that never changes.
fn is_constant(stage: &Command) -> bool {
    let Form::Simple(simple) = &stage.form else { return false };
    let name = simple.words.first().and_then(RawWord::plain);
    matches!(name, Some("true" | ":" | "false" | "[" | "test"))
        && simple.words.iter().all(|word| word.plain().is_some())
}
