//! Judges a file that a tool is about to write, by the policy for the writes of commands.

use std::path::{Path, PathBuf};

use crate::effect::FileAction;
use crate::judge::applies;
use crate::pattern;
use crate::place::{Place, absolute, normal};
use crate::protected_places::ProtectedPlaces;
use crate::rules::by_class;
use crate::{CommandContext, Refusal};

/// The reason to refuse writing the file.
pub fn judge_write(path: &Path, context: &CommandContext) -> Option<Refusal> {
    let path = normal(absolute(path, context));
    let literal = PathBuf::from(pattern::quoted(&path.to_string_lossy()));
    let mut reasons = ProtectedPlaces::default().reasons(&literal, FileAction::Write, context);
    reasons.extend(by_class(context, &Place::At(literal), FileAction::Write));
    let reason = reasons.into_iter().find(|reason| applies(reason.category, context))?;
    Some(Refusal::new(reason.category, path.to_string_lossy(), reason.why, reason.instead))
}
