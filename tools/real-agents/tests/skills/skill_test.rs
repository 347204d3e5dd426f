//! A project after `ralph-loop init`, and Claude Code with the plugin.

use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home, Outcome, Session};
use simulator::{Request, Script, ScriptedModel, Turn};
use tempfile::TempDir;

use crate::staged_plugin::{built, copy, repository, staged};

/// A PATH with git and without an installed `ralph-loop`.
const SEARCH_PATH: &str = "/usr/bin:/bin";

pub(crate) const SKILLS: [&str; 3] = ["ralph-plan", "ralph-setup", "ralph-status"];

pub(crate) struct SkillTest {
    pub(crate) home: Home,
    pub(crate) plugin: TempDir,
}

/// The result of one session.
pub(crate) struct SessionLog {
    pub(crate) outcome: Outcome,
    pub(crate) requests: Vec<Request>,
}

impl SkillTest {
    pub(crate) fn new() -> Self {
        let claude = ClaudeCode::from_env();
        let claude = claude.unwrap_or_else(|| panic!("{CLAUDE_PATH_VARIABLE} is not set"));
        let skill_test = Self { home: Home::new(&claude).unwrap(), plugin: plugin_with_skills() };
        skill_test.write("package.json", r#"{ "scripts": { "test": "true" } }"#);
        test_repo::init(&skill_test.project());
        skill_test.ralph_loop(&["init", "--yes", "--name", "filter"]).success();
        test_repo::commit_all(&skill_test.project());
        skill_test
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.project()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.project().join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// The program as the user runs it in the project.
    pub(crate) fn ralph_loop(&self, args: &[&str]) -> Assert {
        let mut command = assert_cmd::Command::new(built("ralph-loop"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", SEARCH_PATH);
        // Needed to run as root, as in a container.
        command.env("IS_SANDBOX", "1");
        command.args(args).current_dir(self.project()).assert()
    }

    /// A session with this prompt and these turns.
    pub(crate) fn run(&self, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> SessionLog {
        self.run_with(prompt, turns, |session| session.plugin_dir(self.plugin.path()))
    }

    /// The same with a plugin and options of the caller.
    pub(crate) fn run_with<'a>(
        &'a self,
        prompt: &str,
        turns: impl IntoIterator<Item = Turn>,
        change: impl FnOnce(Session<'a>) -> Session<'a>,
    ) -> SessionLog {
        let model = ScriptedModel::start(Script::new(turns)).unwrap();
        let session = self.home.session(&model).env("PATH", SEARCH_PATH).prompt(prompt);
        let session = change(session);
        let outcome = session.run().unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
        SessionLog { outcome, requests: model.requests() }
    }
}

impl SessionLog {
    /// The plugin's skills in the session.
    pub(crate) fn skills(&self) -> Vec<&str> {
        let init = self.outcome.events.iter().find(|event| event["subtype"] == "init").unwrap();
        let skills = init["skills"].as_array().unwrap().iter().filter_map(|name| name.as_str());
        let mut ours: Vec<_> = skills.filter_map(|name| name.strip_prefix("ralph:")).collect();
        ours.sort_unstable();
        ours
    }

    /// The last text for the model that contains this, up to this request.
    pub(crate) fn text_for_model(&self, request: usize, words: &str) -> &str {
        let texts = self.requests[request].user_texts();
        let found = texts.iter().rfind(|text| text.contains(words));
        found.unwrap_or_else(|| panic!("{words:?} is not in {texts:#?}"))
    }
}

pub(crate) fn skill_file(name: &str) -> PathBuf {
    Path::new("skills").join(name).join("SKILL.md")
}

fn plugin_with_skills() -> TempDir {
    let plugin = staged();
    for name in SKILLS.map(skill_file).into_iter().chain(["bin/ralph-loop".into()]) {
        copy(&repository().join(&name), &plugin.path().join(&name));
    }
    let program = plugin.path().join("target/debug/ralph-loop");
    // Other tests use a stand-in.
    drop(std::fs::remove_file(&program));
    test_repo::place_program(&built("ralph-loop"), &program);
    plugin
}
