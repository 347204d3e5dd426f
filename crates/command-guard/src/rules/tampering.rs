//! The loop's own processes, and the variables that identify its sessions.

use shell_analysis::Word;

use crate::invocation_view::InvocationView;
use crate::words::words;
use crate::{Category, Refusal};

/// Parts of the names of the loop's own processes.
const OWN: &[&str] = words!("ralph claude stop-guard command-guard context-monitor codex");

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let why = if changes_variables(view) {
        "it changes the variables that identify the loop's sessions"
    } else if kills(view) {
        "it ends or stops processes of the loop"
    } else {
        return None;
    };
    view.refuse(Category::LoopTampering, why, "Leave the loop's own files and programs unchanged")
}

/// Variables that identify the session for the hooks.
fn is_own_variable(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    ["RALPH_", "CLAUDE_PLUGIN_", "CLAUDE_CODE_"].iter().any(|start| name.starts_with(start))
        || matches!(name, "CLAUDE_PROJECT_DIR" | "CLAUDE_CONFIG_DIR" | "CLAUDE_CONTEXT_WINDOW")
}

fn changes_variables(view: &InvocationView<'_>) -> bool {
    let sets = view.is(words!("unset export declare typeset readonly local env"));
    // `env -uNAME` and `env --unset=NAME`
    let bare = |word: &str| word.trim_start_matches("--unset=").trim_start_matches("-u").to_owned();
    view.invocation.assignments.iter().any(|(name, _)| is_own_variable(name))
        || sets && view.texts.iter().any(|word| is_own_variable(&bare(word)))
}

fn kills(view: &InvocationView<'_>) -> bool {
    let names_own = |text: &str| OWN.iter().any(|own| text.to_ascii_lowercase().contains(own));
    let is_own = |word: &str| names_own(word) || word.contains("PPID");
    let says = |names: &[&str]| view.texts.iter().any(|word| names.contains(&word.as_ref()));
    // A command that finds a process id may find the loop's.
    let found = || {
        let finds = |words: &[Word]| words.iter().any(|word| is_own(&word.shown()));
        view.word_sources(view.words)
            .iter()
            .any(|&source| view.other(source).is_some_and(|(_, words)| finds(words)))
    };
    match view.program.as_ref() {
        "fuser" if !view.texts.iter().any(|word| word.starts_with("-k")) => false,
        "pkill" | "killall" | "skill" | "fuser" => {
            view.texts.iter().any(|word| !word.starts_with('-') && names_own(word))
        }
        "kill" => {
            let stops = says(&["-STOP", "-SIGSTOP", "-19", "-TSTP"]);
            stops || view.texts.iter().any(|word| word.contains("PPID")) || found()
        }
        "renice" | "gdb" | "lldb" | "strace" | "ptrace" | "reptyr" | "prlimit" | "taskset" => {
            view.texts.iter().any(|word| is_own(word)) || found()
        }
        _ => false,
    }
}
