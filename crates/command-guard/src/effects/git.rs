//! What git does to files that its words name.

use super::{Deed, Effects};
use crate::git_call::GitCall;

/// Commands that change the repository where they run.
const CHANGES: &[&str] = &[
    "commit",
    "add",
    "checkout",
    "switch",
    "restore",
    "reset",
    "merge",
    "rebase",
    "pull",
    "push",
    "rm",
    "mv",
    "stash",
    "apply",
    "am",
    "cherry-pick",
    "revert",
    "tag",
    "gc",
];

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    let Some(call) = GitCall::of(effects.view) else { return };
    if let Some(folder) = &call.folder {
        effects.folder = call.place(effects.view).or_else(|| folder.text().map(Into::into));
    }
    let arguments = call.arguments(&[
        "b", "B", "s", "source", "m", "branch", "depth", "o", "output", "c", "j", "O",
    ]);
    let operands = &arguments.operands;
    if CHANGES.contains(&call.command.as_str()) && call.place(effects.view).is_some() {
        effects.add_here(Deed::Write, ".git");
    }
    let has = |name: &str| call.words.iter().any(|word| word.shown() == name);
    let is_set = operands.len() > 1 || has("--unset") || has("--edit") || has("-e");
    if call.command == "config"
        && is_set
        && (has("--system") || (has("--global") && !effects.view.has_own_home()))
        && let Some(home) = effects.view.home()
    {
        let file = if has("--system") { "/etc/gitconfig".into() } else { home.join(".gitconfig") };
        effects.add_here(Deed::Write, &file.to_string_lossy());
    }
    match call.command.as_str() {
        "apply" | "am" => super::edits::patched(effects),
        "clone" => effects.add_all(Deed::Write, operands.get(1)),
        "init" => effects.add_all(Deed::Write, operands.first()),
        "rm" => {
            let deed = if arguments.has(&["cached"]) { Deed::Read } else { Deed::Delete };
            effects.add_all(deed, operands);
        }
        "mv" => {
            if let Some((target, sources)) = operands.split_last() {
                effects.add_all(Deed::MoveAway, sources);
                effects.add(Deed::Write, target);
            }
        }
        "checkout" | "restore" => effects.add_all(Deed::Write, operands),
        "bundle" => effects.add_all(Deed::Write, operands.get(1)),
        "config" => {
            let named = call.arguments(&["f", "file"]);
            let sets = named.operands.len() > 1;
            effects.add_all(Deed::Write, named.value(&["f", "file"]).filter(|_| sets));
        }
        "archive" | "format-patch" => {
            effects.add_all(Deed::Write, arguments.value(&["o", "output"]))
        }
        "diff" | "log" | "show" => {
            effects.add_all(Deed::Write, arguments.value(&["output"]));
            effects.add_all(Deed::Read, operands);
        }
        "worktree" if call.words.first().is_some_and(|word| word.shown() == "add") => {
            effects.add_all(Deed::Write, operands.get(1));
        }
        _ => effects.add_all(Deed::Read, operands),
    }
}
