//! Whole folders that would be gone: outside the project, the project itself, its history, or nobody
//! knows which.

use std::path::Path;

use shell_analysis::{Act, Through};

use crate::effects::{Deed, Effect};
use crate::pattern::UNKNOWN;
use crate::place::{Place, Relation, Whose, relation, whose};
use crate::view::View;
use crate::{Category, CommandContext, Refusal};

const INSTEAD: &str =
    "Delete only what you made, by its path inside the project or a temporary folder";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    if let Some(why) = view.effects.iter().find_map(|effect| wrong(effect, view)) {
        return view.refuse(Category::RecursiveDelete, why, INSTEAD);
    }
    if deletes_by_reference(view) {
        return view.refuse(
            Category::RecursiveDelete,
            "the name stands for another variable",
            INSTEAD,
        );
    }
    let swallowed = view.is(&["mv", "gmv"])
        && view.effects.iter().any(|effect| {
            effect.deed == Deed::Write && effect.place == Place::At("/dev/null".into())
        });
    if swallowed {
        return view.refuse(
            Category::RecursiveDelete,
            "what is moved to /dev/null is gone",
            INSTEAD,
        );
    }
    outside_clean(view)
}

fn wrong(effect: &Effect, view: &View<'_>) -> Option<&'static str> {
    let context = view.context;
    match (effect.deed, &effect.place) {
        (Deed::DeleteTree, Place::Unknown) => {
            (!is_set_later(view)).then_some("nobody can tell what it would delete before it runs")
        }
        (Deed::DeleteTree | Deed::MoveAway, Place::At(path)) => {
            whole(path, context).or_else(|| {
                let is_delete = effect.deed == Deed::DeleteTree;
                (is_delete && whose(path, context) == Whose::Outside)
                    .then_some("it deletes a folder outside the project")
            })
        }
        (Deed::Delete, Place::At(path)) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_any = matches!(name.as_deref(), Some("*" | "{}"));
            (is_any && whose(path, context) == Whose::Outside)
                .then_some("it deletes whatever lies there, outside the project")
        }
        _ => None,
    }
}

/// The project, what it lies in, its history, or everything in it.
fn whole(path: &Path, context: &CommandContext) -> Option<&'static str> {
    match relation(path, &context.project) {
        Relation::Above | Relation::Same => return Some("the whole project would be gone"),
        Relation::Below | Relation::Apart => {}
    }
    if relation(path, &context.project.join(".git")) != Relation::Apart {
        let below = path.strip_prefix(context.project.join(".git")).unwrap_or(Path::new(""));
        let is_lock = below.extension().is_some_and(|extension| extension == "lock");
        if !is_lock {
            return Some("the project's history would be gone");
        }
    }
    let rest = path.strip_prefix(&context.project).ok()?.to_string_lossy().into_owned();
    let everything =
        rest.chars().all(|letter| "*.?".contains(letter) || letter == UNKNOWN) && !rest.is_empty();
    everything.then_some("everything in the project would be gone")
}

/// `git clean` is honest where the project is.
fn outside_clean(view: &View<'_>) -> Option<Refusal> {
    let call = crate::git_call::GitCall::of(view)?;
    if call.command != "clean" || !call.arguments(&["e"]).has(&["f", "force"]) {
        return None;
    }
    let place = call.place(view);
    match place {
        Some(place) if whose(&place, view.context) != Whose::Outside => None,
        _ => view.refuse(
            Category::RecursiveDelete,
            "it cleans a folder outside the project",
            INSTEAD,
        ),
    }
}

/// `trap 'rm -rf "$dir"' EXIT` may stand before the folder is made.
fn is_set_later(view: &View<'_>) -> bool {
    let names = View::variables(view.words);
    let is_temporary = |name: &String| {
        let mut set = view
            .reading
            .acts
            .iter()
            .flat_map(|act| &act.assignments)
            .filter(|(set, _)| set == name);
        let (Some((_, value)), None) = (set.next(), set.next()) else { return false };
        view.place(value) == Place::Temporary
    };
    view.act.through.contains(&Through::ShellText)
        && !names.is_empty()
        && names.iter().all(is_temporary)
}

/// After `declare -n r=t` the value of `r` is that of `t`, not its name.
fn deletes_by_reference(view: &View<'_>) -> bool {
    if !view.effects.iter().any(|effect| effect.deed == Deed::DeleteTree) {
        return false;
    }
    let declares =
        |act: &&Act| matches!(act.program().as_deref(), Some("declare" | "typeset" | "local"));
    let references = view
        .reading
        .acts
        .iter()
        .take(view.index)
        .filter(declares)
        .filter(|act| act.arguments().iter().any(|word| word.shown() == "-n"));
    let mut targets = references
        .flat_map(Act::arguments)
        .filter_map(|word| word.shown().split_once('=').map(|(_, to)| to.to_owned()));
    targets.any(|target| view.words.iter().any(|word| word.shown() == target))
}
