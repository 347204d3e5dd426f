//! The three hooks beside this program: there, and of the same version. A run asks the same.

use std::path::Path;

use engine::{HookPrograms, UnfitHook};

use super::check::{Check, Fix, Id};

pub(crate) const REINSTALL: &str = "install Ralph anew: its four programs come together";

/// A line for each of them.
pub(crate) fn judge(hooks: &HookPrograms, unfit: &[UnfitHook], ours: &str) -> Vec<Check> {
    let about = |program: &Path| {
        let check = match unfit.iter().find(|unfit| unfit.program == program) {
            None => Check::ok(Id::Hook, ours),
            Some(unfit) => Check::problem(Id::Hook, unfit.to_string(), Fix::todo(REINSTALL)),
        };
        check.about(program.file_stem().unwrap_or_default().to_string_lossy())
    };
    hooks.all().into_iter().map(about).collect()
}

#[cfg(test)]
mod tests {
    use engine::Unfit;

    use super::*;
    use crate::doctor::check::State;

    #[test]
    fn each_that_is_not_of_this_version_stands_in_the_way_and_is_named() {
        let hooks = HookPrograms::in_folder(Path::new("/opt/ralph"));
        let unfit = |program: &Path, why| UnfitHook { program: program.to_path_buf(), why };
        let unfit = [
            unfit(&hooks.stop_guard, Unfit::Missing),
            unfit(&hooks.command_guard, Unfit::OtherVersion("command-guard 0.0.9".into())),
        ];
        let [stop, context, command] = &judge(&hooks, &unfit, "0.2.0")[..] else { panic!() };
        assert_eq!((context.state, context.title.as_str()), (State::Ok, "context-monitor"));
        for (check, words) in [(stop, "is missing"), (command, "command-guard 0.0.9")] {
            assert_eq!(check.state, State::Problem, "{check:?}");
            assert!(
                check.found.contains("/opt/ralph/") && check.found.contains(words),
                "{check:?}"
            );
            assert!(check.fix.is_some());
        }
    }
}
