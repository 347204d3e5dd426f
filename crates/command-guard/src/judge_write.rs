//! From a file that a tool is about to write to the reason to refuse it.

use std::path::Path;

use crate::judge::applies;
use crate::pattern;
use crate::place::{Whose, normal, whose};
use crate::rules;
use crate::{Category, CommandContext, Refusal};

/// Why a file may not be written by a tool that writes files.
pub fn judge_write(path: &Path, context: &CommandContext) -> Option<Refusal> {
    let path = normal(&context.folder.join(path));
    let refuse = |category: Category, why: &str, instead: &str| {
        let what = path.display().to_string();
        applies(category, context).then(|| Refusal {
            category,
            what,
            why: why.into(),
            instead: instead.into(),
        })
    };
    let literal = Path::new(&pattern::quoted(&path.to_string_lossy())).to_path_buf();
    let tampering = rules::tampers_with(&literal, context).and_then(|why| {
        refuse(
            Category::LoopTampering,
            why,
            "Edit the project's own files; the task list and the progress file are yours",
        )
    });
    let persistence = || {
        let why = rules::persists(&literal, context)?;
        refuse(Category::Persistence, why, "Keep what has to run in the project's own files")
    };
    let outside = || {
        let is_outside = whose(&literal, context) == Whose::Outside;
        is_outside.then(|| {
            refuse(
                Category::WriteOutside,
                "it lies outside the project",
                "Write inside the project or a temporary folder",
            )
        })?
    };
    tampering.or_else(persistence).or_else(outside)
}
