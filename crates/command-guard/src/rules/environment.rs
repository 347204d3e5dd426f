//! Environment variables, which may hold secrets, sent over the network.

use shell_analysis::{RedirectKind, Word};

use crate::invocation_view::InvocationView;
use crate::network::{Host, host, is_fetcher, is_socket};
use crate::secrets::{any_prints_environment, is_secret, prints_environment};
use crate::{Category, Refusal};

const WHY: &str = "it sends environment variables, which may hold secrets, to another machine";
const INSTEAD: &str = "Write the names of the variables to your notes, without their values";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let connects = is_fetcher(&view.program, view.words)
        || view.is(&["scp", "rsync", "mail", "mailx", "sendmail", "sftp", "ping", "ssh"]);
    let socket =
        view.invocation.redirects.iter().any(|redirect| {
            redirect.kind != RedirectKind::Read && is_socket(&redirect.target.shown())
        });
    let sends = (socket
        && (prints_environment(&view.program, view.words)
            || any_prints_environment(view, &view.sources())))
        || (connects
            && !is_here(view)
            && (any_prints_environment(view, &view.sources())
                || sends_secret(view)
                || sends_variable_listing(view)));
    if sends { view.refuse(Category::EnvironmentDump, WHY, INSTEAD) } else { None }
}

fn is_here(view: &InvocationView<'_>) -> bool {
    let arguments = view.arguments(crate::effects::CURL_VALUED);
    let operands = arguments.operands.iter().chain(arguments.values(&["url"]));
    operands.into_iter().any(|word| host(word) == Host::Loopback)
}

/// A secret in a URL or in data. A header is the proper place for a token.
fn sends_secret(view: &InvocationView<'_>) -> bool {
    let arguments = view.arguments(crate::effects::CURL_VALUED);
    let data = [
        "d",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "F",
        "form",
        "json",
        "url",
        "post-data",
        "body-data",
        "form-string",
    ];
    let headers: Vec<&Word> =
        arguments.values(&["H", "header"]).filter(|header| !is_for_tokens(header)).collect();
    let words: Vec<&Word> = arguments.operands.iter().chain(arguments.values(&data)).collect();
    let words = words.into_iter().chain(headers);
    InvocationView::variables(words).iter().any(|name| is_secret(name))
}

/// Headers that carry a token.
fn is_for_tokens(header: &Word) -> bool {
    let name =
        header.known_start().split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["auth", "token", "api-key", "apikey", "api_key", "key", "cookie"]
        .iter()
        .any(|part| name.contains(part))
}

/// A shell's variable listing, which is empty in an expansion.
fn sends_variable_listing(view: &InvocationView<'_>) -> bool {
    let before = view.index.checked_sub(1).and_then(|index| view.other(index));
    let lists = before.is_some_and(|(program, words)| {
        matches!(program.as_str(), "set" | "declare" | "typeset" | "export")
            && prints_environment(&program, words)
    });
    lists && view.words.iter().any(|word| word.pieces.is_empty())
}
