//! The environment, in which secrets are kept, on its way to the network.

use shell_analysis::{RedirectKind, Word};

use crate::network::{Host, host, is_fetcher, is_socket};
use crate::secrets::{is_secret, prints_environment, tells_environment};
use crate::view::View;
use crate::{Category, Refusal};

const WHY: &str = "it sends the environment, and the secrets in it, to another machine";
const INSTEAD: &str = "Name the variables that matter in your notes, without their values";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    let speaks = is_fetcher(&view.program, view.words)
        || view.is(&["scp", "rsync", "mail", "mailx", "sendmail", "sftp", "ping", "ssh"]);
    let socket =
        view.act.redirects.iter().any(|redirect| {
            redirect.kind != RedirectKind::Read && is_socket(&redirect.target.shown())
        });
    let sends = (socket
        && (prints_environment(&view.program, view.words)
            || tells_environment(view, &view.sources())))
        || (speaks
            && !is_here(view)
            && (tells_environment(view, &view.sources())
                || gives_secret(view)
                || gives_listing(view)));
    if sends { view.refuse(Category::EnvironmentDump, WHY, INSTEAD) } else { None }
}

fn is_here(view: &View<'_>) -> bool {
    let arguments = view.arguments(crate::effects::CURL_VALUED);
    let operands = arguments.operands.iter().chain(arguments.values(&["url"]));
    operands.into_iter().any(|word| host(word) == Host::Loopback)
}

/// A secret in an address or in data. A header is where a token belongs.
fn gives_secret(view: &View<'_>) -> bool {
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
    View::variables(words).iter().any(|name| is_secret(name))
}

/// Headers in which services want a token.
fn is_for_tokens(header: &Word) -> bool {
    let name =
        header.known_start().split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["auth", "token", "api-key", "apikey", "api_key", "key", "cookie"]
        .iter()
        .any(|part| name.contains(part))
}

/// What a shell lists of its own variables counts as nothing where it is filled in.
fn gives_listing(view: &View<'_>) -> bool {
    let before = view.index.checked_sub(1).and_then(|index| view.other(index));
    let lists = before.is_some_and(|(program, words)| {
        matches!(program.as_str(), "set" | "declare" | "typeset" | "export")
            && prints_environment(&program, words)
    });
    lists && view.words.iter().any(|word| word.pieces.is_empty())
}
