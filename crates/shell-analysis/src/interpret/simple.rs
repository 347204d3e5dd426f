//! Simple commands: expands and records them, and follows what they run.

use super::redirects::Redirected;
use super::{Callee, CommandOutput, ExitStatus, Run, Shell};
use crate::invocation::Invocation;
use crate::parse::parse;
use crate::syntax::{Assign, Assignment, Command, Form, RawWord, Redirection, Simple, WordPart};
use crate::text::Text;
use crate::word::{Unknown, Word};

impl Shell<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirection],
    ) -> Run<CommandOutput> {
        if let Some(printed) = self.alias(simple, redirects)? {
            return Ok(printed);
        }
        if !self.scope.has_branches || self.choice.begin().is_none() {
            return self.simple_once(simple, redirects);
        }
        let before = self.scope.clone();
        let mut printed = self.simple_once(simple, redirects)?;
        // Once for each value of variables with several values.
        while self.choice.next().is_some() {
            let after = std::mem::replace(&mut self.scope, before.clone());
            printed.or(self.simple_once(simple, redirects)?);
            self.merge(after)?;
        }
        Ok(printed)
    }

    fn simple_once(&mut self, simple: &Simple, redirects: &[Redirection]) -> Run<CommandOutput> {
        let words = self.command_words(&simple.words)?;
        let values = self.assigned_values(&simple.assignments)?;
        let redirected = self.redirects(redirects)?;
        let assignments = self.shown_assignments(&values);
        for word in words.iter().chain(assignments.iter().map(|(_, value)| value)) {
            self.run_quoted_index(word)?;
        }
        if words.is_empty() {
            return self.without_program(simple, values, assignments, &redirected);
        }
        let own_output =
            matches!(words.as_slice(), [only] if only.text().as_deref() == Some("exec"));
        let kept = self.assign_for_command(values)?;
        let input = self.context.input.clone();
        let own_input = redirected.input.clone();
        let given = own_input.is_some();
        if let Some(own) = own_input {
            self.context.input = own;
        }
        let printed = self.run_program(words, assignments, &redirected);
        if given {
            self.context.input = input;
        }
        self.restore(kept);
        if own_output {
            self.context.output = redirected.target();
        }
        self.deliver(printed?, &redirected)
    }

    /// `name[$(…)]` in quotes: arithmetic and builtins that take a name run the command in the index.
    pub(super) fn run_quoted_index(&mut self, word: &Word) -> Run<()> {
        let Some(text) = word.text() else { return Ok(()) };
        let Some((name, index)) = text.split_once('[') else { return Ok(()) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '=';
        let runs = index.contains("$(") || index.contains('`');
        if runs && !name.is_empty() && name.chars().all(is_name) {
            self.spend(word.weight())?;
            if let Some(raw) = crate::parse::parse_quoted(&Text::of_word(word)) {
                self.single(&raw)?;
            }
        }
        Ok(())
    }

    /// The words of a command; after `export` and similar builtins, values are not split.
    fn command_words(&mut self, raws: &[RawWord]) -> Run<Vec<Word>> {
        let declares = raws.first().and_then(RawWord::plain).is_some_and(|name| {
            matches!(name, "export" | "declare" | "typeset" | "local" | "readonly" | "alias")
        });
        if !declares {
            return self.all_fields(raws);
        }
        let mut words = Vec::new();
        for raw in raws {
            if let Some(assignment) = declared(raw) {
                let array = matches!(assignment.value.parts.as_slice(), [WordPart::Array(_)]);
                words.push(self.single(raw)?);
                if array {
                    for value in self.assigned_values(&[assignment])? {
                        self.assign(value)?;
                    }
                }
            } else {
                words.extend(self.fields(raw)?);
            }
        }
        Ok(words)
    }

    fn without_program(
        &mut self,
        simple: &Simple,
        values: Vec<super::assignments::Assigned>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Run<CommandOutput> {
        if simple.words.is_empty() || !assignments.is_empty() || !redirected.redirects.is_empty() {
            let invocation = self.invocation(Vec::new(), assignments, redirected);
            let at = self.record(invocation)?;
            for value in values {
                self.assign(value)?;
            }
            // `$(<file)`
            let reads = matches!(redirected.redirects.as_slice(), [only] if only.kind == crate::invocation::RedirectKind::Read);
            if reads {
                let known = match &redirected.input {
                    Some(crate::invocation::Input::Text { text, .. }) => Some(text.clone()),
                    _ => None,
                };
                let word = known.unwrap_or_else(|| Word::of_unknown(Unknown::Output(vec![at])));
                return Ok(CommandOutput {
                    word,
                    invocations: vec![at],
                    status: ExitStatus::Unknown,
                });
            }
        }
        Ok(CommandOutput::nothing(ExitStatus::Success))
    }

    /// Records a program with its arguments, and follows what it runs.
    pub(super) fn run_program(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Run<CommandOutput> {
        let weight: usize = words.iter().map(Word::weight).sum();
        self.spend(weight)?;
        if let crate::invocation::Input::Text { text, .. } = &self.context.input {
            self.spend(text.weight())?;
        }
        let invocation = self.invocation(words.clone(), assignments, redirected);
        let at = self.record(invocation)?;
        self.deeper(|shell| shell.dispatch(&words, at))
    }

    fn invocation(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Invocation {
        Invocation {
            words,
            assignments,
            redirects: redirected.redirects.clone(),
            input: redirected.input.clone().unwrap_or_else(|| self.context.input.clone()),
            folder: self.folder(),
            launchers: self.context.launchers.clone(),
            mode: self.context.mode,
            repetition: self.context.repetition,
        }
    }

    /// Replaces the first word with its alias.
    fn alias(&mut self, simple: &Simple, redirects: &[Redirection]) -> Run<Option<CommandOutput>> {
        let Some(name) = simple.words.first().and_then(|word| word.plain()) else {
            return Ok(None);
        };
        let Some(text) = self.scope.aliases.get(name).cloned() else { return Ok(None) };
        let called = Callee::Alias(name.to_owned());
        if self.calls.iter().any(|call| call.called == called) {
            return Ok(None);
        }
        self.spend(text.weight())?;
        let mut parsed = parse(&Text::of_word(&text));
        let last = parsed.list.last_mut().map(|and_or| {
            let pipeline =
                and_or.rest.last_mut().map_or(&mut and_or.first, |(_, pipeline)| pipeline);
            &mut pipeline.stages
        });
        if let Some(Some(Command { form: Form::Simple(end), redirects: own })) =
            last.map(|stages| stages.last_mut())
        {
            end.words.extend_from_slice(&simple.words[1..]);
            own.extend_from_slice(redirects);
        }
        self.begin(called);
        let printed = self.deeper(|shell| shell.list(&parsed.list));
        self.calls.pop();
        printed.map(Some)
    }
}

/// `NAME=value` as an argument.
fn declared(raw: &RawWord) -> Option<Assignment> {
    let Some(WordPart::Plain(text)) = raw.parts.first() else { return None };
    let (name, value) = text.split_once('=')?;
    let how = if name.ends_with('+') { Assign::Extend } else { Assign::Replace };
    let mut parts = raw.parts[1..].to_vec();
    if !value.is_empty() {
        parts.insert(0, WordPart::Plain(value.to_owned()));
    }
    let name = name.trim_end_matches('+').to_owned();
    Some(Assignment { name, index: None, how, value: RawWord { parts } })
}
