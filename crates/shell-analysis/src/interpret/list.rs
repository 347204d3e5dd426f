//! Lists, `&&`, `||`, pipes and background jobs.

use super::{CommandOutput, ExitStatus, Run, Shell};
use crate::invocation::{Input, Mode};
use crate::syntax::{AndOr, Connector, End, List, Pipeline};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) -> Run<CommandOutput> {
        let mut printed = CommandOutput::nothing(ExitStatus::Success);
        for and_or in list {
            self.spend(1)?;
            printed.then(match and_or.end {
                End::Wait => self.and_or(and_or)?,
                End::Background => self.in_subshell(|shell| {
                    shell.context.mode = Mode::Background;
                    shell.context.multiplying += 1;
                    shell.and_or(and_or)
                })?,
            });
        }
        Ok(printed)
    }

    fn and_or(&mut self, and_or: &AndOr) -> Run<CommandOutput> {
        let mut printed = self.pipeline(&and_or.first)?;
        for (connector, pipeline) in &and_or.rest {
            let before = self.scope.clone();
            let status = printed.status;
            let next = self.pipeline(pipeline)?;
            let never = matches!(
                (connector, status),
                (Connector::And, ExitStatus::Failure) | (Connector::Or, ExitStatus::Success)
            );
            if never {
                // The branch is analyzed even if its condition is known, because that could be a trick.
                self.merge(before)?;
                continue;
            }
            // The step after `&&` usually runs, the one after `||` may not.
            if *connector == Connector::Or && status == ExitStatus::Unknown {
                self.merge(before)?;
            } else if status == ExitStatus::Unknown {
                self.merge_variables(before)?;
            }
            printed.then(next);
            if status == ExitStatus::Unknown {
                printed.status = ExitStatus::Unknown;
            }
        }
        Ok(printed)
    }

    /// Both the current values and those of `other` are possible afterwards.
    pub(super) fn merge(&mut self, other: crate::scope::Scope) -> Run<()> {
        self.scope.merge(&other);
        self.spend(1)
    }

    fn merge_variables(&mut self, other: crate::scope::Scope) -> Run<()> {
        let folders = self.scope.folders.clone();
        self.merge(other)?;
        self.scope.folders = folders;
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Run<CommandOutput> {
        let mut printed = if let [only] = pipeline.stages.as_slice() {
            self.command(only)?
        } else {
            self.stages(pipeline)?
        };
        if pipeline.is_negated {
            printed.status = match printed.status {
                ExitStatus::Success => ExitStatus::Failure,
                ExitStatus::Failure => ExitStatus::Success,
                ExitStatus::Unknown => ExitStatus::Unknown,
            };
        }
        Ok(printed)
    }

    fn stages(&mut self, pipeline: &Pipeline) -> Run<CommandOutput> {
        let mut carried: Option<CommandOutput> = None;
        let last = pipeline.stages.len().saturating_sub(1);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let input = carried.take().map(CommandOutput::into_input);
            let printed = self.in_subshell(|shell| {
                shell.context.multiplying += 1;
                if let Some(input) = input {
                    shell.context.input = input;
                }
                if at < last {
                    shell.context.output = None;
                }
                shell.command(stage)
            })?;
            carried = Some(printed);
        }
        Ok(carried.unwrap_or_default())
    }

    /// `$(…)`
    pub(crate) fn substitution(&mut self, list: &List) -> Run<CommandOutput> {
        let first = self.analysis.invocations.len();
        let mut printed = self.in_subshell(|shell| {
            shell.context.output = None;
            shell.list(list)
        })?;
        // Every command inside contributes to the output.
        for piece in &mut printed.word.pieces {
            if let Piece::Unknown(Unknown::Output(invocations)) = piece
                && invocations.is_empty()
            {
                *invocations = (first..self.analysis.invocations.len()).collect();
            }
        }
        Ok(printed)
    }

    /// `<(…)`: a file to read from, with a name that maps to its content.
    pub(crate) fn process_in(&mut self, list: &List) -> Run<Word> {
        let printed = self.substitution(list)?;
        let mut name = Word::of("/dev/fd/");
        name.push(Piece::Unknown(Unknown::Output(printed.invocations.clone())));
        self.spend(printed.word.weight())?;
        self.files.streams.push((name.clone(), printed.word));
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
        let invocations = (first..self.analysis.invocations.len()).collect();
        let mut name = Word::of("/dev/fd/");
        name.push(Piece::Unknown(Unknown::Output(invocations)));
        self.files.sinks.push((name.clone(), list.clone()));
        Ok(name)
    }
}
