//! Simple commands: expanded, noted, and followed to what they run.

use super::redirects::Redirected;
use super::{Callee, Printed, Run, Shell, Status};
use crate::act::Act;
use crate::parse::parse;
use crate::scope::Branches;
use crate::syntax::{Assign, Assignment, Command, Form, Part, Raw, Redirection, Simple};
use crate::text::Text;
use crate::word::{Unknown, Word};

impl Shell<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, redirects: &[Redirection]) -> Run<Printed> {
        if let Some(printed) = self.alias(simple, redirects)? {
            return Ok(printed);
        }
        if self.scope.branches == Branches::None || self.choice.begin().is_none() {
            return self.simple_once(simple, redirects);
        }
        let before = self.scope.clone();
        let mut printed = self.simple_once(simple, redirects)?;
        // Variables with several values: once for each.
        while self.choice.next().is_some() {
            let after = std::mem::replace(&mut self.scope, before.clone());
            printed.or(self.simple_once(simple, redirects)?);
            self.merge(after)?;
        }
        Ok(printed)
    }

    fn simple_once(&mut self, simple: &Simple, redirects: &[Redirection]) -> Run<Printed> {
        let words = self.command_words(&simple.words)?;
        let values = self.assigned_values(&simple.assignments)?;
        let redirected = self.redirects(redirects)?;
        let assignments = self.shown_assignments(&values);
        for word in words.iter().chain(assignments.iter().map(|(_, value)| value)) {
            self.index_in(word)?;
        }
        if words.is_empty() {
            return self.without_program(simple, values, assignments, &redirected);
        }
        let own_output =
            matches!(words.as_slice(), [only] if only.text().as_deref() == Some("exec"));
        let kept = self.assign_for_a_while(values)?;
        let input = self.around.input.clone();
        let own_input = redirected.input.clone();
        let given = own_input.is_some();
        if let Some(own) = own_input {
            self.around.input = own;
        }
        let printed = self.words(words, assignments, &redirected);
        if given {
            self.around.input = input;
        }
        self.restore(kept);
        if own_output {
            self.around.output = redirected.target();
        }
        self.deliver(printed?, &redirected)
    }

    /// `name[$(…)]` in quotes: arithmetic and whatever takes a name run what stands in the index.
    pub(super) fn index_in(&mut self, word: &Word) -> Run<()> {
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

    /// The words of a command; after `export` and its kin, values are not split.
    fn command_words(&mut self, raws: &[Raw]) -> Run<Vec<Word>> {
        let declares = raws.first().and_then(Raw::plain).is_some_and(|name| {
            matches!(name, "export" | "declare" | "typeset" | "local" | "readonly" | "alias")
        });
        if !declares {
            return self.all_fields(raws);
        }
        let mut words = Vec::new();
        for raw in raws {
            if let Some(assignment) = declared(raw) {
                let array = matches!(assignment.value.parts.as_slice(), [Part::Array(_)]);
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

    /// Only assignments or redirections.
    fn without_program(
        &mut self,
        simple: &Simple,
        values: Vec<super::assignments::Assigned>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Run<Printed> {
        if simple.words.is_empty() || !assignments.is_empty() || !redirected.acts.is_empty() {
            let act = self.act(Vec::new(), assignments, redirected);
            let at = self.note(act)?;
            for value in values {
                self.assign(value)?;
            }
            // `$(<file)`
            let reads = matches!(redirected.acts.as_slice(), [only] if only.kind == crate::act::RedirectKind::Read);
            if reads {
                let known = match &redirected.input {
                    Some(crate::act::Input::Text { text, .. }) => Some(text.clone()),
                    _ => None,
                };
                let word = known.unwrap_or_else(|| Word::of_unknown(Unknown::Output(vec![at])));
                return Ok(Printed { word, acts: vec![at], status: Status::Unknown });
            }
        }
        Ok(Printed::nothing(Status::Success))
    }

    /// Notes a program with its arguments, and follows what it runs.
    pub(super) fn words(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Run<Printed> {
        let weight: usize = words.iter().map(Word::weight).sum();
        self.spend(weight)?;
        if let crate::act::Input::Text { text, .. } = &self.around.input {
            self.spend(text.weight())?;
        }
        let act = self.act(words.clone(), assignments, redirected);
        let at = self.note(act)?;
        self.deeper(|shell| shell.dispatch(&words, at))
    }

    fn act(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<(String, Word)>,
        redirected: &Redirected,
    ) -> Act {
        Act {
            words,
            assignments,
            redirects: redirected.acts.clone(),
            input: redirected.input.clone().unwrap_or_else(|| self.around.input.clone()),
            folder: self.folder(),
            through: self.around.through.clone(),
            mode: self.around.mode,
            repetition: self.around.repetition,
        }
    }

    /// What stands for the first word, with the others behind it.
    fn alias(&mut self, simple: &Simple, redirects: &[Redirection]) -> Run<Option<Printed>> {
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
fn declared(raw: &Raw) -> Option<Assignment> {
    let Some(Part::Plain(text)) = raw.parts.first() else { return None };
    let (name, value) = text.split_once('=')?;
    let how = if name.ends_with('+') { Assign::Extend } else { Assign::Replace };
    let mut parts = raw.parts[1..].to_vec();
    if !value.is_empty() {
        parts.insert(0, Part::Plain(value.to_owned()));
    }
    let name = name.trim_end_matches('+').to_owned();
    Some(Assignment { name, index: None, how, value: Raw { parts } })
}
