//! Lists, `&&`, `||`, pipes and substitutions.

use super::{CommandOutput, ExitStatus, Printed, Run, Shell};
use crate::invocation::Input;
use crate::scope::Scope;
use crate::syntax::{AndOr, Connector, End, List, Pipeline};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) -> Printed {
        let mut printed = CommandOutput::nothing(ExitStatus::Success);
        for and_or in list {
            self.spend(1)?;
            printed.then(match and_or.end {
                End::Wait => self.and_or(and_or)?,
                End::Background => self.in_background(|shell| shell.and_or(and_or))?,
            });
        }
        Ok(printed)
    }

    fn and_or(&mut self, and_or: &AndOr) -> Printed {
        let mut printed = self.pipeline(&and_or.first)?;
        for (connector, pipeline) in &and_or.rest {
            let before = self.scope.clone();
            let status = printed.status;
            let next = self.pipeline(pipeline)?;
            match (connector, status) {
                // The branch is analyzed even if its condition is known, because that could be a trick.
                (Connector::And, ExitStatus::Failure) | (Connector::Or, ExitStatus::Success) => {
                    self.merge(&before)?;
                    continue;
                }
                (Connector::Or, ExitStatus::Unknown) => self.merge(&before)?,
                // The step after `&&` usually runs, so its folder counts.
                (Connector::And, ExitStatus::Unknown) => {
                    let folders = self.scope.folders.clone();
                    self.merge(&before)?;
                    self.scope.folders = folders;
                }
                _ => {}
            }
            printed.then(next);
            if status == ExitStatus::Unknown {
                printed.status = ExitStatus::Unknown;
            }
        }
        Ok(printed)
    }

    /// Both the current values and those of `other` are possible afterwards.
    pub(super) fn merge(&mut self, other: &Scope) -> Run<()> {
        self.scope.merge(other);
        self.spend(1)
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Printed {
        let mut printed = match pipeline.stages.as_slice() {
            [only] => self.command(only)?,
            _ => self.stages(pipeline)?,
        };
        if pipeline.is_negated {
            printed.status = ExitStatus::Unknown;
        }
        Ok(printed)
    }

    fn stages(&mut self, pipeline: &Pipeline) -> Printed {
        let mut carried: Option<CommandOutput> = None;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let input = carried.take().map(CommandOutput::into_input);
            carried = Some(self.in_subshell(|shell| {
                shell.context.multiplying += 1;
                if let Some(input) = input {
                    shell.context.input = input;
                }
                if at + 1 < pipeline.stages.len() {
                    shell.context.output = None;
                }
                shell.command(stage)
            })?);
        }
        Ok(carried.unwrap_or_default())
    }

    /// `$(…)`
    pub(crate) fn substitution(&mut self, list: &List) -> Printed {
        self.in_subshell(|shell| {
            shell.context.output = None;
            shell.list(list)
        })
    }

    /// `<(…)`: a file to read from, with a name that maps to its content.
    pub(crate) fn process_in(&mut self, list: &List) -> Run<Word> {
        let printed = self.substitution(list)?;
        self.spend(printed.word.weight())?;
        let name = process_name(printed.invocations);
        self.files.contents.insert(name.clone(), printed.word);
        Ok(name)
    }

    /// `>(…)`: a file to write to. It is analyzed once with unknown input, and again with the text written to it.
    pub(crate) fn process_out(&mut self, list: &List) -> Run<Word> {
        let first = self.analysis.invocations.len();
        self.in_subshell(|shell| {
            shell.context.input = Input::Pipe { from: Vec::new() };
            shell.context.multiplying += 1;
            shell.list(list)
        })?;
        let name = process_name((first..self.analysis.invocations.len()).collect());
        self.files.sinks.insert(name.clone(), list.clone());
        Ok(name)
    }
}

fn process_name(invocations: Vec<usize>) -> Word {
    let mut name = Word::of("/dev/fd/");
    name.push(Piece::Unknown(Unknown::Output(invocations)));
    name
}
