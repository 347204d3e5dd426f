//! Local data and environment variables sent to other machines.

use shell_analysis::{Arguments, Input, RedirectKind, Word};

use crate::effect::FileAction;
use crate::effects::{after_at, valued};
use crate::invocation_view::InvocationView;
use crate::network::{Host, has_output, host, is_fetcher, reads_local_data};
use crate::place::is_socket;
use crate::secrets::{any_prints_environment, is_secret, prints_environment};
use crate::words::words;
use crate::{Category, Refusal};

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if sends_data(view) {
        let instead =
            "Keep data on this machine. Write to your notes what the user should send, and where";
        return view.refuse(
            Category::Exfiltration,
            "it sends local data to another machine",
            instead,
        );
    }
    None
}

pub(super) fn judge_environment(view: &InvocationView<'_>) -> Option<Refusal> {
    let connects = is_fetcher(&view.program, view.words)
        || view.is(words!(
            "scp rsync mail mailx sendmail sftp ping ssh gh glab tea hub jira slack linear"
        ));
    let dumps = || any_prints_environment(view, &view.sources());
    let by_socket = to_socket(view) && (prints_environment(&view.program, view.words) || dumps());
    let by_program = || {
        let request = Request::of(view);
        !request.is_to_loopback() && (dumps() || request.sends_secret())
    };
    (by_socket || connects && by_program()).then(|| {
        let why = "it sends environment variables, which may hold secrets, to another machine";
        view.refuse(
            Category::EnvironmentDump,
            why,
            "Write the names of the variables to your notes, without their values",
        )
    })?
}

fn sends_data(view: &InvocationView<'_>) -> bool {
    let is_request = view.is(words!("curl wget wget2 http https xh curlie"));
    is_request && Request::of(view).sends_data(view) || to_socket(view) && has_local_data(view)
}

/// A request to another machine that sends something with the user's login.
pub(super) fn changes_remotely(view: &InvocationView<'_>) -> bool {
    let request = Request::of(view);
    let arguments = &request.arguments;
    let named = arguments.values(&["X", "request", "method"]).map(Word::shown);
    let methods: Vec<_> = named.chain(arguments.operands.iter().map(Word::shown)).collect();
    let asks = |names: &[&str]| methods.iter().any(|method| names.contains(&method.as_ref()));
    let sends = || asks(&["POST"]) || arguments.values(DATA).next().is_some();
    let only_reads = asks(&["GET"]) && !asks(&["POST"]) || arguments.has(&["G", "get"]);
    let is_login = |word: &str| {
        let word = word.to_ascii_lowercase();
        words!("authorization: authorization:bearer x-api-key: -key: -token: token: private-token:")
            .iter()
            .any(|name| word.contains(name))
    };
    let logs_in = || {
        arguments.has(&["u", "user", "n", "netrc", "b", "cookie", "oauth2-bearer"])
            || view.texts.iter().any(|word| is_login(word))
            || InvocationView::variables(view.words).iter().any(|name| is_secret(name))
    };
    let is_away =
        |address: &Word| address.known_start().contains('.') && host(address) == Host::Elsewhere;
    request.addresses().any(is_away)
        && (asks(&["DELETE", "PUT", "PATCH"]) || !only_reads && sends() && logs_in())
}

/// A name that is looked up and contains local data, as `${NAME}.example.com`.
pub(super) fn is_computed_name(word: &Word) -> bool {
    let is_variable = || word.known_start().is_empty() && word.shown().contains("}.");
    has_output(word) || !InvocationView::variables([word]).is_empty() && is_variable()
}

/// What a program for requests sends.
struct Request {
    arguments: Arguments,
    is_curl: bool,
}

const DATA: &[&str] = words!(
    "d data data-raw data-binary data-urlencode data-ascii json F form form-string T upload-file url-query post-data
     post-file body-data body-file"
);
const HEADERS: &[&str] = words!("H header A user-agent b cookie e referer u user");

impl Request {
    fn of(view: &InvocationView<'_>) -> Self {
        let is_curl = !view.is(words!("wget wget2 http https xh"));
        let valued = valued(if is_curl { "curl" } else { "wget" });
        Self { arguments: view.arguments(&valued), is_curl }
    }

    fn addresses(&self) -> impl Iterator<Item = &Word> {
        self.arguments.operands.iter().chain(self.arguments.values(&["url"]))
    }

    fn is_to_loopback(&self) -> bool {
        self.addresses().any(|address| host(address) == Host::Loopback)
    }

    fn sends_data(&self, view: &InvocationView<'_>) -> bool {
        if self.addresses().next().is_some()
            && self.addresses().all(|address| host(address) == Host::Loopback)
        {
            return false;
        }
        let is_computed = |word: &Word| reads_local_data(view, &view.word_sources([word]));
        let is_local = |word: &Word| match word.known_start().as_ref() {
            "@-" | "@/dev/stdin" => {
                view.invocation.input == Input::Inherited || reads_local_input(view)
            }
            _ => after_at(word).is_some() || word.text().is_none(),
        };
        let sends_file = |word: &str| word.contains('@') && !word.contains("://");
        self.addresses().chain(self.arguments.values(HEADERS)).any(is_computed)
            || self.arguments.has(&["T", "upload-file", "post-file", "body-file"])
            || self.arguments.values(DATA).any(is_local)
            || view.is(&["http", "https", "xh"])
                && (reads_local_input(view) || view.texts.iter().any(|word| sends_file(word)))
            || self.is_curl && self.is_configured_to_send(view)
    }

    /// Options on standard input that send data.
    fn is_configured_to_send(&self, view: &InvocationView<'_>) -> bool {
        let sends = ["data", "upload-file", "form", "-d ", "-F ", "-T "];
        let from_input =
            self.arguments.value(&["K", "config"]).is_some_and(|word| word.shown() == "-");
        let known = match &view.invocation.input {
            Input::Text { text, .. } => text.text(),
            Input::Inherited | Input::Pipe { .. } => None,
        };
        from_input && known.is_none_or(|text| sends.iter().any(|name| text.contains(name)))
    }

    /// A secret in an address or in data. Some headers are the proper place for a token.
    fn sends_secret(&self) -> bool {
        let is_for_tokens = |header: &Word| {
            let start = header.known_start().to_ascii_lowercase();
            let name = start.split(':').next().unwrap_or_default();
            words!("auth token api-key apikey api_key key cookie")
                .iter()
                .any(|part| name.contains(part))
        };
        let headers =
            self.arguments.values(&["H", "header"]).filter(|header| !is_for_tokens(header));
        let sent = self.addresses().chain(self.arguments.values(DATA)).chain(headers);
        InvocationView::variables(sent).iter().any(|name| is_secret(name))
    }
}

/// Programs that print nothing about this machine by themselves.
const HARMLESS: &[&str] = words!(
    "echo printf yes seq date true sleep cat tr sed cut awk sort head tail grep jq rev fold base64 gzip xxd tee xargs
     openssl test [ read uuidgen column envsubst"
);

/// Whether its input contains local data.
pub(super) fn reads_local_input(view: &InvocationView<'_>) -> bool {
    let reads_file = view.invocation.redirects.iter().any(|redirect| {
        redirect.kind == RedirectKind::Read && redirect.target.shown() != "/dev/null"
    });
    let is_local = || reads_local_data(view, &view.input_sources());
    let is_harmless = |&source: &usize| {
        view.other(source).is_none_or(|(program, words)| {
            HARMLESS.contains(&program.as_ref()) || is_fetcher(&program, words)
        })
    };
    reads_file
        || match &view.invocation.input {
            Input::Inherited => false,
            Input::Text { text, .. } => has_output(text) || is_local(),
            // Input from an unknown source may be anything, and what other programs print is local data.
            Input::Pipe { from } => {
                from.is_empty() || is_local() || !view.input_sources().iter().all(is_harmless)
            }
        }
}

/// A connection to this machine; socat's addresses start with a type.
pub(super) fn is_to_here(view: &InvocationView<'_>) -> bool {
    let operands = view.arguments(&["p", "w", "s", "x", "X", "q", "i", "O", "P"]).operands;
    operands.iter().map(Word::shown).any(|text| {
        let name = text
            .split_once(':')
            .filter(|_| view.is(&["socat"]))
            .map_or(text.as_ref(), |(_, rest)| rest);
        !name.is_empty() && host(&Word::of(name)) == Host::Loopback
    })
}

/// A redirection to `/dev/tcp/HOST/PORT`.
fn to_socket(view: &InvocationView<'_>) -> bool {
    view.invocation.redirects.iter().any(|redirect| {
        let target = redirect.target.shown();
        let name = target.split('/').nth(3).unwrap_or_default();
        redirect.kind != RedirectKind::Read
            && is_socket(&target)
            && host(&Word::of(name)) != Host::Loopback
    })
}

/// Whether what it prints is local data.
fn has_local_data(view: &InvocationView<'_>) -> bool {
    let reads = |action: FileAction| matches!(action, FileAction::Read | FileAction::ReadTree);
    view.effects.iter().any(|effect| reads(effect.action))
        || reads_local_input(view)
        || prints_environment(&view.program, view.words)
        || view.words.iter().any(has_output)
        || view.is(&["echo", "printf"]) && !InvocationView::variables(view.words).is_empty()
        || view.is(words!("tar ls ps id whoami history"))
}
