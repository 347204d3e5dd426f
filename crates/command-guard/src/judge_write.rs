//! Judges a file that a tool is about to write.

use std::path::Path;

use crate::judge::applies;
use crate::pattern;
use crate::place::{PathOwner, normal, owner_of};
use crate::rules;
use crate::{Category, CommandContext, Refusal};

/// The reason to refuse writing the file.
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
            "Edit only the project's files, the task list and the progress file",
        )
    });
    let persistence = || {
        let why = rules::persists(&literal, context)?;
        refuse(Category::Persistence, why, "Keep scripts in the project's own files")
    };
    let outside = || {
        let is_outside = owner_of(&literal, context) == PathOwner::Outside;
        is_outside.then(|| {
            refuse(
                Category::WriteOutside,
                "it is outside the project",
                "Write inside the project or a temporary folder",
            )
        })?
    };
    tampering.or_else(persistence).or_else(outside)
}
