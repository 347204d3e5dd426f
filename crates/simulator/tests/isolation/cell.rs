//! A home and a project, with the wall around the sessions in it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use simulator::{Home, Outcome, Script, ScriptedModel, Session, Turn};
use tempfile::TempDir;
use walls::NativeWall;
use walls::native::{GitSettings, with_stand_ins};

pub(crate) struct Cell {
    pub(crate) home: Home,
    /// What else `--settings` says.
    pub(crate) more_settings: Value,
    pub(crate) wall: NativeWall,
    /// What the runner keeps for the session, outside the project.
    desk: TempDir,
}

impl Cell {
    /// The project is a repository without a commit.
    pub(crate) fn new(wall: NativeWall) -> Self {
        let home = Home::new(&crate::claude()).unwrap();
        let project = home.project();
        scratch_repo::init(&project);
        scratch_repo::git(&project, &["config", "user.name", "t"]);
        scratch_repo::git(&project, &["config", "user.email", "t@localhost"]);
        let desk = tempfile::tempdir().unwrap();
        std::fs::write(desk.path().join("ignores"), with_stand_ins("*.mine\n", "")).unwrap();
        Self { home, more_settings: json!({}), wall, desk }
    }

    pub(crate) fn settings(&self) -> Value {
        let ignores = self.desk.path().join("ignores");
        let mut settings = self.wall.settings(&GitSettings { ignores: &ignores, there: 0 }, &[]);
        let more = self.more_settings.as_object().unwrap().clone();
        settings.as_object_mut().unwrap().extend(more);
        settings
    }

    /// A session with the wall around it.
    pub(crate) fn session<'a>(&'a self, model: &'a ScriptedModel) -> Session<'a> {
        self.walled(self.home.session(model))
    }

    pub(crate) fn walled<'a>(&self, session: Session<'a>) -> Session<'a> {
        session.arg("--settings").arg(self.settings().to_string())
    }

    /// The agent's turns, and how its tools answered.
    pub(crate) fn run(&self, turns: impl IntoIterator<Item = Turn>) -> Vec<Answer> {
        let model = ScriptedModel::start(Script::new(turns)).unwrap();
        answers(&self.session(&model).run().unwrap())
    }

    /// In the home, with whatever folders it takes.
    pub(crate) fn put_in_home(&self, name: &str, text: &str) -> PathBuf {
        put(&self.home.path().join(name), text)
    }

    pub(crate) fn put_in_project(&self, name: &str, text: &str) -> PathBuf {
        put(&self.home.project().join(name), text)
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        scratch_repo::git(&self.home.project(), args)
    }
}

fn put(path: &Path, text: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.to_path_buf()
}

/// What a tool told the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) went: Went,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Went {
    Well,
    Wrong,
}

pub(crate) fn answers(outcome: &Outcome) -> Vec<Answer> {
    assert_eq!(outcome.exit_code, Some(0), "{outcome:#?}");
    let users = outcome.events.iter().filter(|event| event["type"] == "user");
    let parts =
        users.flat_map(|event| event["message"]["content"].as_array().into_iter().flatten());
    let results = parts.filter(|part| part["type"] == "tool_result");
    let answer = |result: &Value| Answer {
        text: result["content"].as_str().map_or_else(|| result["content"].to_string(), Into::into),
        went: if result["is_error"] == true { Went::Wrong } else { Went::Well },
    };
    results.map(answer).collect()
}
