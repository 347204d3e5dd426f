//! The three hooks beside this program: there, and of the same version.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use engine::HookPrograms;

use super::ask::{Asker, Said};
use super::check::{Check, Fix, Id};
use crate::programs::is_program;

pub(crate) const REINSTALL: &str = "install Ralph anew: its four programs come together";

const NAMES: [&str; 3] = ["stop-guard", "context-monitor", "command-guard"];

/// A hook as it was found.
pub(crate) struct HookFound {
    name: &'static str,
    path: PathBuf,
    /// What it says of its version; nothing if it is not there.
    said: Option<Said>,
}

pub(crate) fn look(this: &Path, asker: &Asker<'_>) -> Vec<HookFound> {
    NAMES
        .into_iter()
        .map(|name| {
            let path = beside(this, name);
            let said = is_program(&path).then(|| asker.version(&path));
            HookFound { name, path, said }
        })
        .collect()
}

/// Where they should lie, whether they do or not.
pub(crate) fn expected(this: &Path) -> HookPrograms {
    let [stop_guard, context_monitor, command_guard] = NAMES.map(|name| beside(this, name));
    HookPrograms { stop_guard, context_monitor, command_guard }
}

fn beside(this: &Path, name: &str) -> PathBuf {
    this.with_file_name(format!("{name}{EXE_SUFFIX}"))
}

pub(crate) fn judge(hook: &HookFound, ours: &str) -> Check {
    let path = hook.path.display();
    let problem = |found: String| Check::problem(Id::Hook, found, Fix::todo(REINSTALL));
    let check = match &hook.said {
        None => problem(format!("not there: {path}")),
        Some(Err(why)) => problem(format!("{path} does not tell its version: {why}")),
        Some(Ok(said)) if *said == format!("{} {ours}", hook.name) => Check::ok(Id::Hook, ours),
        Some(Ok(said)) => problem(format!("{path} says {said:?}, and this is ralph-loop {ours}")),
    };
    check.about(hook.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::State;

    fn judged(said: Option<Said>) -> Check {
        let path = PathBuf::from("/opt/ralph/stop-guard");
        judge(&HookFound { name: "stop-guard", path, said }, "0.2.0")
    }

    #[test]
    fn a_hook_of_this_version_is_fine() {
        let check = judged(Some(Ok("stop-guard 0.2.0".into())));
        assert_eq!((check.state, check.title.as_str()), (State::Ok, "stop-guard"));
    }

    #[test]
    fn every_other_hook_stands_in_the_way_and_is_named() {
        for (said, words) in [
            (None, "not there"),
            (Some(Ok("stop-guard 0.1.9".into())), "0.1.9"),
            (Some(Ok("context-monitor 0.2.0".into())), "context-monitor"),
            (Some(Err("it took longer than 10 seconds".into())), "longer than 10 seconds"),
        ] {
            let check = judged(said);
            assert_eq!(check.state, State::Problem, "{check:?}");
            assert!(check.found.contains(words), "{check:?}");
            assert!(check.found.contains("/opt/ralph/stop-guard") && check.fix.is_some());
        }
    }
}
