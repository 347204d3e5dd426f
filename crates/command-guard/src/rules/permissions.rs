//! Modes and owners changed for many files at once, or given away to everybody.

use crate::effects::Deed;
use crate::place::{Place, Relation, Whose, relation, whose};
use crate::view::View;
use crate::{Category, Refusal};

const INSTEAD: &str = "Change the mode of the one file inside the project that needs it";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    let all = view.effects.iter().any(|effect| match (effect.deed, &effect.place) {
        (Deed::ModeTree, Place::Unknown) => true,
        (Deed::ModeTree, Place::At(path)) => {
            matches!(whose(path, view.context), Whose::Outside | Whose::Stream)
                || relation(path, &view.context.project) == Relation::Above
        }
        (Deed::Mode, Place::At(path)) => whose(path, view.context) == Whose::Outside,
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
        effect.deed == Deed::ModeTree
            && matches!(&effect.place, Place::At(path) if relation(path, &view.context.project) == Relation::Same)
    });
    if opens && tree {
        return view.refuse(
            Category::PermissionSweep,
            "it opens the whole project to everybody",
            INSTEAD,
        );
    }
    if view.is(&["chown"])
        && tree
        && words.iter().any(|word| word.starts_with("root") || word.starts_with("0:"))
    {
        return view.refuse(Category::PermissionSweep, "it gives the project away", INSTEAD);
    }
    None
}

/// `u+s` and the numbers that mean it.
pub(super) fn sets_id(view: &View<'_>) -> bool {
    let is_bit = |word: &String| {
        let digits = word.len() >= 4 && word.chars().all(|letter| ('0'..='7').contains(&letter));
        let number = word.trim_start_matches('0');
        (digits && number.len() == 4 && number.starts_with(['2', '4', '6', '3', '5', '7']))
            || word.split(',').any(|part| matches!(part.split_once(['+', '=']), Some((who, what)) if what.contains('s') && what.chars().all(|c| "rwxXst".contains(c)) && who.chars().all(|c| "ugoa".contains(c))))
    };
    view.is(&["chmod", "install"]) && view.shown_words().iter().any(is_bit)
}
