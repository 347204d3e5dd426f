//! The plugin that brings the hooks into every session, whatever the user has installed.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::options::GuardSource;
use crate::{RunError, own_file};

/// Carries the name of the real plugin, so that an installed one is replaced and no hook runs twice.
const NAME: &str = "ralph";

/// The folder for `--plugin-dir`.
pub(crate) fn folder(source: &GuardSource, run_dir: &Path) -> PathBuf {
    match source {
        GuardSource::Plugin(plugin) => plugin.clone(),
        GuardSource::Programs { .. } => run_dir.join("plugin"),
    }
}

/// Sees to it that the plugin is there. A generated one is written anew for every session: the agent
/// of the last one could have changed it.
pub(crate) fn provide(source: &GuardSource, run_dir: &Path) -> Result<(), RunError> {
    let GuardSource::Programs { stop_guard, context_monitor } = source else { return Ok(()) };
    let plugin = folder(source, run_dir);
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "The hooks of a running Ralph loop",
    });
    write(&plugin.join(".claude-plugin/plugin.json"), &manifest.to_string())?;
    write(&plugin.join("hooks/hooks.json"), &hooks(stop_guard, context_monitor).to_string())
}

fn hooks(stop_guard: &Path, context_monitor: &Path) -> serde_json::Value {
    let hook = |program: &Path, timeout: u64| {
        json!([{ "hooks": [{
            "type": "command", "command": program.to_string_lossy(), "args": [], "timeout": timeout
        }]}])
    };
    let for_tool = |matcher: &str, mut groups: serde_json::Value| {
        groups[0]["matcher"] = json!(matcher);
        groups
    };
    json!({ "hooks": {
        "SessionStart": hook(context_monitor, 10),
        "PreToolUse": for_tool("StructuredOutput", hook(stop_guard, 60)),
        "PostToolUse": for_tool("*", hook(context_monitor, 10)),
        "Stop": hook(stop_guard, 60),
    }})
}

fn write(path: &Path, contents: &str) -> Result<(), RunError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| own_file::write(path, contents))
        .map_err(|error| RunError::Disk { path: path.display().to_string(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_that_is_there_is_used_where_it_lies() {
        let source = GuardSource::Plugin("/some/plugin".into());
        let nowhere = Path::new("/nowhere");
        provide(&source, nowhere).unwrap();
        assert_eq!(folder(&source, nowhere), Path::new("/some/plugin"));
    }

    #[test]
    fn a_generated_plugin_names_the_programs_and_is_put_right_every_time() {
        let dir = assert_fs::TempDir::new().unwrap();
        let source = GuardSource::Programs {
            stop_guard: "/opt/r alph/stop-guard".into(),
            context_monitor: "/opt/context-monitor".into(),
        };
        provide(&source, dir.path()).unwrap();
        let hooks = folder(&source, dir.path()).join("hooks/hooks.json");
        std::fs::write(&hooks, "{}").unwrap();
        provide(&source, dir.path()).unwrap();
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&hooks).unwrap()).unwrap();
        let command = |event: &str| json["hooks"][event][0]["hooks"][0]["command"].clone();
        assert_eq!(command("Stop"), "/opt/r alph/stop-guard");
        assert_eq!(command("PreToolUse"), "/opt/r alph/stop-guard");
        assert_eq!(command("PostToolUse"), "/opt/context-monitor");
        assert_eq!(command("SessionStart"), "/opt/context-monitor");
    }

    #[test]
    fn a_generated_plugin_is_wired_like_the_one_of_the_repository() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks/hooks.json");
        let declared = std::fs::read_to_string(repository).unwrap();
        let declared = declared.replace("${CLAUDE_PLUGIN_ROOT}/bin/", "/opt/");
        let declared: serde_json::Value = serde_json::from_str(&declared).unwrap();
        let generated = hooks("/opt/stop-guard".as_ref(), "/opt/context-monitor".as_ref());
        assert_eq!(generated, declared);
    }
}
