//! The effects of git on files that its arguments name.

use super::{Effects, FileAction};
use crate::git_call::GitCall;
use crate::words::words;

/// Subcommands that change the repository.
const CHANGES: &[&str] = words!(
    "commit add checkout switch restore reset merge rebase pull push rm mv stash apply am
     cherry-pick revert tag gc"
);

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    let Some(call) = GitCall::of(effects.view) else {
        return;
    };
    if let Some(folder) = &call.folder {
        effects.folder = call.place(effects.view).or_else(|| folder.text().map(Into::into));
    }
    let arguments = call.arguments(&[
        "b", "B", "s", "source", "m", "branch", "depth", "o", "output", "c", "j", "O",
    ]);
    let operands = &arguments.operands;
    if CHANGES.contains(&call.command.as_str()) && call.place(effects.view).is_some() {
        effects.add_here(FileAction::Write, ".git");
    }
    let has = |name: &str| call.words.iter().any(|word| word.shown() == name);
    let is_set = operands.len() > 1 || has("--unset") || has("--edit") || has("-e");
    if call.command == "config"
        && is_set
        && (has("--system") || (has("--global") && !effects.view.has_own_home()))
        && let Some(home) = effects.view.home()
    {
        let file = if has("--system") { "/etc/gitconfig".into() } else { home.join(".gitconfig") };
        effects.add_here(FileAction::Write, &file.to_string_lossy());
    }
    match call.command.as_str() {
        "apply" | "am" => super::edits::patched(effects),
        "clone" => effects.add_all(FileAction::Write, operands.get(1)),
        "init" => effects.add_all(FileAction::Write, operands.first()),
        "rm" => {
            let action =
                if arguments.has(&["cached"]) { FileAction::Read } else { FileAction::Delete };
            effects.add_all(action, operands);
        }
        "mv" => {
            if let Some((target, sources)) = operands.split_last() {
                effects.add_all(FileAction::MoveAway, sources);
                effects.add(FileAction::Write, target);
            }
        }
        "checkout" | "restore" => effects.add_all(FileAction::Write, operands),
        "bundle" => effects.add_all(FileAction::Write, operands.get(1)),
        "config" => {
            let named = call.arguments(&["f", "file"]);
            let sets = named.operands.len() > 1;
            effects.add_all(FileAction::Write, named.value(&["f", "file"]).filter(|_| sets));
        }
        "archive" | "format-patch" => {
            effects.add_all(FileAction::Write, arguments.value(&["o", "output"]))
        }
        "diff" | "log" | "show" => {
            effects.add_all(FileAction::Write, arguments.value(&["output"]));
            effects.add_all(FileAction::Read, operands);
        }
        "worktree" if call.words.first().is_some_and(|word| word.shown() == "add") => {
            effects.add_all(FileAction::Write, operands.get(1));
        }
        _ => effects.add_all(FileAction::Read, operands),
    }
}
