//! Local data sent to other machines.

use shell_analysis::{Input, Invocation, RedirectKind, Word};

use crate::arguments::without_start;
use crate::effects::FileAction;
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::network::{Host, has_output, host, is_socket, reads_local_data};
use crate::place::{PathOwner, Place, owner_of};
use crate::words::words;
use crate::{Category, Refusal};

const WHY: &str = "it sends local data to another machine";
const INSTEAD: &str =
    "Keep data on this machine. Write to your notes what the user should send, and where";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let sends = match view.program.as_str() {
        "curl" | "wget" | "wget2" | "http" | "https" | "xh" | "curlie" => {
            request(view) || configured(view)
        }
        "nc" | "ncat" | "netcat" | "telnet" | "socat" | "gnutls-cli" | "websocat" | "wscat"
        | "cryptcat" | "ssl_client" => stream(view),
        "openssl" => view.subcommand().as_deref() == Some("s_client") && reads_local_input(view),
        "ssh" | "mosh" | "whois" | "finger" | "rsh" => {
            reads_local_input(view) || reads_local_data(view, &view.word_sources(view.words))
        }
        "dig" | "nslookup" | "host" | "drill" | "ping" | "ping6" | "getent" | "resolvectl"
        | "traceroute" => view.words.iter().any(|word| {
            has_output(word)
                || !InvocationView::variables([word]).is_empty()
                    && word.known_start().is_empty()
                    && word.shown().contains("}.")
        }),
        "git" | "hub" => pushes_to_address(view),
        _ => false,
    };
    let sends = sends || serves(view) || socket(view);
    if sends { view.refuse(Category::Exfiltration, WHY, INSTEAD) } else { None }
}

/// A public server of files outside the project.
fn serves(view: &InvocationView<'_>) -> bool {
    let words = view.shown_words();
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let is_server = match view.program.as_str() {
        "python" | "python2" | "python3" => says(&["http.server", "SimpleHTTPServer", "pyftpdlib"]),
        "php" => says(&["-S"]),
        "ruby" => says(&["httpd", "-run"]),
        "caddy" => says(&["file-server"]),
        "http-server" | "serve" | "httpd" | "darkhttpd" | "miniserve" | "webfsd" | "dufs"
        | "live-server" | "thttpd" | "busybox" => true,
        _ => false,
    };
    let is_outside = |place: &Place| matches!(place, Place::At(path) if owner_of(path, view.context) == PathOwner::Outside);
    let named = || {
        view.words.iter().any(|word| {
            let start = word.known_start();
            let value =
                start.find('=').map_or_else(|| word.clone(), |at| without_start(word, at + 1));
            is_outside(&view.place(&value))
        })
    };
    is_server && (named() || view.folder().map(Place::At).is_some_and(|folder| is_outside(&folder)))
}

/// Options on standard input that send data.
fn configured(view: &InvocationView<'_>) -> bool {
    let from_input = view
        .arguments(crate::effects::CURL_VALUED)
        .value(&["K", "config"])
        .is_some_and(|word| word.shown() == "-");
    let sends = ["data", "upload-file", "form", "-d ", "-F ", "-T "];
    from_input
        && match &view.invocation.input {
            Input::Text { text, .. } => {
                text.text().is_none_or(|text| sends.iter().any(|name| text.contains(name)))
            }
            _ => true,
        }
}

/// Whether its input contains local data.
fn reads_local_input(view: &InvocationView<'_>) -> bool {
    let reads_file = view.invocation.redirects.iter().any(|redirect| {
        redirect.kind == RedirectKind::Read && redirect.target.shown() != "/dev/null"
    });
    let piped = match &view.invocation.input {
        Input::Inherited => false,
        Input::Text { text, .. } => {
            has_output(text) || reads_local_data(view, &view.input_sources())
        }
        // Input from an unknown source may be anything.
        Input::Pipe { from } => from.is_empty() || reads_local_data(view, &view.input_sources()),
    };
    reads_file || piped
}

fn request(view: &InvocationView<'_>) -> bool {
    let (valued, data): (&[&str], &[&str]) = if view.is(&["curl", "curlie"]) {
        (
            crate::effects::CURL_VALUED,
            words!(
                "d data data-raw data-binary data-urlencode data-ascii json F form form-string T
                 upload-file url-query"
            ),
        )
    } else {
        (crate::effects::WGET_VALUED, &["post-data", "post-file", "body-data", "body-file"])
    };
    let arguments = view.arguments(valued);
    let addresses: Vec<&Word> =
        arguments.operands.iter().chain(arguments.values(&["url"])).collect();
    let is_away =
        addresses.is_empty() || addresses.iter().any(|address| host(address) != Host::Loopback);
    if !is_away {
        return false;
    }
    let in_address =
        addresses.iter().any(|address| reads_local_data(view, &view.word_sources([*address])));
    let in_headers = arguments
        .values(&["H", "header", "A", "user-agent", "b", "cookie", "e", "referer", "u", "user"])
        .any(|word| reads_local_data(view, &view.word_sources([word])));
    let files = arguments.has(&["T", "upload-file", "post-file", "body-file"]);
    in_address
        || in_headers
        || files
        || arguments.values(data).any(|word| is_local(view, word))
        || (view.is(&["http", "https", "xh"])
            && (reads_local_input(view)
                || view
                    .shown_words()
                    .iter()
                    .any(|word| word.contains('@') && !word.contains("://"))))
}

/// Data from a file, a variable or another program.
fn is_local(view: &InvocationView<'_>, word: &Word) -> bool {
    let start = word.known_start();
    if matches!(start.as_str(), "@-" | "@/dev/stdin") {
        return reads_local_input(view);
    }
    let file = crate::effects::after_at(word).is_some();
    file || word.text().is_none()
}

fn stream(view: &InvocationView<'_>) -> bool {
    let operands = view.arguments(&["p", "w", "s", "x", "X", "q", "i", "O", "P"]).operands;
    let looks = |word: &Word| {
        let text = word.shown();
        let parts = text
            .split_once(':')
            .filter(|_| view.is(&["socat"]))
            .map_or(text.as_str(), |(_, rest)| rest);
        host(&Word::of(parts)) == Host::Loopback && !parts.is_empty()
    };
    let to_here = operands.iter().any(looks);
    let names_file = view.is(&["socat"])
        && view.shown_words().iter().any(|word| {
            let word = word.to_ascii_uppercase();
            word.starts_with("FILE:") || word.starts_with("OPEN:") || word.starts_with("GOPEN:")
        });
    !to_here && (reads_local_input(view) || names_file)
}

fn socket(view: &InvocationView<'_>) -> bool {
    let writes = view.invocation.redirects.iter().any(|redirect| {
        redirect.kind != RedirectKind::Read && is_socket(&redirect.target.shown()) && {
            let shown = redirect.target.shown();
            let name = shown.split('/').nth(3).unwrap_or_default().to_owned();
            host(&Word::of(name)) != Host::Loopback
        }
    });
    let reads = view
        .effects
        .iter()
        .any(|effect| matches!(effect.action, FileAction::Read | FileAction::ReadTree));
    writes
        && (reads
            || reads_local_input(view)
            || crate::secrets::prints_environment(&view.program, view.words)
            || view.words.iter().any(has_output)
            || view.is(&["echo", "printf"]) && !InvocationView::variables(view.words).is_empty()
            || view.is(&["tar", "ls", "ps", "id", "whoami", "history"]))
}

fn pushes_to_address(view: &InvocationView<'_>) -> bool {
    let Some(call) = GitCall::of(view) else {
        return false;
    };
    if call.command != "push" {
        return false;
    }
    let leads_elsewhere = |setting: &Word| {
        let name = setting.shown().split('=').next().unwrap_or_default().to_ascii_lowercase();
        (name.starts_with("remote.") && name.ends_with("url"))
            || (name.starts_with("url.") && name.ends_with("insteadof"))
    };
    if call.settings.iter().any(leads_elsewhere) {
        return true;
    }
    let arguments = call.arguments(&["o", "push-option", "receive-pack", "repo"]);
    let target = arguments.operands.first().or_else(|| arguments.value(&["repo"])).map(Word::shown);
    target.is_some_and(|target| is_address(&target) || is_new_remote(view, &target))
}

fn is_address(text: &str) -> bool {
    text.contains("://") && !text.starts_with("file://")
        || (text.contains('@') && text.contains(':'))
}

/// A remote that the command line itself adds.
fn is_new_remote(view: &InvocationView<'_>, name: &str) -> bool {
    let names = view.whole.new_remotes.get_or_init(|| {
        let git = view
            .analysis
            .invocations
            .iter()
            .filter(|invocation| invocation.program().as_deref() == Some("git"));
        git.filter_map(new_remote).collect()
    });
    names.iter().any(|new| new == name)
}

fn new_remote(invocation: &Invocation) -> Option<String> {
    let words: Vec<String> = invocation.arguments().iter().map(Word::shown).collect();
    let at = words.windows(2).position(|pair| pair[0] == "remote" && pair[1] == "add")?;
    let mut operands = words[at + 2..].iter().filter(|word| !word.starts_with('-'));
    let name = operands.next()?;
    operands.any(|word| is_address(word)).then(|| name.clone())
}
