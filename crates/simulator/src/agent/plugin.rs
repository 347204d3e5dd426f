//! A plugin folder: its name and its hooks, as `hooks/hooks.json` declares them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::command;

/// Timeout of hooks without one of their own.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub(super) struct Plugin {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) root: PathBuf,
    hooks: BTreeMap<String, Vec<HookGroup>>,
}

#[derive(Debug, Clone, Deserialize)]
struct HookGroup {
    #[serde(default)]
    matcher: String,
    hooks: Vec<Hook>,
}

/// With `args` Claude Code starts the program itself, without them a shell.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Hook {
    command: String,
    args: Option<Vec<String>>,
    timeout: Option<u64>,
}

impl Plugin {
    /// A folder without readable hooks is a plugin without hooks.
    pub(super) fn load(root: &Path) -> Self {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let manifest = json_file(&root.join(".claude-plugin/plugin.json"));
        let folder = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let declared = json_file(&root.join("hooks/hooks.json"));
        Self {
            name: manifest["name"].as_str().map_or(folder, str::to_owned),
            version: manifest["version"].as_str().map(str::to_owned),
            root,
            hooks: BTreeMap::deserialize(&declared["hooks"]).unwrap_or_default(),
        }
    }

    /// The hooks for an event; matchers compare `subject`, such as the tool name.
    pub(super) fn hooks(&self, event: &str, subject: &str) -> impl Iterator<Item = &Hook> {
        let groups = self.hooks.get(event).map_or(&[][..], Vec::as_slice);
        let matching = groups.iter().filter(move |group| group.matches(subject));
        matching.flat_map(|group| &group.hooks)
    }

    /// As `system/init` lists it.
    pub(super) fn listing(&self) -> Value {
        json!({
            "name": self.name, "path": self.root, "source": format!("{}@inline", self.name),
            "version": self.version,
        })
    }
}

impl HookGroup {
    fn matches(&self, subject: &str) -> bool {
        matches!(self.matcher.as_str(), "" | "*")
            || self.matcher.split('|').any(|name| name == subject)
    }
}

impl Hook {
    pub(super) fn timeout(&self) -> Duration {
        self.timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs)
    }

    /// The program of the hook, for messages.
    pub(super) fn program(&self, root: &Path, data: &Path) -> String {
        expand(&self.command, root, data)
    }

    pub(super) fn command(&self, root: &Path, data: &Path) -> Command {
        let mut command = match &self.args {
            Some(args) => {
                let mut command = command::program(self.program(root, data));
                command.args(args.iter().map(|arg| expand(arg, root, data)));
                command
            }
            None => command::shell(&self.command),
        };
        command.env("CLAUDE_PLUGIN_ROOT", root).env("CLAUDE_PLUGIN_DATA", data);
        command
    }
}

fn expand(text: &str, root: &Path, data: &Path) -> String {
    text.replace("${CLAUDE_PLUGIN_ROOT}", &root.to_string_lossy())
        .replace("${CLAUDE_PLUGIN_DATA}", &data.to_string_lossy())
}

fn json_file(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plugin(hooks: &Value) -> (tempfile::TempDir, Plugin) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("hooks")).unwrap();
        let file = json!({ "hooks": hooks }).to_string();
        std::fs::write(dir.path().join("hooks/hooks.json"), file).unwrap();
        let plugin = Plugin::load(dir.path());
        (dir, plugin)
    }

    #[test]
    fn matchers_choose_the_hooks() {
        let hook = |name: &str| json!([{"type": "command", "command": name, "args": []}]);
        let (_dir, plugin) = plugin(&json!({
            "PostToolUse": [
                {"matcher": "*", "hooks": hook("every")},
                {"matcher": "Edit|Write", "hooks": hook("files")},
            ],
            "Stop": [{"hooks": hook("stop")}],
        }));
        let names = |event, subject| {
            plugin.hooks(event, subject).map(|hook| hook.command.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names("PostToolUse", "Write"), ["every", "files"]);
        assert_eq!(names("PostToolUse", "Bash"), ["every"]);
        assert_eq!(names("Stop", ""), ["stop"]);
        assert!(names("PreToolUse", "Bash").is_empty());
    }

    #[test]
    fn placeholders_are_expanded_in_command_and_arguments() {
        let (_dir, plugin) = plugin(&json!({"Stop": [{"hooks": [{
            "type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/x",
            "args": ["a b", "${CLAUDE_PLUGIN_DATA}/y"], "timeout": 3,
        }]}]}));
        let hook = plugin.hooks("Stop", "").next().unwrap();
        let command = hook.command(Path::new("/r"), Path::new("/d"));
        assert_eq!(command.get_program(), "/r/bin/x");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["a b", "/d/y"]);
        assert_eq!(hook.timeout(), Duration::from_secs(3));
    }

    #[test]
    fn a_folder_without_hooks_has_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Plugin::load(dir.path()).hooks("Stop", "").count(), 0);
    }
}
