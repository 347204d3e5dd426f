//! What the sandbox of the operating system costs a process tree: the same program, started plainly and in the sandbox
//! that a check of the user who measures would have.

use std::ffi::OsString;
use std::path::Path;

use os_sandbox::bubblewrap::{NewNamespaces, arguments};
use os_sandbox::{Network, Policy, Workplace};
use sandbox_network::entry::Entry;

use crate::launch::Program;
use crate::measure::{Entrant, Scenario};
use crate::toolbox::Toolbox;

/// An empty process takes about a millisecond, and its sandbox may take 20.
const BUDGET: f64 = 20.0;

const BUBBLEWRAP: &str = "/usr/bin/bwrap";

pub(crate) fn scenario(toolbox: &Toolbox, rounds: usize) -> Scenario {
    let empty = toolbox.binary("empty-process").path;
    let plain = toolbox.invocation(Program::new(&empty), &toolbox.folder);
    let confined = confined(toolbox, &empty)
        .map(|program| toolbox.invocation(program, &toolbox.folder))
        .ok_or_else(|| format!("{BUBBLEWRAP} is not here"));
    let entrant =
        |name: &str, budget, invocation| Entrant { name: name.into(), budget, invocation };
    Scenario {
        title: "the sandbox of the operating system".into(),
        sizes: "an empty process, started by itself and in bubblewrap with the rules that a check has here: \
                namespaces, read-only system, private home with its toolchains and caches."
            .into(),
        rounds,
        entrants: vec![
            entrant("empty process", None, Ok(plain)),
            entrant("in the sandbox", Some(BUDGET), confined),
        ],
    }
}

fn confined(toolbox: &Toolbox, program: &Path) -> Option<Program> {
    let ralph_loop = toolbox.binary("ralph-loop").path;
    let workplace = Workplace {
        root: toolbox.folder.to_path_buf(),
        readable: vec![ralph_loop.clone(), program.to_path_buf()],
        home: std::env::home_dir(),
        variables: std::env::vars_os().collect(),
        ..Workplace::default()
    };
    let policy = Policy::of(&workplace, Network::Open);
    let mut args: Vec<OsString> = arguments(&policy, &toolbox.folder, NewNamespaces::Forbidden);
    args.push(ralph_loop.into());
    args.extend(Entry::default().arguments(program.as_os_str(), &[]));
    let bubblewrap = Path::new(BUBBLEWRAP).exists();
    bubblewrap.then(|| Program { path: BUBBLEWRAP.into(), arguments: args })
}
