//! A machine with cargo, an empty home, and a marketplace with a plugin in a git repository.

use std::path::PathBuf;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home, Outcome};
use simulator::{Script, ScriptedModel};

use crate::tiny_plugin::{TinyPlugin, write};

pub(crate) const PLUGIN: &str = "ralph";

pub(crate) struct Machine {
    pub(crate) home: Home,
    pub(crate) plugin: TinyPlugin,
}

impl Machine {
    /// Installs the plugin from the committed files, as from a git host.
    pub(crate) fn with_plugin_from_git() -> Self {
        let machine = Self { home: Home::new(&claude()).unwrap(), plugin: TinyPlugin::new() };
        test_repo::init(&machine.plugin.root());
        test_repo::commit_all(&machine.plugin.root());
        // Claude Code takes a URL, in which this folder name would need escaping.
        let repository = machine.plugin.home().join("repository");
        std::os::unix::fs::symlink(machine.plugin.root(), &repository).unwrap();
        let marketplace = machine.plugin.home().join("marketplace");
        let source = serde_json::json!({
            "source": "url", "url": format!("file://{}", repository.display()),
        });
        let catalogue = serde_json::json!({
            "name": PLUGIN, "owner": { "name": "somebody" }, "description": "A marketplace",
            "plugins": [{ "name": PLUGIN, "description": "A plugin", "source": source }],
        });
        write(&marketplace.join(".claude-plugin/marketplace.json"), &catalogue.to_string());
        machine.home.install_plugin(&marketplace).unwrap();
        machine
    }

    pub(crate) fn publish(&self, version: &str) {
        self.plugin.set_version(version);
        test_repo::commit_all(&self.plugin.root());
        self.home.update_plugin(PLUGIN, PLUGIN).unwrap();
    }

    /// Runs a session without work.
    pub(crate) fn session(&self) -> Outcome {
        let model = ScriptedModel::start(Script::new([])).unwrap();
        let session = self.home.session(&model).prompt("Go.").env("PATH", self.plugin.path());
        let outcome = session.run().unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
        outcome
    }

    /// The data folder of the plugin.
    pub(crate) fn data(&self) -> PathBuf {
        data(&self.home)
    }

    pub(crate) fn programs(&self, version: &str) -> PathBuf {
        self.data().join("native").join(version)
    }

    /// The store of the job for this version.
    pub(crate) fn store(&self, version: &str) -> PathBuf {
        self.data().join("native/obtain").join(version)
    }
}

pub(crate) fn data(home: &Home) -> PathBuf {
    home.path().join(".claude/plugins/data").join(format!("{PLUGIN}-{PLUGIN}"))
}

/// The output of the Stop hook of a session.
#[track_caller]
pub(crate) fn stop_hook_said(outcome: &Outcome) -> String {
    let responses = outcome.hook_responses("Stop");
    assert_eq!(responses.len(), 1, "{responses:?}");
    assert_eq!(responses[0].exit_code, Some(0), "{responses:?}");
    responses[0].stdout.clone()
}

pub(crate) fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}
