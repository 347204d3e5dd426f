//! Giving a shell to the other end of a connection.

use shell_analysis::Input;

use crate::code::SHELLS;
use crate::invocation_view::InvocationView;
use crate::network::is_socket;
use crate::words::words;
use crate::{Category, Refusal};

const WHY: &str = "it gives a shell to another machine";
const INSTEAD: &str = "Run the commands yourself";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let shell_on_socket =
        (view.is(SHELLS) || view.is(&["exec"]) || view.words.is_empty() && view.program.is_empty())
            && view.invocation.redirects.iter().any(|redirect| {
                let target = redirect.target.shown();
                let is_here = ["/dev/tcp/localhost/", "/dev/tcp/127.0.0.1/"];
                is_socket(&target)
                    && (view.is(SHELLS) || !is_here.iter().any(|here| target.starts_with(here)))
            });
    let runs_program = |words: &[String]| {
        words.iter().any(|word| {
            word == "--exec"
                || word == "--sh-exec"
                || word.starts_with("--exec=")
                || word.starts_with("--sh-exec=")
                || (word.starts_with('-') && !word.starts_with("--") && word.contains(['e', 'c']))
        })
    };
    let netcat = view.is(&["nc", "ncat", "netcat"]) && runs_program(&words);
    let socat = view.is(&["socat"])
        && words.iter().any(|word| {
            let word = word.to_ascii_uppercase();
            word.starts_with("EXEC:") || word.starts_with("SYSTEM:")
        });
    let tunnel = view.is(&["ssh", "autossh"])
        && words.iter().any(|word| {
            word.starts_with("-R")
                || (word.starts_with('-') && !word.starts_with("--") && word.ends_with('R'))
        });
    let shares = view.is(words!(
        "tmate teleconsole ttyd gotty sshx upterm shellinaboxd wetty chisel sshd dropbear telnetd
         ztcp"
    )) || (view.is(&["code", "code-insiders"])
        && words.first().is_some_and(|word| word == "tunnel"))
        || (view.is(&["tailscale"]) && words.iter().any(|word| word == "--ssh"));
    let shares =
        shares && !words.iter().any(|word| matches!(word.as_str(), "--version" | "--help" | "-t"));
    let piped = shell_fed_by_connection(view) || connection_fed_by_shell(view);
    if shell_on_socket || netcat || socat || tunnel || shares || piped {
        return view.refuse(Category::ReverseShell, WHY, INSTEAD);
    }
    None
}

const CONNECTIONS: &[&str] = &["nc", "ncat", "netcat", "telnet", "socat", "openssl"];

fn is_connection(view: &InvocationView<'_>, index: usize) -> bool {
    view.other(index).is_some_and(|(program, words)| {
        CONNECTIONS.contains(&program.as_str())
            && (program != "openssl"
                || words.first().is_some_and(|word| word.shown() == "s_client"))
    })
}

fn shell_fed_by_connection(view: &InvocationView<'_>) -> bool {
    view.is(SHELLS) && view.input_sources().iter().any(|&source| is_connection(view, source))
}

fn connection_fed_by_shell(view: &InvocationView<'_>) -> bool {
    let is_shell = |index: &usize| {
        view.other(*index).is_some_and(|(program, words)| {
            SHELLS.contains(&program.as_str())
                && words.iter().all(|word| word.shown().starts_with('-'))
        })
    };
    is_connection(view, view.index)
        && matches!(view.invocation.input, Input::Pipe { .. })
        && view.input_sources().iter().any(is_shell)
}
