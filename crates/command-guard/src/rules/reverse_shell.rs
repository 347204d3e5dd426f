//! A shell that is connected to another machine.

use shell_analysis::Input;

use crate::code::SHELLS;
use crate::invocation_view::InvocationView;
use crate::place::is_socket;
use crate::words::words;
use crate::{Category, Refusal};

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let sources = || view.input_sources().into_iter();
    let piped = view.is(SHELLS) && sources().any(|source| is_connection(view, source))
        || matches!(view.invocation.input, Input::Pipe { .. })
            && is_connection(view, view.index)
            && sources().any(|source| is_bare_shell(view, source));
    let why = "it gives a shell to another machine";
    let refuse = || view.refuse(Category::ReverseShell, why, "Run the commands yourself");
    (on_socket(view) || piped).then(refuse)?
}

/// A shell, or all later commands, with a network connection as input or output.
fn on_socket(view: &InvocationView<'_>) -> bool {
    let is_shell = view.is(SHELLS);
    let is_here = |target: &str| {
        ["/dev/tcp/localhost/", "/dev/tcp/127.0.0.1/"].iter().any(|here| target.starts_with(here))
    };
    let takes_all = view.is(&["exec"]) || view.words.is_empty() && view.program.is_empty();
    (is_shell || takes_all)
        && view.invocation.redirects.iter().any(|redirect| {
            let target = redirect.target.shown();
            is_socket(&target) && (is_shell || !is_here(&target))
        })
}

fn is_connection(view: &InvocationView<'_>, index: usize) -> bool {
    view.other(index).is_some_and(|(program, words)| match program.as_ref() {
        "openssl" => words.first().is_some_and(|word| word.shown() == "s_client"),
        program => words!("nc ncat netcat telnet socat").contains(&program),
    })
}

fn is_bare_shell(view: &InvocationView<'_>, index: usize) -> bool {
    view.other(index).is_some_and(|(program, words)| {
        SHELLS.contains(&program.as_ref()) && words.iter().all(|word| word.shown().starts_with('-'))
    })
}
