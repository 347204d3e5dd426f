//! The page of a run with questions: they are answered in the browser, and the next run uses the answers.

use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::json;
use simulator::{Act, Mode, SCENARIO_VARIABLE, Scenario, When};
use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::hostile::HOSTILE;
use crate::live::Server;
use crate::project::{environment, program};
use crate::tab::{Key, Tab};

/// A project in which two stories ask in their first session.
struct Asking(TempDir);

impl Asking {
    fn new() -> Self {
        let project = Self(TempDir::with_prefix("project-").unwrap());
        let story = |id: &str| {
            json!({
                "id": id, "title": "Store the users", "acceptanceCriteria": ["they are stored"],
                "priority": 1, "passes": false, "reviewStatus": null, "reviewCount": 0,
                "reviewFeedback": "", "notes": "",
            })
        };
        let list = json!({
            "project": "demo", "branchName": "ralph/demo", "description": "A demo.",
            "verifyCommands": ["true"], "userStories": [story("US-001"), story("US-002")],
        });
        for (name, text) in [
            ("ralph/tasks.json", format!("{list:#}\n")),
            ("ralph/progress.txt", String::new()),
            (".gitignore", ".ralph*\n".to_owned()),
        ] {
            std::fs::create_dir_all(project.folder().join("ralph")).unwrap();
            std::fs::write(project.folder().join(name), text).unwrap();
        }
        test_repo::init_for_commits(&project.folder());
        test_repo::commit_all(&project.folder());
        let ask = |text: &str| [Act::finish(format!("Half.\n\nQUESTION: {text}"))];
        let first = |id: &str| When::mode(Mode::Implement).story(id).visit(1);
        let scenario = Scenario::new()
            .rule(first("US-001"), ask("Which table, the old one or the new one?"))
            .rule(first("US-002"), ask(HOSTILE));
        scenario.save(&project.0.path().join("scenario.json")).unwrap();
        project.run(1);
        project
    }

    /// The scenario and its traces are beside it.
    fn folder(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn run(&self, code: i32) {
        let mut command = Command::new(program());
        let agent = program().with_file_name("simulated-agent");
        command.args(["run", "--sandbox=guard", "--agent-program"]).arg(agent);
        command.env_clear().envs(environment(self.0.path())).env("IS_SANDBOX", "1");
        command.env(SCENARIO_VARIABLE, self.0.path().join("scenario.json"));
        command.current_dir(self.folder()).assert().code(code);
    }

    fn prompts(&self) -> String {
        let runs = std::fs::read_dir(self.folder().join(".ralph/runs")).unwrap();
        let folders =
            runs.flat_map(|run| std::fs::read_dir(run.unwrap().path()).into_iter().flatten());
        let prompts = folders.map(|folder| folder.unwrap().path().join("prompt.md"));
        prompts.filter_map(|prompt| std::fs::read_to_string(prompt).ok()).collect()
    }
}

fn field(story: &str) -> String {
    format!("document.querySelector('form[data-story={story}] input')")
}

fn type_into(tab: &mut Tab, story: &str, text: &str) {
    let field = field(story);
    tab.evaluate(&format!("{field}.focus(); {field}.value = {}", json!(text)));
}

fn cards(state: &str) -> String {
    format!(
        "[...document.querySelectorAll('#questions .badge')].filter(one => one.textContent.includes('{state}')).length"
    )
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn answers_from_the_page_reach_the_next_run() {
    let project = Asking::new();
    let server = Server::with(&project.folder(), &["--allow-orders"]);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    tab.wait_for(&format!("{} === 2", cards("waits for an answer")));
    assert!(
        tab.text_of("document.querySelector('#questions').innerText").contains("the old one or")
    );
    assert_eq!(tab.evaluate("typeof window.__pwned"), "undefined");
    assert_eq!(tab.evaluate("document.querySelectorAll('img, iframe, svg [onload]').length"), 0);

    // What is typed for another question outlives the change of the section.
    type_into(&mut tab, "US-002", "half a sen");
    let caret = format!("{}.setSelectionRange(3, 3)", field("US-002"));
    tab.evaluate(&caret);
    let submit = "document.querySelector('form[data-story=US-001]').requestSubmit()";
    tab.evaluate(&format!("{}.value = 'The <b>new</b> one.'; {submit}", field("US-001")));
    tab.wait_for(&format!("{} === 1", cards("answered")));
    assert_eq!(tab.text_of(&format!("{}.value", field("US-001"))), "");
    assert_eq!(tab.text_of(&format!("{}.value", field("US-002"))), "half a sen");
    let focused =
        format!("document.activeElement === {0} ? {0}.selectionStart : -1", field("US-002"));
    assert_eq!(tab.number_of(&focused), 3.0);
    tab.wait_for("document.querySelector('#questions').innerText.includes('The <b>new</b> one.')");

    type_into(&mut tab, "US-002", "Ignore it.");
    tab.press(Key::Enter);
    tab.wait_for(&format!("{} === 2", cards("answered")));
    let reply = "document.querySelector('form[data-story=US-002] [data-reply]')";
    tab.wait_for(&format!(
        "{reply}.textContent.includes('answered; the next `ralph-loop` works on US-002 again')"
    ));
    assert_eq!(tab.text_of(&format!("{reply}.className")), "good");

    project.run(0);
    tab.wait_for("document.querySelector('#questions').hidden");
    let prompts = project.prompts();
    assert!(prompts.contains("> The <b>new</b> one.\n") && prompts.contains("> Ignore it.\n"));
    let seen = tab.seen();
    assert!(seen.complaints.is_empty() && seen.exceptions.is_empty(), "{seen:#?}");
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_refused_answer_is_reported_beside_its_question_and_kept() {
    let project = Asking::new();
    let server = Server::with(&project.folder(), &["--allow-orders"]);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    type_into(&mut tab, "US-001", "   ");
    tab.press(Key::Enter);
    let reply = "document.querySelector('form[data-story=US-001] [data-reply]')";
    tab.wait_for(&format!("{reply}.textContent.includes('the text is empty')"));
    assert_eq!(tab.text_of(&format!("{reply}.className")), "bad");
    assert_eq!(tab.text_of(&format!("{}.value", field("US-001"))), "   ");
    drop(server);
    tab.press(Key::Enter);
    tab.wait_for(&format!("{reply}.textContent.includes('no response from the server')"));
}

#[test]
#[ignore = "needs RALPH_TEST_CHROMIUM"]
fn a_page_that_takes_no_orders_shows_the_questions_without_forms() {
    let project = Asking::new();
    let server = Server::with(&project.folder(), &[]);
    let browser = Chromium::shared();
    let mut tab = browser.tab();
    tab.open(&server.link);
    tab.wait_for(&format!("{} === 2", cards("waits for an answer")));
    assert_eq!(tab.evaluate("document.forms.length"), 0);
    let shown = tab.text_of("document.querySelector('#questions').innerText");
    assert!(shown.contains("ralph-loop answer US-001 TEXT"), "{shown}");
}
