//! The loop itself: its marker, files, hooks, settings and processes.

use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};
use shell_analysis::Word;

use crate::effects::FileAction;
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::place::{Place, Relation, relation};
use crate::words::words;
use crate::{Category, CommandContext, Refusal};

const IN_PROJECT: &[&str] = words!(
    ".ralph-active .ralph .claude/settings.json .claude/settings.local.json .claude/hooks .mcp.json
     .codex .claude-plugin"
);
const AT_HOME: &[&str] =
    words!(".claude .claude.json .codex .config/claude .config/ralph .config/claude-code");
const ELSEWHERE: &[&str] =
    &["/etc/claude-code", "/Library/Application Support/ClaudeCode", "/etc/codex"];

/// Parts of the names of the loop's own processes.
const OWN: &[&str] =
    &["ralph", "claude", "stop-guard", "command-guard", "context-monitor", "codex"];

const INSTEAD: &str = "Leave the loop's own files and programs unchanged";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let file = view.effects.iter().find_map(|effect| match &effect.place {
        Place::At(path) if effect.action.changes() => {
            let own = view.whole.own_places.get_or_init(|| own_places(view.context));
            changes_own(path, effect.action, own, view.context)
        }
        _ => None,
    });
    let why =
        file.or_else(|| commands(view)).or_else(|| environment(view)).or_else(|| kills(view))?;
    view.refuse(Category::LoopTampering, why, INSTEAD)
}

/// Why the agent may not change this file.
pub(crate) fn tampers_with(path: &Path, context: &CommandContext) -> Option<&'static str> {
    changes_own(path, FileAction::Write, &own_places(context), context)
}

fn changes_own(
    path: &Path,
    action: FileAction,
    own: &[PathBuf],
    context: &CommandContext,
) -> Option<&'static str> {
    let takes_all = matches!(action, FileAction::DeleteTree | FileAction::MoveAway);
    let hits = |own: &PathBuf| match relation(path, own) {
        Relation::Same | Relation::Below => true,
        // Another rule protects the project as a whole.
        Relation::Above => {
            takes_all && path.starts_with(&context.project) && path != context.project
        }
        Relation::Apart => false,
    };
    if own.iter().any(hits) {
        return Some("it changes a file that the loop depends on");
    }
    context.protected.iter().any(|name| hits(&context.project.join(name))).then_some(
        "it changes a file that is fixed in this iteration: a wrong test is disputed in the notes of its story",
    )
}

fn own_places(context: &CommandContext) -> Vec<PathBuf> {
    let layout = Layout::new(&context.project);
    let layout = match &context.rules.ralph_dir {
        Some(folder) => layout.with_ralph_dir(folder),
        None => layout,
    };
    let mut places: Vec<PathBuf> =
        IN_PROJECT.iter().map(|name| context.project.join(name)).collect();
    places.extend(USERS_FILES.map(|name| crate::place::normal(&layout.ralph_dir().join(name))));
    places.extend(context.home.iter().flat_map(|home| AT_HOME.iter().map(|name| home.join(name))));
    places.extend(ELSEWHERE.iter().map(PathBuf::from));
    places.extend(context.rules.own.iter().chain(&context.plugin).cloned());
    places
}

fn commands(view: &InvocationView<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or_default();
    match view.program.as_str() {
        "ralph-loop" => {
            // The words after `--` are text. `-V` is no question here.
            let asks = words
                .iter()
                .take_while(|word| *word != "--")
                .any(|word| matches!(word.as_str(), "--help" | "-h" | "--version" | "-v"));
            let shows = matches!(
                first,
                "status" | "report" | "settings" | "doctor" | "completions" | "man" | "help"
            );
            (!asks && !shows).then_some("only the user may control the loop")
        }
        "stop-guard" | "context-monitor" | "command-guard" => None,
        "claude" | "codex" => nested(view, first, &words),
        "git" => {
            let call = GitCall::of(view)?;
            let hides = call.command == "update-index"
                && call.texts().iter().any(|word| {
                    word.starts_with("--assume-unchanged") || word.starts_with("--skip-worktree")
                });
            let arguments = call.arguments(&["e", "exclude"]);
            let cleans = call.command == "clean"
                && arguments.has(&["f", "force"])
                && arguments.has(&["x", "X"])
                && !arguments.has(&["n", "dry-run"])
                && arguments
                    .operands
                    .iter()
                    .all(|word| matches!(word.shown().as_str(), "." | "./" | ":/"))
                && !arguments.values(&["e", "exclude"]).any(|word| word.shown().contains("ralph"));
            let takes = call.command == "stash" && arguments.has(&["a", "all"]);
            if hides {
                return Some("it hides changes from the loop");
            }
            (cleans || takes).then_some(
                "it includes ignored files, which contain the loop's own: leave out that option",
            )
        }
        _ => None,
    }
}

/// A nested session without hooks.
fn nested(view: &InvocationView<'_>, first: &str, words: &[String]) -> Option<&'static str> {
    if words!("config plugin plugins mcp install update setup-token logout login auth")
        .contains(&first)
    {
        return Some("it changes the configuration of sessions");
    }
    let loosens = words.iter().any(|word| {
        word.starts_with("--dangerously")
            || word.starts_with("--allow-dangerously")
            || words!(
                "--bare --safe-mode --yolo bypassPermissions --permission-mode=bypassPermissions
             --disable-hooks"
            )
            .contains(&word.as_str())
            || word.starts_with("--settings")
            || word.starts_with("--setting-sources")
            || word.starts_with("--plugin-dir")
            || word.starts_with("danger-full-access")
            || word.starts_with("--full-auto")
    });
    (loosens || view.runs_through(&["env"]) && clears_environment(view))
        .then_some("it starts a session without the loop's hooks")
}

fn clears_environment(view: &InvocationView<'_>) -> bool {
    view.analysis.invocations.iter().any(|invocation| {
        invocation.program().as_deref() == Some("env")
            && invocation
                .arguments()
                .iter()
                .any(|word| matches!(word.shown().as_str(), "-i" | "-" | "--ignore-environment"))
    })
}

/// Variables that identify the session for the hooks.
fn is_own_variable(name: &str) -> bool {
    name.starts_with("RALPH_")
        || name.starts_with("CLAUDE_PLUGIN_")
        || name.starts_with("CLAUDE_CODE_")
        || matches!(name, "CLAUDE_PROJECT_DIR" | "CLAUDE_CONFIG_DIR" | "CLAUDE_CONTEXT_WINDOW")
}

fn environment(view: &InvocationView<'_>) -> Option<&'static str> {
    let why = Some("it changes the variables that identify the loop's sessions");
    if view.invocation.assignments.iter().any(|(name, _)| is_own_variable(name)) {
        return why;
    }
    let names = |word: &Word| is_own_variable(word.shown().split('=').next().unwrap_or_default());
    let changes = view.is(&["unset", "export", "declare", "typeset", "readonly", "local"])
        && view.words.iter().any(names);
    let words = view.shown_words();
    let removes = view.is(&["env"])
        && words.iter().enumerate().any(|(at, word)| {
            let own = |name: &str| is_own_variable(name.split('=').next().unwrap_or_default());
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            own(word)
                || ((word == "-u" || word == "--unset") && own(next))
                || word.strip_prefix("-u").is_some_and(own)
                || word.strip_prefix("--unset=").is_some_and(own)
        });
    let starts_bare = view.is(&["env"])
        && words.iter().any(|word| word == "-i" || word == "-" || word == "--ignore-environment")
        && words.iter().any(|word| matches!(word.rsplit('/').next(), Some("claude" | "codex")));
    if changes || removes || starts_bare { why } else { None }
}

fn kills(view: &InvocationView<'_>) -> Option<&'static str> {
    let names_own = |text: &str| OWN.iter().any(|own| text.to_ascii_lowercase().contains(own));
    let words = view.shown_words();
    let is_own = |word: &String| names_own(word) || word.contains("PPID");
    // A command that finds a process id may find the loop's.
    let found = || {
        view.word_sources(view.words).iter().any(|&source| {
            view.other(source)
                .is_some_and(|(_, words)| words.iter().any(|word| is_own(&word.shown())))
        })
    };
    let hits = match view.program.as_str() {
        "fuser" if !words.iter().any(|word| word.starts_with("-k")) => false,
        "pkill" | "killall" | "skill" | "fuser" => {
            words.iter().any(|word| !word.starts_with('-') && names_own(word))
        }
        "kill" => {
            let stops = words
                .iter()
                .any(|word| matches!(word.as_str(), "-STOP" | "-SIGSTOP" | "-19" | "-TSTP"));
            stops || words.iter().any(|word| word.contains("PPID")) || found()
        }
        "renice" | "gdb" | "lldb" | "strace" | "ptrace" | "reptyr" | "prlimit" | "taskset" => {
            words.iter().any(is_own) || found()
        }
        _ => false,
    };
    hits.then_some("it ends or stops processes of the loop")
}
