//! Ways to have a program load code that nobody sees in its words.

use shell_analysis::Word;

use crate::git_call::GitCall;
use crate::place::{Place, Whose, whose};
use crate::view::View;

pub(super) fn loads(view: &View<'_>) -> bool {
    const LOADERS: &[&str] = &[
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "PROMPT_COMMAND",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_ASKPASS",
        "GIT_PROXY_COMMAND",
        "PERL5OPT",
        "RUBYOPT",
        "PYTHONSTARTUP",
        "GIT_PAGER_IN_USE",
        "SSH_ASKPASS",
    ];
    let sets = |name: &str, value: &str| {
        LOADERS.contains(&name)
            && !value.is_empty()
            && !value.starts_with("ssh ")
            && !value.starts_with('-')
            && !matches!(value, "true" | "echo" | "/bin/true" | "cat" | "ssh" | "/bin/echo")
    };
    let assigns = view.act.assignments.iter().any(|(name, value)| sets(name, &value.shown()));
    let exports = view.is(&["export", "env", "declare"])
        && view
            .shown_words()
            .iter()
            .any(|word| word.split_once('=').is_some_and(|(name, value)| sets(name, value)));
    assigns || exports || loads_library(view) || hooks_elsewhere(view)
}

/// `openssl -engine /path/to/library`
fn loads_library(view: &View<'_>) -> bool {
    let names = ["engine", "provider-path"];
    view.is(&["openssl"])
        && view.arguments(&names).values(&names).any(|word| word.shown().contains('/'))
}

/// Hooks of git from a folder that is not the project's.
fn hooks_elsewhere(view: &View<'_>) -> bool {
    let Some(call) = GitCall::of(view) else { return false };
    call.settings.iter().any(|setting| {
        let start = setting.known_start();
        let Some((name, folder)) = start.split_once('=') else { return false };
        let is_own = match view.place(&Word::of(folder)) {
            Place::At(path) => matches!(whose(&path, view.context), Whose::Project | Whose::Stream),
            Place::Temporary | Place::Unknown => false,
        };
        name.eq_ignore_ascii_case("core.hookspath") && !is_own && !folder.is_empty()
    })
}
