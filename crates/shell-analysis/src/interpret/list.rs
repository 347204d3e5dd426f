//! Lists, `&&`, `||`, pipes and substitutions.

use std::path::PathBuf;

use super::command_output::{CommandOutput, Printed};
use crate::invocation::Input;
use crate::scope::Scope;
use crate::shell::{Run, Shell};
use crate::syntax::{AndOr, List, Pipeline};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) -> Printed {
        let mut printed = CommandOutput::nothing();
        for and_or in list {
            self.spend(1)?;
            printed.then(if and_or.is_background {
                self.in_background(|shell| shell.and_or(and_or))?
            } else {
                self.and_or(and_or)?
            });
        }
        Ok(printed)
    }

    fn and_or(&mut self, and_or: &AndOr) -> Printed {
        let mut printed = self.pipeline(&and_or.first)?;
        let mut skipped: Option<Scope> = None;
        for (is_or, pipeline) in &and_or.rest {
            let before = self.scope.clone();
            let next = self.pipeline(pipeline)?;
            let known = printed.succeeds;
            match known {
                // It is analyzed even if it is known not to run, because that could be a trick.
                Some(succeeds) if succeeds == *is_or => {
                    self.scope = before;
                    continue;
                }
                Some(_) => {}
                None if *is_or => self.merge(&before)?,
                None => _ = skipped.get_or_insert(before),
            }
            printed.then(next);
            printed.succeeds = known.and(printed.succeeds);
        }
        if let Some(before) = skipped {
            // The step after `&&` usually runs, so its folder counts.
            let folder = self.scope.folder.clone();
            self.merge(&before)?;
            self.scope.folder = folder;
        }
        Ok(printed)
    }

    /// Either the current scope or this one is that of the next command. The folder that is not in the initial one counts.
    pub(super) fn merge(&mut self, other: &Scope) -> Run<()> {
        let start = &self.start.folder;
        let is_outside = |folder: &PathBuf| !folder.starts_with(start);
        let (mine, their) = (&self.scope.folder, &other.folder);
        if mine != their && !mine.as_ref().is_some_and(is_outside) {
            self.scope.folder = their.clone().filter(is_outside);
        }
        self.scope.merge(other);
        self.spend(1)
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Printed {
        let mut carried: Option<CommandOutput> = None;
        for stage in &pipeline.stages {
            let input = carried.take().map(CommandOutput::into_input);
            carried = Some(if pipeline.stages.len() == 1 {
                self.command(stage)?
            } else {
                self.in_subshell(|shell| {
                    shell.context.multiplying += 1;
                    shell.with_input(input, |shell| shell.command(stage))
                })?
            });
        }
        let mut printed = carried.unwrap_or_default();
        if pipeline.is_negated {
            printed.succeeds = printed.succeeds.map(|succeeds| !succeeds);
        }
        Ok(printed)
    }

    /// `$(…)`
    pub(crate) fn substitution(&mut self, list: &List) -> Printed {
        self.in_subshell(|shell| shell.list(list))
    }

    /// `<(…)`: a file to read from, with a name that maps to its content.
    pub(crate) fn process_in(&mut self, list: &List) -> Run<Word> {
        let printed = self.substitution(list)?;
        self.spend(printed.word.weight())?;
        let name = process_name(printed.invocations);
        self.files.insert(name.clone(), printed.word);
        Ok(name)
    }

    /// `>(…)`: a file to write to; its text is unknown.
    pub(crate) fn process_out(&mut self, list: &List) -> Run<Word> {
        let first = self.analysis.invocations.len();
        self.in_background(|shell| {
            shell.context.input = Input::Pipe { from: Vec::new() };
            shell.list(list)
        })?;
        Ok(process_name((first..self.analysis.invocations.len()).collect()))
    }
}

fn process_name(invocations: Vec<usize>) -> Word {
    let mut name = Word::of("/dev/fd/");
    name.push(Piece::Unknown(Unknown::Output(invocations)));
    name
}
