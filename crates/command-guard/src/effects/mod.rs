//! The effects of a command on files: which it reads, writes and deletes. The rules decide what is allowed.

mod names;
mod scripts;
mod steps;
mod table;

pub(crate) use names::{TEXT_PRINTERS, after_at, is_remote};

use crate::command_line_facts::CommandLineFacts;
use crate::invocation_view::InvocationView;
use crate::place::Place;

/// A command with its effects. Those behind a link that the command line made are at the link's target.
pub(crate) fn observed<'a>(
    index: usize,
    whole: &'a CommandLineFacts<'a>,
) -> Option<InvocationView<'a>> {
    let mut view = InvocationView::of(index, whole)?;
    view.effects = steps::of(&view);
    let makes_links = view.is(&["ln"]);
    for effect in view.effects.iter_mut().filter(|_| !makes_links) {
        if let Place::At(path) = &mut effect.place
            && let Some(target) = whole.linked(index, path, effect.action.writes_through())
        {
            *path = target;
        }
    }
    Some(view)
}

/// The options of a program that take a value.
pub(crate) fn valued(program: &str) -> Vec<&'static str> {
    table::find(program, &[]).0.into_iter().flat_map(table::selectors).collect()
}
