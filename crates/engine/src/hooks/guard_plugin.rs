//! The plugin that adds the hooks to every session, independent of what the user has installed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::hooks::programs::HookPrograms;
use crate::{RunError, own_file};

/// The name of the real plugin, so that it replaces an installed one and no hook runs twice.
const NAME: &str = "ralph";

/// Tools that run a command or write a file.
const GUARDED_TOOLS: &str = "Bash|Monitor|PowerShell|Write|Edit|MultiEdit|NotebookEdit";

/// The hook timeout in Claude Code.
pub const HOOK_TIME: Duration = Duration::from_secs(10);
/// Longer, because it calls git.
pub const STOP_GUARD_TIME: Duration = Duration::from_secs(60);

/// The folder for `--plugin-dir`. Each lane has its own: lanes write it at the same time.
pub(crate) fn folder(run_dir: &Path, lane: Option<u64>) -> PathBuf {
    match lane {
        Some(lane) => run_dir.join(format!("plugin-lane-{lane}")),
        None => run_dir.join("plugin"),
    }
}

/// Written again for every session, because the agent of the last one could have changed it.
pub fn write_plugin(programs: &HookPrograms, plugin: &Path) -> Result<(), RunError> {
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "The hooks of a running Ralph loop",
    });
    write(&plugin.join(".claude-plugin/plugin.json"), &manifest.to_string())?;
    write(&plugin.join("hooks/hooks.json"), &hooks(programs).to_string())
}

fn hooks(programs: &HookPrograms) -> serde_json::Value {
    let HookPrograms { stop_guard, context_monitor, command_guard } = programs;
    let hook = |program: &Path, timeout: Duration| {
        json!([{ "hooks": [{
            "type": "command", "command": program.to_string_lossy(), "args": [],
            "timeout": timeout.as_secs(),
        }]}])
    };
    let for_tools = |matcher: &str, mut groups: serde_json::Value| {
        groups[0]["matcher"] = json!(matcher);
        groups
    };
    let before_tools = [
        for_tools(GUARDED_TOOLS, hook(command_guard, HOOK_TIME)),
        for_tools("StructuredOutput", hook(stop_guard, STOP_GUARD_TIME)),
    ];
    let before_tools: Vec<_> =
        before_tools.into_iter().map(|mut groups| groups[0].take()).collect();
    json!({ "hooks": {
        "SessionStart": hook(context_monitor, HOOK_TIME),
        "PreToolUse": before_tools,
        "PostToolUse": for_tools("*", hook(context_monitor, HOOK_TIME)),
        "Stop": hook(stop_guard, STOP_GUARD_TIME),
    }})
}

fn write(path: &Path, contents: &str) -> Result<(), RunError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| own_file::write(path, contents))
        .map_err(RunError::disk(path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_has_a_plugin_of_its_own() {
        let folders = [None, Some(1), Some(2)].map(|lane| folder(Path::new("run"), lane));
        assert!(folders[0] != folders[1] && folders[1] != folders[2], "{folders:?}");
    }

    #[test]
    fn a_generated_plugin_names_the_programs_and_is_put_right_every_time() {
        let dir = assert_fs::TempDir::new().unwrap();
        let programs = HookPrograms::in_folder(Path::new("/opt/r alph"));
        let plugin = folder(dir.path(), None);
        write_plugin(&programs, &plugin).unwrap();
        let hooks = plugin.join("hooks/hooks.json");
        std::fs::write(&hooks, "{}").unwrap();
        write_plugin(&programs, &plugin).unwrap();
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&hooks).unwrap()).unwrap();
        let command = |event: &str| json["hooks"][event][0]["hooks"][0]["command"].clone();
        assert_eq!(command("Stop"), "/opt/r alph/stop-guard");
        assert_eq!(command("PreToolUse"), "/opt/r alph/command-guard");
        assert_eq!(command("PostToolUse"), "/opt/r alph/context-monitor");
        assert_eq!(command("SessionStart"), "/opt/r alph/context-monitor");
    }

    /// Except for the step that installs the programs: a loop uses its own.
    #[test]
    fn a_generated_plugin_is_wired_like_the_one_of_the_repository() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks/hooks.json");
        let declared = std::fs::read_to_string(repository).unwrap();
        let declared = declared.replace("${CLAUDE_PLUGIN_ROOT}/bin/", "/opt/");
        let mut declared: serde_json::Value = serde_json::from_str(&declared).unwrap();
        let provided = declared["hooks"]["SessionStart"].as_array_mut().unwrap().remove(0);
        let script = &provided["hooks"][0]["args"][0];
        assert_eq!(script, "${CLAUDE_PLUGIN_ROOT}/scripts/provide.sh");
        let generated = hooks(&HookPrograms::in_folder(Path::new("/opt")));
        assert_eq!(generated, declared);
    }
}
