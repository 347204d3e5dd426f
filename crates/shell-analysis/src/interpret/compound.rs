//! Compound commands: branches, loops, groups, definitions.

use std::rc::Rc;

use super::{CommandOutput, Definition, ExitStatus, Run, Shell};
use crate::invocation::{Input, Mode, Repetition};
use crate::limits::ROUNDS;
use crate::scope::{Candidates, Names, Positional, Value};
use crate::syntax::{Command, Form, List, RawWord, WordPart};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    pub(super) fn command(&mut self, command: &Command) -> Run<CommandOutput> {
        self.spend(1)?;
        if let Form::Simple(simple) = &command.form {
            return self.simple(simple, &command.redirects);
        }
        let redirected = self.redirects(&command.redirects)?;
        if !redirected.redirects.is_empty() {
            self.record_redirects(&redirected)?;
        }
        let input = self.context.input.clone();
        if let Some(given) = redirected.input.clone() {
            self.context.input = given;
        }
        let printed = self.deeper(|shell| shell.form(&command.form));
        self.context.input = input;
        self.deliver(printed?, &redirected)
    }

    fn form(&mut self, form: &Form) -> Run<CommandOutput> {
        match form {
            Form::Simple(simple) => self.simple(simple, &[]),
            Form::Group(list) => self.list(list),
            Form::Subshell(list) => self.in_subshell(|shell| shell.list(list)),
            Form::If { arms, otherwise } => self.branches(arms, otherwise.as_ref()),
            Form::While { condition, body, is_until } => self.repeat(condition, body, *is_until),
            Form::For { name, items, body } => self.over_items(name, items.as_deref(), body),
            Form::Count { header, body, is_endless } => {
                self.single(header)?;
                let repetition = if *is_endless { Repetition::Endless } else { Repetition::Loop };
                self.forget_counters(header);
                self.repeating(repetition, |shell| shell.list(body))
            }
            Form::Case { subject, arms } => self.cases(subject, arms),
            Form::Function { name, body } => {
                self.define(name, body);
                Ok(CommandOutput::nothing(ExitStatus::Success))
            }
            Form::Condition(words) => {
                for word in words {
                    let word = self.single(word)?;
                    self.run_quoted_index(&word)?;
                }
                Ok(CommandOutput::nothing(ExitStatus::Unknown))
            }
            Form::Arithmetic(raw) => {
                self.single(raw)?;
                self.forget_counters(raw);
                Ok(CommandOutput::nothing(ExitStatus::Unknown))
            }
            Form::Coprocess { name, command } => self.coprocess(name, command),
        }
    }

    /// `coproc NAME command`: its output can be read from `${NAME[0]}`.
    fn coprocess(&mut self, name: &str, command: &Command) -> Run<CommandOutput> {
        let printed = self.in_subshell(|shell| {
            shell.context.mode = Mode::Background;
            shell.context.multiplying += 1;
            shell.command(command)
        })?;
        let reads = format!("{name}[0]");
        let ends = ["0", "1"].map(|end| (end.to_owned(), Word::of(format!("{name}[{end}]"))));
        self.files.descriptors.insert(reads, printed.into_input());
        self.scope.set(name, Value::List(ends.to_vec()));
        Ok(CommandOutput::nothing(ExitStatus::Success))
    }

    /// Makes variables unknown that arithmetic assigns to.
    fn forget_counters(&mut self, raw: &RawWord) {
        let plain = raw.parts.iter().filter_map(|part| match part {
            WordPart::Quoted(text) | WordPart::Plain(text) => Some(text.as_str()),
            _ => None,
        });
        let text: String = plain.collect();
        let names: Vec<&str> = text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            .collect();
        if !text.contains(['=', '+', '-']) {
            return;
        }
        for name in names {
            self.scope.set(name, Value::Text(Word::of_unknown(Unknown::Value)));
        }
    }

    fn define(&mut self, name: &str, body: &Rc<Command>) {
        let at = self.definitions.len();
        self.scope.define(name, at);
        self.definitions.push(Definition {
            name: name.to_owned(),
            body: Rc::clone(body),
            scope: self.scope.clone(),
            context: self.context.clone(),
            called: false,
        });
    }

    fn branches(&mut self, arms: &[(List, List)], otherwise: Option<&List>) -> Run<CommandOutput> {
        let mut printed = CommandOutput::default();
        let mut all: Option<(CommandOutput, crate::scope::Scope)> = None;
        let mut sure = ExitStatus::Unknown;
        for (condition, body) in arms {
            let condition = self.list(condition)?;
            let status = condition.status;
            printed.then(condition);
            let before = self.scope.clone();
            let arm = self.list(body)?;
            let after = std::mem::replace(&mut self.scope, before);
            if status != ExitStatus::Failure && sure != ExitStatus::Success {
                match &mut all {
                    Some((so_far, scope)) => {
                        so_far.or(arm);
                        scope.merge(&after);
                    }
                    None => all = Some((arm, after)),
                }
            }
            if status == ExitStatus::Success {
                sure = ExitStatus::Success;
            }
        }
        let last = match otherwise {
            Some(list) => self.list(list)?,
            None => CommandOutput::nothing(ExitStatus::Unknown),
        };
        if let Some((mut so_far, scope)) = all {
            if sure == ExitStatus::Success {
                self.scope = scope;
            } else {
                so_far.or(last);
                self.merge(scope)?;
            }
            printed.then(so_far);
        } else {
            printed.then(last);
        }
        Ok(printed)
    }

    fn cases(&mut self, subject: &RawWord, arms: &[(Vec<RawWord>, List)]) -> Run<CommandOutput> {
        self.single(subject)?;
        let before = self.scope.clone();
        let mut merged = before.clone();
        let mut printed = CommandOutput::default();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.pattern(pattern)?;
            }
            printed.or(self.list(body)?);
            let after = std::mem::replace(&mut self.scope, before.clone());
            merged.merge(&after);
            self.spend(1)?;
        }
        self.scope = merged;
        Ok(printed)
    }

    fn repeating<T>(
        &mut self,
        repetition: Repetition,
        inner: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let outer = self.context.repetition;
        if outer != Repetition::Endless {
            self.context.repetition = repetition;
        }
        let result = inner(self);
        self.context.repetition = outer;
        result
    }

    fn repeat(&mut self, condition: &List, body: &List, is_until: bool) -> Run<CommandOutput> {
        let wanted = if is_until { ExitStatus::Failure } else { ExitStatus::Success };
        let lines = matches!(&self.context.input, Input::Text { .. });
        let before = Rc::clone(&self.scope.variables);
        let mut printed = CommandOutput::default();
        let mut left = usize::MAX;
        for round in 0.. {
            // After the usual number of rounds, each round must consume input.
            let before_round = std::mem::replace(&mut left, self.input_left());
            if round >= ROUNDS && left >= before_round {
                break;
            }
            let condition_printed =
                self.repeating(Repetition::Loop, |shell| shell.list(condition))?;
            let status = condition_printed.status;
            let constant = condition.iter().all(|and_or| is_constant(&and_or.first.stages));
            let endless = constant && status == wanted;
            // `read` has reached the end of its input.
            if lines && !constant && round > 0 && status == ExitStatus::Failure {
                break;
            }
            let repetition = if endless { Repetition::Endless } else { Repetition::Loop };
            printed.then(condition_printed);
            printed.then(self.repeating(repetition, |shell| shell.list(body))?);
            let more = lines && !constant && status == ExitStatus::Success;
            if !more && (round > 0 || !self.changed_by_round(&before)) {
                break;
            }
        }
        Ok(printed)
    }

    /// The length of the unread known input.
    fn input_left(&self) -> usize {
        match &self.context.input {
            Input::Text { text, .. } => text.weight(),
            Input::Inherited | Input::Pipe { .. } => 0,
        }
    }

    /// Whether a round has changed a variable that the next round may use.
    fn changed_by_round(&self, before: &Names<Candidates>) -> bool {
        if Rc::ptr_eq(before, &self.scope.variables) {
            return false;
        }
        self.scope.variables.iter().any(|(name, values)| {
            let known = values.iter().any(|value| {
                matches!(value, Value::Text(word) if word.text().is_some_and(|text| !text.is_empty()))
            });
            known && before.get(name).is_some_and(|old| old != values)
        })
    }

    fn over_items(
        &mut self,
        name: &str,
        items: Option<&[RawWord]>,
        body: &List,
    ) -> Run<CommandOutput> {
        let mut words = match (items, &self.scope.positional) {
            (Some(raws), _) => self.all_fields(raws)?,
            (None, Positional::Known(words)) => words.to_vec(),
            (None, Positional::Unknown) => vec![Word::of_unknown(Unknown::Value)],
        };
        if words.len() > ROUNDS {
            words.truncate(ROUNDS);
            words.push(Word::of_unknown(Unknown::Value));
        }
        if words.is_empty() {
            words.push(Word::default());
        }
        let mut printed = CommandOutput::nothing(ExitStatus::Success);
        for word in words {
            self.scope.set(name, Value::Text(word));
            printed.then(self.repeating(Repetition::Loop, |shell| shell.list(body))?);
        }
        Ok(printed)
    }
}

/// A condition that never changes.
fn is_constant(stages: &[Command]) -> bool {
    let literal = |raw: &RawWord| {
        raw.parts.iter().all(|part| matches!(part, WordPart::Plain(_) | WordPart::Quoted(_)))
    };
    stages.iter().all(|stage| match &stage.form {
        Form::Simple(simple) => {
            let name = simple.words.first().and_then(RawWord::plain);
            let settled =
                name.is_some_and(|name| matches!(name, "true" | ":" | "false" | "[" | "test"));
            settled && simple.words.iter().all(literal)
        }
        _ => false,
    })
}
