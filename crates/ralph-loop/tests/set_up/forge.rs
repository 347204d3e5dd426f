//! A forge on loopback, with the answers of a test.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tiny_http::{Header, Response, Server};

use crate::project::Project;

pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

/// Paths below the repository, with their query, and the answers in order. The last one is repeated.
type Replies = BTreeMap<&'static str, Vec<Reply>>;

pub(crate) struct Forge {
    pub(crate) address: String,
    replies: Arc<Mutex<BTreeMap<String, Vec<Reply>>>>,
    /// `path authorization` of each request, with the body if it has one.
    received: Arc<Mutex<Vec<String>>>,
    /// What requests carried.
    bodies: Arc<Mutex<Vec<Value>>>,
}

pub(crate) fn reply(status: u16, body: &Value) -> Reply {
    Reply { status, headers: Vec::new(), body: body.to_string() }
}

impl Reply {
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

pub(crate) fn issue(number: u64, title: &str, body: &str) -> Value {
    json!({"number": number, "title": title, "body": body, "labels": [{"name": "ralph"}],
        "milestone": {"id": 1, "title": "v1"}, "state": "open", "user": {"login": "mona"},
        "html_url": format!("https://forge.example/acme/shop/issues/{number}")})
}

impl Forge {
    pub(crate) fn new(replies: Replies) -> Self {
        Self::answering(replies.into_iter().map(|(path, it)| (path.to_owned(), it)).collect())
    }

    pub(crate) fn answering(replies: BTreeMap<String, Vec<Reply>>) -> Self {
        let server = Server::http("127.0.0.1:0").unwrap();
        let address = server.server_addr().to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let replies = Arc::new(Mutex::new(replies));
        let (log, known) = (Arc::clone(&received), Arc::clone(&replies));
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let carried = Arc::clone(&bodies);
        std::thread::spawn(move || {
            for mut request in server.incoming_requests() {
                let path = request.url().replacen("/api/v1/repos/acme/shop", "", 1);
                let token = request.headers().iter().find(|it| it.field.equiv("Authorization"));
                let token = token.map(|it| it.value.to_string()).unwrap_or_default();
                let mut body = String::new();
                request.as_reader().read_to_string(&mut body).unwrap();
                carried.lock().unwrap().extend(serde_json::from_str::<Value>(&body));
                let body = if body.is_empty() { body } else { format!(" {body}") };
                log.lock().unwrap().push(format!("{path} {token}{body}"));
                let absent = || reply(404, &json!({"message": "absent"}));
                let mut known = known.lock().unwrap();
                let reply = match known.get_mut(path.as_str()) {
                    Some(left) if left.len() > 1 => left.remove(0),
                    Some(left) => {
                        let Reply { status, headers, body } = &left[0];
                        Reply { status: *status, headers: headers.clone(), body: body.clone() }
                    }
                    None => absent(),
                };
                drop(known);
                let mut response = Response::from_string(reply.body).with_status_code(reply.status);
                for (name, value) in reply.headers {
                    response.add_header(Header::from_bytes(name, value).unwrap());
                }
                let _ = request.respond(response);
            }
        });
        Self { address, replies, received, bodies }
    }

    /// From now on.
    pub(crate) fn answer(&self, replies: BTreeMap<String, Vec<Reply>>) {
        *self.replies.lock().unwrap() = replies;
    }

    pub(crate) fn replace(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().insert(path.to_owned(), vec![reply]);
    }

    /// With these issues, each by its number.
    pub(crate) fn with_issues(issues: &[(&'static str, Value)]) -> Self {
        Self::new(issues.iter().map(|(path, it)| (*path, vec![reply(200, it)])).collect())
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        std::mem::take(&mut self.bodies.lock().unwrap())
    }

    pub(crate) fn received(&self) -> Vec<String> {
        std::mem::take(&mut self.received.lock().unwrap())
    }
}

/// A repository whose remote is at this address; its settings say that it is Forgejo.
pub(crate) fn clone_of(address: &str) -> Project {
    let project = Project::new();
    test_repo::init(&project.root());
    let url = format!("http://someone:s3cret@{address}/acme/shop.git");
    test_repo::git(&project.root(), &["remote", "add", "origin", &url]);
    project.write(".ralph/settings.json", r#"{"forge": {"kind": "forgejo"}}"#);
    project
}

/// With git and curl, but with no token.
pub(crate) fn init(project: &Project, flags: &[&str]) -> Command {
    call(project, &[&["init"], flags].concat())
}

/// Any command, with git and curl, but with no token.
pub(crate) fn call(project: &Project, arguments: &[&str]) -> Command {
    let mut command = project.call(arguments);
    let own = project.root().join("../bin");
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(own).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap()).stdin(Stdio::null());
    command
}

#[track_caller]
pub(crate) fn output(mut command: Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (stdout, stderr) = (text(stdout), text(stderr));
    assert!(!format!("{stdout}{stderr}").contains("s3cret"), "{stdout}{stderr}");
    (status.code(), stdout, stderr)
}

pub(crate) fn program(project: &Project, name: &str, script: &str) {
    project.write(&format!("../bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
    let program = project.root().join("../bin").join(name);
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
}
