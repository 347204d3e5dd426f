//! The command and webhook channels with a real shell, the real `curl` and a server on loopback.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use assert_fs::TempDir;
use background_sender::{BackgroundSender, Endpoint, SendContext, SendError, SendFailure};
use notify::{Channel, Notice, NoticeKind, NotificationSender, QUEUE};
use supervise::Keeper;
use tiny_http::{Header, Response, Server};

/// Ten times what any of these tests needs.
const FAR: Duration = Duration::from_secs(60);

fn sending(folder: &Path) -> SendContext {
    let keeper = Keeper::at(env!("CARGO_BIN_EXE_notify-test-keeper"));
    SendContext { limit: FAR, ..SendContext::new(keeper, folder.to_path_buf()) }
}

fn sender(channels: Vec<Channel>, folder: &Path) -> NotificationSender {
    let destinations = channels.into_iter().map(Channel::destination).collect();
    BackgroundSender::start(destinations, QUEUE, &sending(folder))
}

fn notice(text: &str) -> Notice {
    Notice { text: text.into(), ..Notice::sample(NoticeKind::Stuck) }
}

fn curl() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("curl")).find(|curl| curl.is_file())
}

fn webhook(address: &str) -> Channel {
    Channel::Webhook(Endpoint::new(
        format!("http://{address}/secret-of-mine"),
        Some(curl().unwrap()),
    ))
}

/// A request that the server received.
struct Posted {
    path: String,
    method: String,
    content_type: String,
    body: String,
    /// The command lines of all processes during the request.
    processes: String,
}

/// Answers each request with the next status; `None` never answers.
fn server(answers: Vec<Option<u16>>) -> (String, Receiver<Posted>) {
    let server = Server::http("127.0.0.1:0").unwrap();
    let address = server.server_addr().to_string();
    let (sender, posted) = channel();
    std::thread::spawn(move || {
        let mut unanswered = Vec::new();
        for answer in answers {
            let mut request = server.recv().unwrap();
            let mut body = String::new();
            request.as_reader().read_to_string(&mut body).unwrap();
            let of = |name: &'static str| {
                let header = request.headers().iter().find(|header| header.field.equiv(name));
                header.map(|header| header.value.to_string()).unwrap_or_default()
            };
            let _ = sender.send(Posted {
                path: request.url().to_owned(),
                method: request.method().to_string(),
                content_type: of("Content-Type"),
                body,
                processes: processes(),
            });
            match answer {
                Some(status) => {
                    let elsewhere = Header::from_bytes("Location", "/elsewhere").unwrap();
                    let answer = Response::from_string("ok").with_status_code(status);
                    request.respond(answer.with_header(elsewhere)).unwrap();
                }
                None => unanswered.push(request),
            }
        }
        // Keeps unanswered connections open.
        std::thread::park();
    });
    (address, posted)
}

fn processes() -> String {
    let Ok(all) = std::fs::read_dir("/proc") else { return String::new() };
    let lines = all.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ") + "\n").collect()
}

#[test]
fn a_webhook_gets_the_json_and_no_list_of_processes_shows_the_address() {
    let dir = TempDir::new().unwrap();
    let (address, posted) = server(vec![Some(200)]);
    let notice = notice("a \"quoted\" \\ title, @here & <b> 日本 $(touch x) @file");
    webhook(&address).send(&notice, &sending(dir.path())).unwrap();
    let posted = posted.recv_timeout(FAR).unwrap();
    assert_eq!((posted.method.as_str(), posted.path.as_str()), ("POST", "/secret-of-mine"));
    assert_eq!(posted.content_type, "application/json");
    assert_eq!(posted.body, notice.to_json());
    assert!(!posted.processes.contains("secret-of-mine"), "{}", posted.processes);
    if cfg!(target_os = "linux") {
        assert!(posted.processes.contains("curl -q --config -"), "{}", posted.processes);
    }
}

#[test]
fn a_status_other_than_2xx_is_an_error_and_no_redirect_is_followed() {
    let dir = TempDir::new().unwrap();
    let (address, posted) = server(vec![Some(404), Some(302), Some(500)]);
    for status in [404, 302, 500] {
        let error = webhook(&address).send(&notice("x"), &sending(dir.path())).unwrap_err();
        assert!(matches!(error, SendError::Status(received) if received == status), "{error}");
        assert_eq!(posted.recv_timeout(FAR).unwrap().path, "/secret-of-mine");
    }
}

#[test]
fn a_missing_server_and_a_missing_curl_are_reported_without_the_address() {
    let dir = TempDir::new().unwrap();
    // No process listens on a port that was just released.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = webhook(&free.to_string()).send(&notice("x"), &sending(dir.path())).unwrap_err();
    assert_eq!(error.to_string(), "cannot connect to the server");
    let without = Channel::Webhook(Endpoint::new("http://h/secret-of-mine", None));
    let error = without.send(&notice("x"), &sending(dir.path())).unwrap_err();
    assert!(matches!(error, SendError::NoCurl), "{error}");
    assert!(!format!("{without:?}").contains("secret-of-mine"));
}

#[test]
fn a_server_that_hangs_times_out() {
    let dir = TempDir::new().unwrap();
    let (address, _posted) = server(vec![None]);
    let sending = SendContext { limit: Duration::from_millis(300), ..sending(dir.path()) };
    let error = webhook(&address).send(&notice("x"), &sending).unwrap_err();
    assert_eq!(error.to_string(), "timed out after 0.3 seconds");
}

#[test]
fn the_run_does_not_wait_for_a_server_that_hangs_and_warns_once() {
    let dir = TempDir::new().unwrap();
    let (address, posted) = server(vec![None]);
    let mut sender = sender(vec![webhook(&address)], dir.path());
    let started = Instant::now();
    assert!(sender.send(&notice("first")).is_empty());
    posted.recv_timeout(FAR).unwrap();
    let full: Vec<_> = (0..20).flat_map(|_| sender.send(&notice("more"))).collect();
    assert!(matches!(full[..], [SendFailure { destination: "webhook", why: SendError::TooMany }]));
    assert!(sender.failures().is_empty(), "nothing has failed yet");
    let rest = sender.close(Duration::from_millis(100), || true);
    assert!(rest.is_empty(), "already reported: {rest:?}");
    assert!(started.elapsed() < FAR / 4, "{:?}", started.elapsed());
}

#[test]
fn close_waits_for_pending_notices_and_reports_those_that_take_too_long() {
    let dir = TempDir::new().unwrap();
    let command = |line: &str| vec![Channel::Command(line.into())];
    let mut sender = sender(command("cat > \"$RALPH_NOTICE_KIND\""), dir.path());
    sender.send(&notice("last"));
    assert!(sender.close(FAR, || true).is_empty());
    assert!(dir.path().join("stuck").is_file());
    let mut sender = crate::sender(command("sleep 600"), dir.path());
    sender.send(&notice("last"));
    let late = sender.close(Duration::from_millis(100), || true);
    assert!(
        matches!(late[..], [SendFailure { destination: "command", why: SendError::OutOfTime }]),
        "{late:?}"
    );
}

#[test]
fn the_wait_at_the_end_can_be_cancelled() {
    let dir = TempDir::new().unwrap();
    let mut sender = sender(vec![Channel::Command("sleep 600".into())], dir.path());
    sender.send(&notice("last"));
    let (started, mut asked) = (Instant::now(), 0);
    sender.close(FAR, || {
        asked += 1;
        asked < 2
    });
    assert!(started.elapsed() < FAR / 2, "{:?}", started.elapsed());
}

#[test]
fn a_command_gets_json_and_variables_and_nothing_of_a_title_is_run() {
    let dir = TempDir::new().unwrap();
    let evil = "$(touch pwned) `touch pwned` \"; touch pwned; ' touch pwned '";
    let notice = Notice { title: Some(evil.into()), ..notice(evil) };
    let line = "cat > json; printf %s \"$RALPH_NOTICE_TEXT\" > text";
    Channel::Command(line.into()).send(&notice, &sending(dir.path())).unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!((read("json"), read("text")), (notice.to_json() + "\n", evil.to_owned()));
    assert!(!dir.path().join("pwned").exists());
}

#[test]
fn a_command_that_fails_is_reported_with_its_exit_code() {
    let dir = TempDir::new().unwrap();
    let fails = Channel::Command("echo no such host >&2; exit 3".into());
    let error = fails.send(&notice("x"), &sending(dir.path())).unwrap_err();
    assert!(
        matches!(&error, SendError::Code { code: 3, stderr } if stderr == "no such host"),
        "{error:?}"
    );
    assert!(!error.to_string().contains("host"), "only for `ralph-loop notify`");
}
