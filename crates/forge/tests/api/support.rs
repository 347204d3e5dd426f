//! A forge on loopback that gives recorded answers, and clients for it that use the real `curl`.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use background_sender::SendContext;
use forge::{Client, Curl, ForgeKind, Remote, Repository, Token};
use serde_json::Value;
use supervise::Keeper;
use tiny_http::{Header, Response, Server};

/// Ten times what any of these tests needs.
pub(crate) const FAR: Duration = Duration::from_secs(60);

pub(crate) const TOKEN: &str = "t0ken-of-mine";

pub(crate) const KINDS: [ForgeKind; 3] = [ForgeKind::GitHub, ForgeKind::Forgejo, ForgeKind::GitLab];

/// Of the fixtures.
pub(crate) fn prefix(kind: ForgeKind) -> &'static str {
    match kind {
        ForgeKind::GitHub => "github",
        ForgeKind::Forgejo => "forgejo",
        ForgeKind::GitLab => "gitlab",
    }
}

pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

/// A request that the forge received.
#[derive(Debug)]
pub(crate) struct Received {
    /// `GET /path?query`.
    pub(crate) call: String,
    pub(crate) authorization: String,
    pub(crate) body: Value,
    /// The command lines of all processes during the request.
    pub(crate) processes: String,
}

pub(crate) struct Forge {
    pub(crate) address: String,
    kind: ForgeKind,
    received: Receiver<Received>,
}

pub(crate) fn reply(status: u16, body: &str) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_owned() }
}

pub(crate) fn ok(body: &Value) -> Reply {
    reply(200, &body.to_string())
}

/// A file of `tests/fixtures/`.
pub(crate) fn fixture(name: &str) -> Reply {
    reply(200, &fixture_text(name))
}

pub(crate) fn fixture_text(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

impl Reply {
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

impl Forge {
    /// Answers one request with each of `replies`, then no further one.
    pub(crate) fn new(kind: ForgeKind, replies: Vec<Reply>) -> Self {
        let server = Server::http("127.0.0.1:0").unwrap();
        let address = server.server_addr().to_string();
        let (sender, received) = channel();
        std::thread::spawn(move || {
            for reply in replies {
                let mut request = server.recv().unwrap();
                let mut body = String::new();
                request.as_reader().read_to_string(&mut body).unwrap();
                let authorization =
                    request.headers().iter().find(|header| header.field.equiv("Authorization"));
                let _ = sender.send(Received {
                    call: format!("{} {}", request.method(), request.url()),
                    authorization: authorization.map(|it| it.value.to_string()).unwrap_or_default(),
                    body: serde_json::from_str(&body).unwrap_or_default(),
                    processes: processes(),
                });
                let mut response = Response::from_string(reply.body).with_status_code(reply.status);
                for (name, value) in reply.headers {
                    response.add_header(Header::from_bytes(name, value).unwrap());
                }
                // A client may have ended before the end of the answer.
                let _ = request.respond(response);
            }
        });
        Self { address, kind, received }
    }

    pub(crate) fn repository(&self) -> Repository {
        let remote = Remote::parse(&format!("http://{}/acme/shop.git", self.address)).unwrap();
        Repository::new(&remote, Some(self.kind), None).unwrap()
    }

    pub(crate) fn client(&self) -> Client {
        self.client_with(Some(TOKEN), FAR)
    }

    pub(crate) fn client_with(&self, token: Option<&str>, limit: Duration) -> Client {
        let token = token.map(|token| Token::new(token).unwrap());
        Client::new(self.repository(), token, curl(limit))
    }

    /// The requests that were answered, in order.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.try_iter().collect()
    }

    /// As [`Self::received`], only methods and paths below the repository.
    pub(crate) fn calls(&self) -> Vec<String> {
        let base = match self.kind {
            ForgeKind::GitHub => "/api/v3/repos/acme/shop",
            ForgeKind::Forgejo => "/api/v1/repos/acme/shop",
            ForgeKind::GitLab => "/api/v4/projects/acme%2Fshop",
        };
        self.received().into_iter().map(|it| it.call.replacen(base, "", 1)).collect()
    }
}

pub(crate) fn curl(limit: Duration) -> Curl {
    let keeper = Keeper::at(env!("CARGO_BIN_EXE_forge-test-keeper"));
    let sending = SendContext { limit, ..SendContext::new(keeper, std::env::temp_dir()) };
    Curl { program: curl_program(), sending }
}

fn curl_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("curl")).find(|curl| curl.is_file())
}

fn processes() -> String {
    let Ok(all) = std::fs::read_dir("/proc") else { return String::new() };
    let lines = all.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ") + "\n").collect()
}
