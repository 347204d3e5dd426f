//! Notices of a whole run, by real ways: a command, and a webhook on loopback.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use events::{LoopEvent, RunEnd};
use project::env::KEPT_BACK;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tiny_http::{Response, Server};

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;
use crate::terminal::Terminal;

/// No notice of these tests takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(180);

/// The address that a notice is posted to, and what arrives there.
fn webhook(status: u16) -> (String, Receiver<Value>) {
    let server = Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook-of-mine", server.server_addr());
    let (sender, posted) = channel();
    std::thread::spawn(move || {
        for mut request in server.incoming_requests() {
            let notice: Value = serde_json::from_reader(request.as_reader()).unwrap();
            let _ = sender.send(notice);
            let _ = request.respond(Response::from_string("").with_status_code(status));
        }
    });
    (url, posted)
}

fn warnings(run: &Outcome<'_>) -> Vec<String> {
    let warnings = run.events.iter().filter_map(|event| match event {
        LoopEvent::Warning { text } if text.contains("notice") => Some(text.clone()),
        _ => None,
    });
    warnings.collect()
}

#[test]
fn a_webhook_gets_one_notification_of_a_finished_run() {
    let (url, posted) = webhook(204);
    let settings = json!({ "notifications": { "webhook": url } });
    let project = Project::new([story("US-001")]).settings(&settings);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let notice = posted.recv_timeout(PATIENCE).unwrap();
    assert_eq!((&notice["kind"], &notice["state"]), (&json!("finished"), &json!("over")));
    assert_eq!((&notice["done"], &notice["stories"]), (&json!(1), &json!(1)));
    assert_eq!(notice["project"], project.tasks()["project"]);
    assert!(posted.try_recv().is_err(), "once");
    assert_eq!(warnings(&run), [""; 0]);
    let record =
        project.read(&format!(".ralph/runs/{}/events.jsonl", notice["run"].as_str().unwrap()));
    assert!(!record.contains("hook-of-mine"));
}

#[test]
fn a_webhook_that_refuses_is_one_warning_without_its_address() {
    let (url, _posted) = webhook(500);
    let settings = json!({ "notifications": { "webhook": url }, "attempts": { "most": 1 } });
    let stories = [story("US-001"), story("US-002")];
    let project = Project::with_checks(stories, ["false"]).settings(&settings);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let [warning] = &warnings(&run)[..] else { panic!("one: {:?}", warnings(&run)) };
    assert!(warning.contains("notifications.webhook: the server answered with status 500"));
    assert!(!warning.contains("hook-of-mine") && !warning.contains("127.0.0.1"), "{warning}");
}

#[test]
fn a_command_gets_attention_and_failure_notifications_unless_silenced() {
    let command = "cat >> ../notices; echo \"$RALPH_NOTICE_KIND\" >> ../kinds";
    let settings = json!({ "notifications": { "command": command }, "attempts": { "most": 1 } });
    let project = Project::with_checks([story("US-001")], ["false"]).settings(&settings);
    project.run(["--no-notify"]).assert_end(RunEnd::StoriesFailed);
    assert!(!project.has("../kinds"));
    project.run(["--fresh"]).assert_end(RunEnd::StoriesFailed);
    assert_eq!(project.read("../kinds"), "story-failed\nfailed\n");
    let first = project.read("../notices");
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(first["story"], "US-001");
}

#[test]
fn the_command_notify_reports_the_result_of_each_channel() {
    let project = Project::new([story("US-001")]);
    let nothing = project.call(&["notify"]);
    assert_eq!(nothing.status.code(), Some(2), "{nothing:?}");
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("hint: set notifications.command"));
    let (url, posted) = webhook(200);
    let project = project.settings(&json!({ "notifications": { "command": "exit 3" } }));
    let mut command = project.command(&program("ralph-loop"));
    let tried =
        command.env("RALPH_WEBHOOK_URL", &url).args(["notify", "--json", "--kind", "stuck"]);
    let tried = tried.output().unwrap();
    assert_eq!(tried.status.code(), Some(1), "{tried:?}");
    let printed: Value = serde_json::from_slice(&tried.stdout).unwrap();
    let state = |at: usize| (&printed["ways"][at]["way"], &printed["ways"][at]["state"]);
    assert_eq!(state(1), (&json!("command"), &json!("failed")));
    assert_eq!(state(2), (&json!("webhook"), &json!("sent")));
    assert_eq!(printed["ways"][1]["why"], "failed with exit code 3");
    assert_eq!(posted.recv_timeout(PATIENCE).unwrap()["kind"], "stuck");
}

/// Both run what an agent wrote.
#[test]
fn neither_agent_nor_check_gets_to_know_the_address_or_a_token() {
    let (url, posted) = webhook(200);
    let secrets: String = KEPT_BACK.map(|name| format!("${name}")).concat();
    let record = &format!("printf %s \"{secrets}\" >> ../seen; echo >> ../seen");
    let scenario = Scenario::new().rule(
        When::mode(Mode::Implement),
        [Act::bash(record), Act::submit("done"), Act::commit("done")],
    );
    let project = Project::with_checks([story("US-001")], [record]).scenario(scenario);
    let agent = program("simulated-agent");
    let mut command = project.command(&program("ralph-loop"));
    // Without a sandbox, which would keep more from them.
    let args = ["run", "--no-sandbox", "--agent-program", agent.to_str().unwrap()];
    command.envs(KEPT_BACK.map(|name| (name, "secret"))).env("RALPH_WEBHOOK_URL", &url);
    let run = command.args(args).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert_eq!(posted.recv_timeout(PATIENCE).unwrap()["kind"], "finished");
    let seen = project.read("../seen");
    assert!(seen.lines().count() >= 2 && seen.trim().is_empty(), "{seen:?}");
}

#[test]
fn a_terminal_rings_at_the_end_and_nothing_rings_where_there_is_none() {
    let project = Project::new([story("US-001")]);
    let agent = program("simulated-agent");
    let command = pty_process::blocking::Command::new(program("ralph-loop"))
        .args(["run", "--sandbox=guard", "--agent-program", agent.to_str().unwrap()])
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path());
    let finished = Terminal::start(command).finish();
    assert_eq!((finished.code, finished.screen.matches('\x07').count()), (Some(0), 1));
    let again = ["run", "--fresh", "--sandbox=guard", "--agent-program"];
    let piped = project.call(&[&again[..], &[agent.to_str().unwrap()]].concat());
    assert!(!piped.stdout.contains(&7) && !piped.stderr.contains(&7), "{piped:?}");
}
