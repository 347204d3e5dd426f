//! A session of the real Claude Code with a scripted model: the example in the crate's documentation.

use real_agents::{ClaudeCode, Home};
use simulator::{Script, ScriptedModel, Turn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let claude = ClaudeCode::from_env().ok_or("RALPH_TEST_CLAUDE is not set")?;
    let home = Home::new(&claude)?;
    let model = ScriptedModel::start(Script::new([
        Turn::bash("touch made-by-the-agent"),
        Turn::text("Finished."),
    ]))?;
    let outcome = home.session(&model).prompt("Go on.").run()?;
    assert_eq!(outcome.exit_code, Some(0));
    Ok(())
}
