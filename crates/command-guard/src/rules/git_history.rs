//! Loss of commits: rewritten, dropped, or overwritten at the remote.

use shell_analysis::Word;

use crate::effects::FileAction;
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, Relation, owner_of, relation};
use crate::{Category, Refusal};

const INSTEAD: &str = "Do not change history. Add commits; the runner reverts what is wrong";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if let Some(why) = deleted_refs(view) {
        return view.refuse(Category::GitHistory, why, INSTEAD);
    }
    if view.is(&["git-filter-repo", "bfg", "git-filter-branch"]) {
        return view.refuse(Category::GitHistory, "it rewrites all commits", INSTEAD);
    }
    let why = match GitCall::of(view) {
        Some(call) => wrong(view, &call).or_else(|| setting_that_loses_commits(view, &call)),
        None => other_version_control(view),
    };
    view.refuse(Category::GitHistory, why?, INSTEAD)
}

/// Settings that make harmless commands lose commits.
fn setting_that_loses_commits(
    view: &InvocationView<'_>,
    call: &GitCall<'_>,
) -> Option<&'static str> {
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
            return Some("every push would overwrite commits of others");
        }
        let soon = ["now", "0", "all"].contains(&value) || value.contains("second");
        (name.starts_with("gc.") && name.contains("expire") && soon)
            .then_some("git would delete recoverable commits")
    })
}

/// Other version control programs, local or at a service.
fn other_version_control(view: &InvocationView<'_>) -> Option<&'static str> {
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

fn wrong(view: &InvocationView<'_>, call: &GitCall<'_>) -> Option<&'static str> {
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
            // `-d` alone only deletes merged branches.
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
        "reflog" => {
            ["expire", "delete", "drop"].contains(&first).then_some("it deletes the reflog")
        }
        "gc" | "prune" => {
            let now = call.command == "prune"
                || words
                    .iter()
                    .any(|word| word.starts_with("--prune=") && word != "--prune=2.weeks.ago");
            now.then_some("it deletes recoverable commits")
        }
        "filter-branch" | "filter-repo" => Some("it rewrites all commits"),
        "rebase" => has(&["--root"]).then_some("it rewrites all commits"),
        "checkout" | "switch" => {
            if has(&["--orphan"]) {
                return Some("it starts a new history without the old commits");
            }
            has(&["-B", "-C", "--force-create"]).then_some("it may move an existing branch")
        }
        "stash" => ["drop", "clear"].contains(&first).then_some("it deletes stashed changes"),
        "worktree" => {
            let is_temporary = |word: &Word| match view.place(word) {
                Place::At(path) => owner_of(&path, view.context) == PathOwner::Temporary,
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
            .then_some("it changes the remote of the project"),
        "replace" => (!has(&["-l", "--list"]) && !words.is_empty())
            .then_some("it replaces commits with other objects"),
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
        return Some("it overwrites commits of others");
    }
    if arguments.has(&["d", "delete", "prune"]) {
        return Some("it deletes branches at the remote");
    }
    let refs = arguments.operands.iter().skip(1).map(Word::known_start);
    let forced = refs.into_iter().any(|name| name.starts_with(['+', ':']));
    forced.then_some("it overwrites or deletes a branch at the remote")
}

/// Files below `.git` that define the existing commits.
fn deleted_refs(view: &InvocationView<'_>) -> Option<&'static str> {
    let kept = ["refs", "objects", "packed-refs", "HEAD", "logs", "ORIG_HEAD"];
    let hit = view.effects.iter().any(|effect| match &effect.place {
        Place::At(path) if effect.action.changes() => {
            let git = view.context.project.join(".git");
            let whole = matches!(effect.action, FileAction::DeleteTree | FileAction::MoveAway)
                && relation(path, &git) == Relation::Same;
            let part = kept.iter().any(|name| {
                matches!(relation(path, &git.join(name)), Relation::Same | Relation::Below)
            });
            let is_lock = path.extension().is_some_and(|extension| extension == "lock");
            whole || (part && !is_lock)
        }
        _ => false,
    });
    hit.then_some("it changes git's history files")
}
