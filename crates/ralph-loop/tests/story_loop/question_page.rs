//! The live page of a run with a question: it shows the question, and takes the answer only if it may.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use events::RunEnd;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::stories::story;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Ends with the test.
struct Server {
    child: Child,
    port: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where these tests start the server"
    )]
    fn start(project: &Project, more: &[&str]) -> Self {
        let mut command = Command::new(program("ralph-loop"));
        command.args(["serve", "--json"]).args(more).current_dir(project.path()).env_clear();
        command.envs(project.environment()).env("RALPH_SERVE_TOKEN", TOKEN);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let link: Value = serde_json::from_str(&line).unwrap();
        Self { child, port: link["port"].as_u64().unwrap() }
    }

    /// Returns the status and the body.
    fn send(&self, line: &str, headers: &str, body: &str) -> (u16, String) {
        let port = self.port;
        let mut stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = match body.len() {
            0 => String::new(),
            length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
        };
        let head = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}{length}\r\n");
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn page(&self) -> String {
        let (status, page) = self.send("GET /", &bearer(), "");
        assert_eq!(status, 200);
        page
    }

    fn post(&self, headers: &str, number: u64, text: &str) -> (u16, String) {
        let order = json!({"kind": "answer", "story": "US-001", "question": number, "text": text});
        self.send("POST /orders", headers, &order.to_string())
    }
}

fn bearer() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

fn asked() -> Project {
    let question = "QUESTION: Which <table>?\n<script>alert(1)</script>";
    let ask = [Act::write("half.txt", "half\n"), Act::commit("half"), Act::finish(question)];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), ask);
    let project = Project::new([story("US-001")]).scenario(scenario);
    project.run([]).assert_end(RunEnd::QuestionsOpen);
    project
}

#[test]
fn without_allow_orders_the_page_shows_the_question_and_takes_no_answer() {
    let project = asked();
    let server = Server::start(&project, &[]);
    let page = server.page();
    assert_text(&page, contains("Which &lt;table&gt;?\n&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_text(&page, contains("ralph-loop answer US-001 TEXT"));
    assert_text(&page, contains("<form").not());
    let (status, refused) = server.post(&bearer(), 1, "The new one.");
    assert_eq!(status, 403, "{refused}");
    assert_text(&refused, contains("--allow-orders"));
    project.run([]).assert_end(RunEnd::QuestionsOpen);
}

#[test]
fn with_allow_orders_an_answer_from_the_page_puts_the_story_back_in_line() {
    let project = asked();
    let server = Server::start(&project, &["--allow-orders"]);
    assert_text(&server.page(), contains("data-story=\"US-001\" data-question=\"1\""));
    let cookie = format!("Cookie: ralph-{}={TOKEN}\r\n", server.port);
    let foreign = format!("{cookie}Origin: http://evil.example\r\n");
    for (headers, status) in [(String::new(), 401), (cookie.clone(), 403), (foreign, 403)] {
        assert_eq!(server.post(&headers, 1, "Approve it.").0, status, "{headers}");
    }
    let own = format!("{cookie}Origin: http://127.0.0.1:{}\r\n", server.port);
    for (number, text, why) in [
        (2, "x".to_owned(), "US-001 has no such question"),
        (1, " ".to_owned(), "the text is empty"),
        (1, "x".repeat(4_001), "the text has 4001 characters, more than the limit of 4000"),
    ] {
        let (status, refused) = server.post(&own, number, &text);
        assert_eq!(status, 409, "{refused}");
        assert_text(&refused, contains(why).and(contains("hint")));
    }
    assert!(server.page().contains("waits for an answer"));

    let (status, reply) = server.post(&own, 1, "The <new> one.");
    assert_eq!(status, 200, "{reply}");
    let reply: Value = serde_json::from_str(&reply).unwrap();
    let text = "answered; the next `ralph-loop` works on US-001 again";
    assert_eq!((&reply["text"], &reply["answer"]), (&json!(text), &json!("given")));
    assert_text(
        &server.page(),
        contains("You can still replace it:").and(contains("The &lt;new&gt; one.")),
    );
    let status = String::from_utf8(project.call(&["status"]).stdout).unwrap();
    assert_text(&status, contains("asks:").not());

    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_text(&run.prompt(1), contains("The user answered:\n\n> The <new> one.\n"));
    let (status, late) = server.post(&own, 1, "The old one.");
    assert_eq!(status, 409, "{late}");
    assert_text(&late, contains("a session has the answer"));
    assert_text(&server.page(), contains("class=\"answer\"").not());
}

#[test]
fn the_page_of_an_older_run_takes_no_answer() {
    let project = asked();
    let older = project.state()["runId"].as_str().unwrap().to_owned();
    project.run(["--fresh"]).assert_end(RunEnd::QuestionsOpen);
    let server = Server::start(&project, &["--allow-orders", &older]);
    let page = server.page();
    assert_text(&page, contains("Which &lt;table&gt;?").and(contains("class=\"answer\"").not()));
    let server = Server::start(&project, &["--allow-orders"]);
    assert_text(&server.page(), contains("class=\"answer\""));
}
