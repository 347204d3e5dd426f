//! Commits that nobody could find again: rewritten, dropped, or overwritten at the remote.

use shell_analysis::Word;

use crate::effects::Deed;
use crate::git_call::GitCall;
use crate::place::{Place, Relation, Whose, relation, whose};
use crate::view::View;
use crate::{Category, Refusal};

const INSTEAD: &str =
    "Leave history as it is and add commits; the runner rolls back what has to go";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    if let Some(why) = deleted_refs(view) {
        return view.refuse(Category::GitHistory, why, INSTEAD);
    }
    if view.is(&["git-filter-repo", "bfg", "git-filter-branch"]) {
        return view.refuse(Category::GitHistory, "it rewrites all commits", INSTEAD);
    }
    let why = match GitCall::of(view) {
        Some(call) => wrong(view, &call).or_else(|| set_to_lose(view, &call)),
        None => other_keepers(view),
    };
    view.refuse(Category::GitHistory, why?, INSTEAD)
}

/// Settings with which commands that look harmless lose commits.
fn set_to_lose(view: &View<'_>, call: &GitCall<'_>) -> Option<&'static str> {
    let texts = call.texts();
    let operands: Vec<&String> = texts.iter().filter(|word| !word.starts_with('-')).collect();
    let kept = match operands.as_slice() {
        [name, value] if call.command == "config" => vec![format!("{name}={value}")],
        [verb, name, value] if call.command == "config" && *verb == "set" => {
            vec![format!("{name}={value}")]
        }
        _ => Vec::new(),
    };
    let settings = call.settings.iter().map(Word::shown);
    let mut all = settings.chain(super::inner_git::configured(view)).chain(kept);
    all.find_map(|setting| {
        let (name, value) = setting.split_once('=')?;
        let name = name.to_ascii_lowercase();
        let of_remote = name.starts_with("remote.");
        if (of_remote && name.ends_with(".mirror") && value != "false")
            || (of_remote && name.ends_with(".push") && value.starts_with(['+', ':']))
        {
            return Some("every push would overwrite what others have pushed");
        }
        let soon = ["now", "0", "all"].contains(&value) || value.contains("second");
        (name.starts_with("gc.") && name.contains("expire") && soon)
            .then_some("git would delete commits that could still be found")
    })
}

/// Other programs that keep history, here or at a service.
fn other_keepers(view: &View<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let loses = match (view.program.as_str(), operands.as_slice()) {
        ("hg" | "chg" | "sl", [command, ..]) => {
            ["strip", "debugstrip", "rollback", "prune"].contains(command)
                || (*command == "push" && has(&["-f", "--force"]))
        }
        ("jj", ["git", "push", ..]) => has(&["--deleted", "--delete"]),
        ("jj", ["op" | "operation", "abandon", ..]) | ("jj", ["util", "gc", ..]) => true,
        ("fossil", ["purge" | "shun", ..]) | ("bzr" | "brz", ["uncommit", ..]) => true,
        ("gh" | "glab", ["api", ..]) => {
            operands.iter().any(|path| path.contains("git/refs"))
                && words.iter().any(|word| {
                    ["PATCH", "DELETE", "PUT"].iter().any(|method| word.ends_with(method))
                })
        }
        _ => false,
    };
    loses.then_some("it drops or overwrites commits")
}

fn wrong(view: &View<'_>, call: &GitCall<'_>) -> Option<&'static str> {
    let words = call.texts();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let first =
        words.iter().find(|word| !word.starts_with('-')).map(String::as_str).unwrap_or_default();
    let arguments =
        call.arguments(&["m", "o", "push-option", "receive-pack", "repo", "u", "set-upstream-to"]);
    match call.command.as_str() {
        "push" | "send-pack" | "http-push" => push(call),
        "fast-import" => has(&["--force"]).then_some("it overwrites branches"),
        "init" => words
            .iter()
            .any(|word| word.starts_with("--separate-git-dir"))
            .then_some("it moves the repository out of the project"),
        "reset" => (arguments.has(&["hard"]) && !is_head(first))
            .then_some("it drops commits from the branch"),
        "branch" => {
            // `-d` alone lets go only of what is merged.
            let deletes = arguments.has(&["D", "f", "force", "M", "C"]);
            deletes.then_some("it deletes or moves a branch")
        }
        "tag" => {
            arguments.has(&["d", "delete", "f", "force"]).then_some("it deletes or moves a tag")
        }
        "update-ref" | "symbolic-ref" => {
            let reads = call.command == "symbolic-ref"
                && arguments.operands.len() < 2
                && !has(&["-d", "--delete"]);
            (!reads).then_some("it changes a ref directly")
        }
        "reflog" => ["expire", "delete", "drop"]
            .contains(&first)
            .then_some("it forgets where branches were"),
        "gc" | "prune" => {
            let now = call.command == "prune"
                || words
                    .iter()
                    .any(|word| word.starts_with("--prune=") && word != "--prune=2.weeks.ago");
            now.then_some("it deletes commits that could still be found")
        }
        "filter-branch" | "filter-repo" => Some("it rewrites all commits"),
        "rebase" => has(&["--root"]).then_some("it rewrites all commits"),
        "checkout" | "switch" => {
            if has(&["--orphan"]) {
                return Some("it begins a history without the old one");
            }
            has(&["-B", "-C", "--force-create"]).then_some("it moves a branch that may exist")
        }
        "stash" => ["drop", "clear"].contains(&first).then_some("it deletes what was put aside"),
        "worktree" => {
            let is_temporary = |word: &Word| match view.place(word) {
                Place::At(path) => whose(&path, view.context) == Whose::Temporary,
                Place::Temporary => true,
                Place::Unknown => false,
            };
            let trees = arguments.operands.get(1..).unwrap_or_default();
            let removes = first == "remove" && arguments.has(&["f", "force"]);
            (removes && !trees.iter().all(is_temporary))
                .then_some("it deletes a work tree with its changes")
        }
        "remote" => ["set-url", "remove", "rm", "rename", "set-head"]
            .contains(&first)
            .then_some("it changes where the project is pushed to"),
        "replace" => (!has(&["-l", "--list"]) && !words.is_empty())
            .then_some("it puts other objects in the place of commits"),
        "fetch" => words.iter().any(|word| word.starts_with('+')).then_some("it overwrites refs"),
        _ => None,
    }
}

fn is_head(text: &str) -> bool {
    matches!(text, "" | "HEAD" | "@" | "HEAD~0" | "HEAD^0")
}

fn push(call: &GitCall<'_>) -> Option<&'static str> {
    let arguments = call.arguments(&["o", "push-option", "receive-pack", "exec", "repo"]);
    if arguments.has(&["n", "dry-run"]) {
        return None;
    }
    if arguments.has(&["f", "force", "mirror", "force-with-lease", "force-if-includes"]) {
        return Some("it overwrites what others have pushed");
    }
    if arguments.has(&["d", "delete", "prune"]) {
        return Some("it deletes branches at the remote");
    }
    let refs = arguments.operands.iter().skip(1).map(Word::known_start);
    let forced = refs.into_iter().any(|name| name.starts_with(['+', ':']));
    forced.then_some("it overwrites or deletes a branch at the remote")
}

/// Files below `.git` that hold what commits there are.
fn deleted_refs(view: &View<'_>) -> Option<&'static str> {
    let kept = ["refs", "objects", "packed-refs", "HEAD", "logs", "ORIG_HEAD"];
    let hit = view.effects.iter().any(|effect| match &effect.place {
        Place::At(path) if effect.deed.changes() => {
            let git = view.context.project.join(".git");
            let whole = matches!(effect.deed, Deed::DeleteTree | Deed::MoveAway)
                && relation(path, &git) == Relation::Same;
            let part = kept.iter().any(|name| {
                matches!(relation(path, &git.join(name)), Relation::Same | Relation::Below)
            });
            let is_lock = path.extension().is_some_and(|extension| extension == "lock");
            whole || (part && !is_lock)
        }
        _ => false,
    });
    hit.then_some("it changes what git keeps of the history")
}
