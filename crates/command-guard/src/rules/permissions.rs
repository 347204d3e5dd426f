//! Changing the mode or owner of many files, or making files writable for all users.

use crate::effects::FileAction;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, Relation, owner_of, relation};
use crate::{Category, Refusal};

const INSTEAD: &str = "Change the mode of the one file inside the project that needs it";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let all = view.effects.iter().any(|effect| match (effect.action, &effect.place) {
        (FileAction::ModeTree, Place::Unknown) => true,
        (FileAction::ModeTree, Place::At(path)) => {
            matches!(owner_of(path, view.context), PathOwner::Outside | PathOwner::Stream)
                || relation(path, &view.context.project) == Relation::Above
        }
        (FileAction::Mode, Place::At(path)) => owner_of(path, view.context) == PathOwner::Outside,
        _ => false,
    });
    if all {
        return view.refuse(
            Category::PermissionSweep,
            "it changes modes or owners outside the project",
            INSTEAD,
        );
    }
    let words = view.shown_words();
    let opens = view.is(&["chmod"])
        && words.iter().any(|word| {
            matches!(word.as_str(), "777" | "0777" | "a+rwx" | "ugo+rwx" | "a=rwx" | "666" | "+rwx")
        });
    let tree = view.effects.iter().any(|effect| {
        effect.action == FileAction::ModeTree
            && matches!(&effect.place, Place::At(path) if relation(path, &view.context.project) == Relation::Same)
    });
    if opens && tree {
        return view.refuse(
            Category::PermissionSweep,
            "it makes the whole project writable for all users",
            INSTEAD,
        );
    }
    if view.is(&["chown"])
        && tree
        && words.iter().any(|word| word.starts_with("root") || word.starts_with("0:"))
    {
        return view.refuse(
            Category::PermissionSweep,
            "it changes the owner of the project",
            INSTEAD,
        );
    }
    None
}

/// `u+s` and the equivalent numbers.
pub(super) fn sets_id(view: &InvocationView<'_>) -> bool {
    let is_bit = |word: &String| {
        let digits = word.len() >= 4 && word.chars().all(|letter| ('0'..='7').contains(&letter));
        let number = word.trim_start_matches('0');
        (digits && number.len() == 4 && number.starts_with(['2', '4', '6', '3', '5', '7']))
            || word.split(',').any(|part| matches!(part.split_once(['+', '=']), Some((who, what)) if what.contains('s') && what.chars().all(|c| "rwxXst".contains(c)) && who.chars().all(|c| "ugoa".contains(c))))
    };
    view.is(&["chmod", "install"]) && view.shown_words().iter().any(is_bit)
}
