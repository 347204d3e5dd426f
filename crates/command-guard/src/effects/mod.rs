//! The effects of a command on files: which it reads, writes and deletes. The rules decide what is allowed.

mod names;
mod scripts;
mod steps;
mod table;

pub(crate) use names::{TEXT_PRINTERS, after_at, is_remote};

use crate::command_line_facts::CommandLineFacts;
use crate::invocation_view::InvocationView;

/// A command with its effects.
pub(crate) fn observed<'a>(
    index: usize,
    whole: &'a CommandLineFacts<'a>,
) -> Option<InvocationView<'a>> {
    let mut view = InvocationView::of(index, whole)?;
    view.effects = steps::of(&view);
    Some(view)
}

/// The options of a program that take a value.
pub(crate) fn valued(program: &str) -> Vec<&'static str> {
    let (programs, _) = table::find(program, &[]);
    let steps = programs.iter().flat_map(|program| &program.steps);
    steps.flat_map(|step| step.options.iter().copied()).collect()
}
