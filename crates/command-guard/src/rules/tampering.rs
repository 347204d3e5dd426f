//! The loop itself: its marker, its files, its hooks and settings, its processes.

use std::path::{Path, PathBuf};

use project::{Layout, USERS_FILES};
use shell_analysis::Word;

use crate::effects::Deed;
use crate::git_call::GitCall;
use crate::place::{Place, Relation, relation};
use crate::view::View;
use crate::{Category, CommandContext, Refusal};

const IN_PROJECT: &[&str] = &[
    ".ralph-active",
    ".ralph",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".mcp.json",
    ".codex",
    ".claude-plugin",
];
const AT_HOME: &[&str] = &[
    ".claude",
    ".claude.json",
    ".codex",
    ".config/claude",
    ".config/ralph",
    ".config/claude-code",
];
const ELSEWHERE: &[&str] =
    &["/etc/claude-code", "/Library/Application Support/ClaudeCode", "/etc/codex"];

/// The loop's own programs, as a part of what a process is called.
const OWN: &[&str] =
    &["ralph", "claude", "stop-guard", "command-guard", "context-monitor", "codex"];

const INSTEAD: &str =
    "The loop's own files and programs are not part of the work: leave them as they are";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    let file = view.effects.iter().find_map(|effect| match &effect.place {
        Place::At(path) if effect.deed.changes() => {
            let own = view.whole.own_places.get_or_init(|| own_places(view.context));
            changes_own(path, effect.deed, own, view.context)
        }
        _ => None,
    });
    let why =
        file.or_else(|| commands(view)).or_else(|| environment(view)).or_else(|| kills(view))?;
    view.refuse(Category::LoopTampering, why, INSTEAD)
}

/// Why a file that is changed there is none of the agent's.
pub(crate) fn tampers_with(path: &Path, context: &CommandContext) -> Option<&'static str> {
    changes_own(path, Deed::Write, &own_places(context), context)
}

fn changes_own(
    path: &Path,
    deed: Deed,
    own: &[PathBuf],
    context: &CommandContext,
) -> Option<&'static str> {
    let takes_all = matches!(deed, Deed::DeleteTree | Deed::MoveAway);
    let hits = |own: &PathBuf| match relation(path, own) {
        Relation::Same | Relation::Below => true,
        // The project as a whole is another rule's.
        Relation::Above => {
            takes_all && path.starts_with(&context.project) && path != context.project
        }
        Relation::Apart => false,
    };
    own.iter().any(hits).then_some("it changes what the loop itself relies on")
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

fn commands(view: &View<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or_default();
    match view.program.as_str() {
        "ralph-loop" => {
            // What follows `--` is text for a command that takes some, and -V is talkative.
            let asks = words
                .iter()
                .take_while(|word| *word != "--")
                .any(|word| matches!(word.as_str(), "--help" | "-h" | "--version" | "-v"));
            let shows = matches!(
                first,
                "status" | "report" | "settings" | "doctor" | "completions" | "man" | "help"
            );
            (!asks && !shows).then_some("only the user steers the loop")
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
            (cleans || takes)
                .then_some("what git ignores is also the loop's own: leave out what takes it along")
        }
        _ => None,
    }
}

/// A session inside the session, without what watches over this one.
fn nested(view: &View<'_>, first: &str, words: &[String]) -> Option<&'static str> {
    if matches!(
        first,
        "config"
            | "plugin"
            | "plugins"
            | "mcp"
            | "install"
            | "update"
            | "setup-token"
            | "logout"
            | "login"
            | "auth"
    ) {
        return Some("it changes how sessions are set up");
    }
    let loosens = words.iter().any(|word| {
        word.starts_with("--dangerously")
            || word.starts_with("--allow-dangerously")
            || matches!(
                word.as_str(),
                "--bare"
                    | "--safe-mode"
                    | "--yolo"
                    | "bypassPermissions"
                    | "--permission-mode=bypassPermissions"
                    | "--disable-hooks"
            )
            || word.starts_with("--settings")
            || word.starts_with("--setting-sources")
            || word.starts_with("--plugin-dir")
            || word.starts_with("danger-full-access")
            || word.starts_with("--full-auto")
    });
    (loosens || view.runs_through(&["env"]) && clears_environment(view))
        .then_some("it starts a session that nothing watches over")
}

fn clears_environment(view: &View<'_>) -> bool {
    view.reading.acts.iter().any(|act| {
        act.program().as_deref() == Some("env")
            && act
                .arguments()
                .iter()
                .any(|word| matches!(word.shown().as_str(), "-i" | "-" | "--ignore-environment"))
    })
}

/// Variables by which the hooks know their session.
fn is_own_variable(name: &str) -> bool {
    name.starts_with("RALPH_")
        || name.starts_with("CLAUDE_PLUGIN_")
        || name.starts_with("CLAUDE_CODE_")
        || matches!(name, "CLAUDE_PROJECT_DIR" | "CLAUDE_CONFIG_DIR" | "CLAUDE_CONTEXT_WINDOW")
}

fn environment(view: &View<'_>) -> Option<&'static str> {
    let why = Some("it changes the variables by which the loop knows its sessions");
    if view.act.assignments.iter().any(|(name, _)| is_own_variable(name)) {
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

fn kills(view: &View<'_>) -> Option<&'static str> {
    let names_own = |text: &str| OWN.iter().any(|own| text.to_ascii_lowercase().contains(own));
    let words = view.shown_words();
    let is_own = |word: &String| names_own(word) || word.contains("PPID");
    // Whoever finds a process for it may name the loop instead.
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
    hits.then_some("it ends or stops what runs the loop")
}
