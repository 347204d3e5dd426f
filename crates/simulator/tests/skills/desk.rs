//! A project on which `ralph-loop init` was run, and Claude Code with the plugin in it.

use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use simulator::{
    CLAUDE_PATH_VARIABLE, ClaudeCode, Home, Outcome, Request, Script, ScriptedModel, Session, Turn,
};
use tempfile::TempDir;

use crate::staged_plugin::{built, copy, repository, staged};

/// Where git is, and no `ralph-loop` of the machine's own.
const SEARCH_PATH: &str = "/usr/bin:/bin";

pub(crate) const SKILLS: [&str; 3] = ["ralph-plan", "ralph-setup", "ralph-status"];

pub(crate) struct Desk {
    pub(crate) home: Home,
    pub(crate) plugin: TempDir,
}

/// What came of one session.
pub(crate) struct Talk {
    pub(crate) outcome: Outcome,
    pub(crate) requests: Vec<Request>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let claude = ClaudeCode::from_env();
        let claude = claude.unwrap_or_else(|| panic!("{CLAUDE_PATH_VARIABLE} is not set"));
        let desk = Self { home: Home::new(&claude).unwrap(), plugin: plugin_with_skills() };
        desk.write("package.json", r#"{ "scripts": { "test": "true" } }"#);
        test_repo::init(&desk.project());
        desk.ralph_loop(&["init", "--yes", "--name", "filter"]).success();
        test_repo::commit_all(&desk.project());
        desk
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

    /// The program as the user runs it, in the project.
    pub(crate) fn ralph_loop(&self, args: &[&str]) -> Assert {
        let mut command = assert_cmd::Command::new(built("ralph-loop"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", SEARCH_PATH);
        // Without it nobody can run these tests as root, as in a container.
        command.env("IS_SANDBOX", "1");
        command.args(args).current_dir(self.project()).assert()
    }

    /// A session of these turns that begins with the prompt.
    pub(crate) fn talk(&self, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> Talk {
        self.talk_with(prompt, turns, |session| session.plugin_dir(self.plugin.path()))
    }

    /// The same in a session that is given its plugin, and whatever else, by the caller.
    pub(crate) fn talk_with<'a>(
        &'a self,
        prompt: &str,
        turns: impl IntoIterator<Item = Turn>,
        change: impl FnOnce(Session<'a>) -> Session<'a>,
    ) -> Talk {
        let model = ScriptedModel::start(Script::new(turns)).unwrap();
        let session = self.home.session(&model).env("PATH", SEARCH_PATH).prompt(prompt);
        let session = change(session);
        let outcome = session.run().unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
        Talk { outcome, requests: model.requests() }
    }
}

impl Talk {
    /// The skills that the session knows, those of the plugin only.
    pub(crate) fn skills(&self) -> Vec<&str> {
        let init = self.outcome.events.iter().find(|event| event["subtype"] == "init").unwrap();
        let skills = init["skills"].as_array().unwrap().iter().filter_map(|name| name.as_str());
        let mut ours: Vec<_> = skills.filter_map(|name| name.strip_prefix("ralph:")).collect();
        ours.sort_unstable();
        ours
    }

    /// The last text with these words that was said to the model by then.
    pub(crate) fn heard(&self, request: usize, words: &str) -> &str {
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
    // Other tests do with a stand-in.
    drop(std::fs::remove_file(&program));
    test_repo::place_program(&built("ralph-loop"), &program);
    plugin
}
