//! A plugin with programs for this platform, added from its folder.

use real_agents::Home;
use simulator::{Script, ScriptedModel, Turn};

use crate::machine::{claude, data};
use crate::staged_plugin::staged;

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn hooks_and_agent_commands_use_its_own_programs() {
    let home = Home::new(&claude()).unwrap();
    let plugin = staged();
    let machine = if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" };
    let own = plugin.path().join("native").join(format!("{}-{machine}", std::env::consts::OS));
    std::fs::create_dir(plugin.path().join("native")).unwrap();
    std::fs::rename(plugin.path().join("target/debug"), &own).unwrap();
    home.install_plugin(plugin.path()).unwrap();

    let asks = Turn::bash("ralph-loop --version >version 2>&1");
    let model = ScriptedModel::start(Script::new([asks])).unwrap();
    let outcome = home.session(&model).run().unwrap();
    let hooks = [
        ("PreToolUse", "command-guard: "),
        ("PostToolUse", "context-monitor: "),
        ("Stop", "stop-guard: "),
    ];
    for (event, hook) in hooks {
        let responses = outcome.hook_responses(event);
        assert_eq!(responses.len(), 1, "{responses:?}");
        assert!(responses[0].stderr.starts_with(hook), "{responses:?}");
    }
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(std::fs::read_link(data(&home).join("native").join(version)).unwrap(), own);
    let answer = std::fs::read_to_string(home.project().join("version")).unwrap();
    assert_eq!(answer, format!("ralph-loop {version}\n"));
}
