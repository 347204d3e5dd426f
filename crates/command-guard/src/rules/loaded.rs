//! Programs that load code which their arguments do not show.

use shell_analysis::Word;

use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;

pub(super) fn loads(view: &InvocationView<'_>) -> bool {
    const LOADERS: &[&str] = words!(
        "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PROMPT_COMMAND GIT_SSH_COMMAND
         GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND PERL5OPT RUBYOPT PYTHONSTARTUP
         GIT_PAGER_IN_USE SSH_ASKPASS"
    );
    let sets = |name: &str, value: &str| {
        LOADERS.contains(&name)
            && !value.is_empty()
            && !value.starts_with("ssh ")
            && !value.starts_with('-')
            && !matches!(value, "true" | "echo" | "/bin/true" | "cat" | "ssh" | "/bin/echo")
    };
    let assigns =
        view.invocation.assignments.iter().any(|(name, value)| sets(name, &value.shown()));
    let exports = view.is(&["export", "env", "declare"])
        && view
            .shown_words()
            .iter()
            .any(|word| word.split_once('=').is_some_and(|(name, value)| sets(name, value)));
    assigns || exports || loads_library(view) || hooks_elsewhere(view)
}

/// `openssl -engine /path/to/library`
fn loads_library(view: &InvocationView<'_>) -> bool {
    let names = ["engine", "provider-path"];
    view.is(&["openssl"])
        && view.arguments(&names).values(&names).any(|word| word.shown().contains('/'))
}

/// Git hooks from a folder outside the project.
fn hooks_elsewhere(view: &InvocationView<'_>) -> bool {
    let Some(call) = GitCall::of(view) else {
        return false;
    };
    call.settings.iter().any(|setting| {
        let start = setting.known_start();
        let Some((name, folder)) = start.split_once('=') else {
            return false;
        };
        let is_own = match view.place(&Word::of(folder)) {
            Place::At(path) => {
                matches!(owner_of(&path, view.context), PathOwner::Project | PathOwner::Stream)
            }
            Place::Temporary | Place::Unknown => false,
        };
        name.eq_ignore_ascii_case("core.hookspath") && !is_own && !folder.is_empty()
    })
}
