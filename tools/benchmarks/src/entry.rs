//! The cost of an entry of the plugin's `bin/` in addition to its program, as in an installed
//! plugin.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::hook_answer::HookAnswer;
use crate::launch::{Invocation, Program};
use crate::measure::{Entrant, Scenario};
use crate::toolbox::{STOP_GUARD, Toolbox, check_answer};

/// A hook takes about a millisecond; its entry may add one.
const BUDGET: f64 = 2.0;

pub(crate) fn scenario(toolbox: &Toolbox, rounds: usize) -> Result<Scenario, Box<dyn Error>> {
    let native = toolbox.binary(STOP_GUARD.name);
    let data = toolbox.folder.join("plugin-data");
    let provided = data.join("native").join(env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&provided)?;
    fs::copy(&native.path, provided.join(STOP_GUARD.name))?;
    let entry = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bin").join(STOP_GUARD.name);
    let setting = |program: Program| -> Result<Invocation, Box<dyn Error>> {
        let mut invocation = toolbox.invocation(program, &toolbox.folder);
        invocation.env.push(("CLAUDE_PLUGIN_DATA".to_owned(), data.clone().into_os_string()));
        check_answer(STOP_GUARD.name, "no loop runs", HookAnswer::Silence, &invocation)?;
        Ok(invocation)
    };
    let entrant = |name: &str, budget, program| -> Result<Entrant, Box<dyn Error>> {
        Ok(Entrant { name: name.into(), budget, invocation: Ok(setting(program)?) })
    };
    Ok(Scenario {
        title: "an entry of the plugin's bin/".into(),
        sizes:
            "stop-guard where no loop runs, started by itself and by `bin/stop-guard`, which finds \
                it in the plugin's data folder."
                .into(),
        rounds,
        entrants: vec![
            entrant("stop-guard", None, native)?,
            entrant("bin/stop-guard", Some(BUDGET), Program::new(entry))?,
        ],
    })
}
