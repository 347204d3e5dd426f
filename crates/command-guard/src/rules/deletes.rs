//! Deletion of whole folders: outside the project, the project itself, its history, or an unknown one.

use std::path::Path;

use shell_analysis::{Invocation, Launcher};

use crate::effects::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::pattern::UNKNOWN;
use crate::place::{PathOwner, Place, Relation, owner_of, relation};
use crate::{Category, CommandContext, Refusal};

const INSTEAD: &str =
    "Delete only files that you created, by their path inside the project or a temporary folder";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if let Some(why) = view.effects.iter().find_map(|effect| wrong(effect, view)) {
        return view.refuse(Category::RecursiveDelete, why, INSTEAD);
    }
    if deletes_by_reference(view) {
        return view.refuse(
            Category::RecursiveDelete,
            "the variable is a reference to another one",
            INSTEAD,
        );
    }
    let swallowed = view.is(&["mv", "gmv"])
        && view.effects.iter().any(|effect| {
            effect.action == FileAction::Write && effect.place == Place::At("/dev/null".into())
        });
    if swallowed {
        return view.refuse(
            Category::RecursiveDelete,
            "moving to /dev/null deletes the files",
            INSTEAD,
        );
    }
    outside_clean(view)
}

fn wrong(effect: &Effect, view: &InvocationView<'_>) -> Option<&'static str> {
    let context = view.context;
    match (effect.action, &effect.place) {
        (FileAction::DeleteTree, Place::Unknown) => {
            (!is_set_later(view)).then_some("it is unknown what it would delete")
        }
        (FileAction::DeleteTree | FileAction::MoveAway, Place::At(path)) => whole(path, context)
            .or_else(|| {
                let is_delete = effect.action == FileAction::DeleteTree;
                (is_delete && owner_of(path, context) == PathOwner::Outside)
                    .then_some("it deletes a folder outside the project")
            }),
        (FileAction::Delete, Place::At(path)) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_any = matches!(name.as_deref(), Some("*" | "{}"));
            (is_any && owner_of(path, context) == PathOwner::Outside)
                .then_some("it deletes everything there, outside the project")
        }
        _ => None,
    }
}

/// The project, its parents, its history, or everything in it.
fn whole(path: &Path, context: &CommandContext) -> Option<&'static str> {
    match relation(path, &context.project) {
        Relation::Above | Relation::Same => return Some("it deletes the whole project"),
        Relation::Below | Relation::Apart => {}
    }
    if relation(path, &context.project.join(".git")) != Relation::Apart {
        let below = path.strip_prefix(context.project.join(".git")).unwrap_or(Path::new(""));
        let is_lock = below.extension().is_some_and(|extension| extension == "lock");
        if !is_lock {
            return Some("it deletes the project's history");
        }
    }
    let rest = path.strip_prefix(&context.project).ok()?.to_string_lossy().into_owned();
    let everything =
        rest.chars().all(|letter| "*.?".contains(letter) || letter == UNKNOWN) && !rest.is_empty();
    everything.then_some("it deletes everything in the project")
}

/// `git clean` is allowed in the project.
fn outside_clean(view: &InvocationView<'_>) -> Option<Refusal> {
    let call = crate::git_call::GitCall::of(view)?;
    if call.command != "clean" || !call.arguments(&["e"]).has(&["f", "force"]) {
        return None;
    }
    let place = call.place(view);
    match place {
        Some(place) if owner_of(&place, view.context) != PathOwner::Outside => None,
        _ => view.refuse(
            Category::RecursiveDelete,
            "it cleans a folder outside the project",
            INSTEAD,
        ),
    }
}

/// `trap 'rm -rf "$dir"' EXIT` may come before the folder is created.
fn is_set_later(view: &InvocationView<'_>) -> bool {
    let names = InvocationView::variables(view.words);
    let is_temporary = |name: &String| {
        let mut set = view
            .analysis
            .invocations
            .iter()
            .flat_map(|invocation| &invocation.assignments)
            .filter(|(set, _)| set == name);
        let (Some((_, value)), None) = (set.next(), set.next()) else {
            return false;
        };
        view.place(value) == Place::Temporary
    };
    view.invocation.launchers.contains(&Launcher::ShellText)
        && !names.is_empty()
        && names.iter().all(is_temporary)
}

/// After `declare -n r=t` the value of `r` is that of `t`.
fn deletes_by_reference(view: &InvocationView<'_>) -> bool {
    if !view.effects.iter().any(|effect| effect.action == FileAction::DeleteTree) {
        return false;
    }
    let declares = |invocation: &&Invocation| {
        matches!(invocation.program().as_deref(), Some("declare" | "typeset" | "local"))
    };
    let references = view
        .analysis
        .invocations
        .iter()
        .take(view.index)
        .filter(declares)
        .filter(|invocation| invocation.arguments().iter().any(|word| word.shown() == "-n"));
    let mut targets = references
        .flat_map(Invocation::arguments)
        .filter_map(|word| word.shown().split_once('=').map(|(_, to)| to.to_owned()));
    targets.any(|target| view.words.iter().any(|word| word.shown() == target))
}
