//! Which programs use the network, with which hosts, and what they send. The rules decide what is allowed.

use shell_analysis::{Input, Piece, Redirect, RedirectKind, Unknown, Word};

use crate::invocation_view::InvocationView;
use crate::place::is_socket;
use crate::words::words;

/// Programs whose output may come from the network.
const FETCHERS: &[&str] = words!(
    "curl wget wget2 fetch http https xh aria2c lynx w3m links GET httpie nc ncat netcat telnet
     axel curlie ftp tftp ipfs gsutil elinks socat dig nslookup host
     drill"
);

/// Programs whose code may use the network.
pub(crate) const RUNNERS: &[&str] = words!("python python3 python2 node ruby perl php deno bun");

/// Programs that read files or machine information: their output is local data.
const READERS: &[&str] = words!(
    "cat tac head tail base64 base32 xxd od hexdump tar gzip zip openssl gpg grep egrep rg sed awk
     cut tr sort find ls env printenv set export declare whoami id hostname history nl less more
     strings dd jq yq rev fold paste ps ifconfig ip uname git python python3 node perl ruby sqlite3
     pg_dump mysqldump docker kubectl gh security xargs bzip2 xz zstd split tee diff md5sum"
);

const LOOPBACK: &[&str] =
    &["localhost", "0.0.0.0", "[::1]", "::1", "host.docker.internal", "0", "ip6-localhost"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Loopback,
    Elsewhere,
    Unknown,
}

pub(crate) fn is_fetcher(program: &str, words: &[Word]) -> bool {
    let first = words.first().map(Word::shown).unwrap_or_default();
    FETCHERS.contains(&program)
        || matches!(
            (program, &*first),
            ("gh", "api" | "gist") | ("aws", "s3") | ("openssl", "s_client")
        )
        || program == "ssh" && !words.is_empty()
        || RUNNERS.contains(&program) && words.iter().any(|word| uses_network(&word.shown()))
}

/// Whether code of some language uses the network.
pub(crate) fn uses_network(code: &str) -> bool {
    const CALLS: &[&str] = words!(
        r#"urlopen urllib requests. http.client httpx fetch( http.get https.get axios net/http
         open-uri LWP:: HTTP::Tiny file_get_contents('http file_get_contents("http aiohttp
         socket. IO::Socket TCPSocket net.connect net.Socket fsockopen http.request https.request
         curl_exec urlretrieve copy('http copy("http smtplib ftplib Net::HTTP XMLHttpRequest dgram"#
    );
    CALLS.iter().any(|call| code.contains(call))
}

/// Whether any of these commands downloads.
pub(crate) fn fetched(view: &InvocationView<'_>, sources: &[usize]) -> bool {
    let reads_socket = |source: &usize| {
        let redirects = view.analysis.invocations.get(*source).map(|one| one.redirects.iter());
        redirects.into_iter().flatten().any(|redirect| is_socket(&redirect.target.shown()))
    };
    let mut commands = sources.iter().filter_map(|&source| view.other(source));
    commands.any(|(program, words)| is_fetcher(&program, words)) || sources.iter().any(reads_socket)
}

/// Programs that change their input and print it.
const FILTERS: &[&str] =
    words!("tr sed cut awk sort head tail grep base64 tee jq rev fold xargs xxd gzip openssl cat");

/// Whether any of these commands reads files or machine information.
pub(crate) fn reads_local_data(view: &InvocationView<'_>, sources: &[usize]) -> bool {
    let invocations = sources.iter().filter_map(|&source| view.analysis.invocations.get(source));
    invocations.into_iter().any(|invocation| {
        let program = invocation.program().unwrap_or_default();
        let words: Vec<_> = invocation.arguments().iter().map(Word::shown).collect();
        let is_file =
            |word: &str| word.contains('/') || word.contains('.') && !word.starts_with('.');
        let is_harmless = match program.as_ref() {
            "uname" => words.iter().all(|word| matches!(word.as_ref(), "-m" | "-s" | "-p")),
            "git" => words.first().is_some_and(|word| word == "rev-parse" || word == "describe"),
            // The input of a filter is checked separately.
            program if FILTERS.contains(&program) => {
                invocation.redirects.is_empty()
                    && invocation.input != Input::Inherited
                    && !words.iter().any(|word| is_file(word))
            }
            _ => false,
        };
        let is_read = |redirect: &Redirect| redirect.kind == RedirectKind::Read;
        READERS.contains(&program.as_ref()) && !is_harmless
            || invocation.redirects.iter().any(is_read)
    })
}

/// The host of a URL, of `host:port` or of a bare name.
pub(crate) fn host(address: &Word) -> Host {
    let start = address.known_start();
    let rest = start.split_once("://").map_or(start.as_ref(), |(_, rest)| rest);
    let name_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..name_end];
    let is_cut = name_end == rest.len() && address.text().is_none();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = if host.starts_with('[') {
        host.split_inclusive(']').next().unwrap_or_default()
    } else {
        host.split(':').next().unwrap_or_default()
    };
    let is_number =
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    let is_loopback = LOOPBACK.contains(&host) || host.ends_with(".localhost") || is_number();
    match (is_loopback, is_cut) {
        // A port may be unknown, but a name with an unknown end may be any host.
        (true, false) => Host::Loopback,
        (true, true) if authority.ends_with(':') => Host::Loopback,
        (_, true) => Host::Unknown,
        (false, false) => Host::Elsewhere,
    }
}

/// Whether a word contains variables or the output of other commands.
pub(crate) fn has_output(word: &Word) -> bool {
    word.pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Unknown(Unknown::Output(_) | Unknown::Item(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_begins_like_this_machine_is_not_it() {
        for here in [
            "http://localhost:3000/x",
            "127.0.0.1:80",
            "http://[::1]:8080/",
            "http://user@localhost/",
            "localhost",
        ] {
            assert_eq!(host(&Word::of(here)), Host::Loopback, "{here}");
        }
        for there in [
            "http://localhost.evil.test/",
            "http://localhost@evil.test/",
            "https://evil.test/127.0.0.1",
            "127.0.0.1.evil.test",
        ] {
            assert_eq!(host(&Word::of(there)), Host::Elsewhere, "{there}");
        }
        let cut = Word {
            pieces: vec![Piece::Text("http://localhost".into()), Piece::Unknown(Unknown::Value)],
        };
        assert_eq!(host(&cut), Host::Unknown);
        let port = Word {
            pieces: vec![Piece::Text("http://localhost:".into()), Piece::Unknown(Unknown::Value)],
        };
        assert_eq!(host(&port), Host::Loopback);
    }
}
