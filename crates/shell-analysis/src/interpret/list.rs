//! Lists, `&&`, `||`, pipes and background jobs.

use super::{Printed, Run, Shell, Status};
use crate::act::{Input, Mode};
use crate::syntax::{AndOr, Connector, End, List, Pipeline, Sense};
use crate::word::{Piece, Unknown, Word};

impl Shell<'_> {
    pub(super) fn list(&mut self, list: &List) -> Run<Printed> {
        let mut printed = Printed::nothing(Status::Success);
        for and_or in list {
            self.spend(1)?;
            printed.then(match and_or.end {
                End::Wait => self.and_or(and_or)?,
                End::GoOn => self.apart(|shell| {
                    shell.around.mode = Mode::Background;
                    shell.around.multiplying += 1;
                    shell.and_or(and_or)
                })?,
            });
        }
        Ok(printed)
    }

    fn and_or(&mut self, and_or: &AndOr) -> Run<Printed> {
        let mut printed = self.pipeline(&and_or.first)?;
        for (connector, pipeline) in &and_or.rest {
            let before = self.scope.clone();
            let status = printed.status;
            let next = self.pipeline(pipeline)?;
            let never = matches!(
                (connector, status),
                (Connector::And, Status::Failure) | (Connector::Or, Status::Success)
            );
            if never {
                // It is read all the same: what is sure here may be a trick.
                self.merge(before)?;
                continue;
            }
            // A step that usually follows leaves its mark, a way out may not be taken.
            if *connector == Connector::Or && status == Status::Unknown {
                self.merge(before)?;
            } else if status == Status::Unknown {
                self.merge_variables(before)?;
            }
            printed.then(next);
            if status == Status::Unknown {
                printed.status = Status::Unknown;
            }
        }
        Ok(printed)
    }

    /// Both what is known now and what was known there may be so.
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

    fn pipeline(&mut self, pipeline: &Pipeline) -> Run<Printed> {
        let mut printed = if let [only] = pipeline.stages.as_slice() {
            self.command(only)?
        } else {
            self.stages(pipeline)?
        };
        if pipeline.sense == Sense::Inverted {
            printed.status = match printed.status {
                Status::Success => Status::Failure,
                Status::Failure => Status::Success,
                Status::Unknown => Status::Unknown,
            };
        }
        Ok(printed)
    }

    fn stages(&mut self, pipeline: &Pipeline) -> Run<Printed> {
        let mut carried: Option<Printed> = None;
        let last = pipeline.stages.len().saturating_sub(1);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let input = carried.take().map(Printed::into_input);
            let printed = self.apart(|shell| {
                shell.around.multiplying += 1;
                if let Some(input) = input {
                    shell.around.input = input;
                }
                if at < last {
                    shell.around.output = None;
                }
                shell.command(stage)
            })?;
            carried = Some(printed);
        }
        Ok(carried.unwrap_or_default())
    }

    /// `$(…)`
    pub(crate) fn substitution(&mut self, list: &List) -> Run<Printed> {
        let first = self.reading.acts.len();
        let mut printed = self.apart(|shell| {
            shell.around.output = None;
            shell.list(list)
        })?;
        // Whatever runs in there has a hand in what comes out.
        for piece in &mut printed.word.pieces {
            if let Piece::Unknown(Unknown::Output(acts)) = piece
                && acts.is_empty()
            {
                *acts = (first..self.reading.acts.len()).collect();
            }
        }
        Ok(printed)
    }

    /// `<(…)`: a file to read from, by a name that leads to what fills it.
    pub(crate) fn process_in(&mut self, list: &List) -> Run<Word> {
        let printed = self.substitution(list)?;
        let mut name = Word::of("/dev/fd/");
        name.push(Piece::Unknown(Unknown::Output(printed.acts.clone())));
        self.spend(printed.word.weight())?;
        self.files.streams.push((name.clone(), printed.word));
        Ok(name)
    }

    /// `>(…)`: a file to write to. It is read once without knowing what comes through, and again with
    /// what is written there.
    pub(crate) fn process_out(&mut self, list: &List) -> Run<Word> {
        let first = self.reading.acts.len();
        self.apart(|shell| {
            shell.around.input = Input::Pipe { from: Vec::new() };
            shell.around.multiplying += 1;
            shell.list(list)
        })?;
        let acts = (first..self.reading.acts.len()).collect();
        let mut name = Word::of("/dev/fd/");
        name.push(Piece::Unknown(Unknown::Output(acts)));
        self.files.sinks.push((name.clone(), list.clone()));
        Ok(name)
    }
}
