//! The three hooks beside this program: there, and of the same version. A run asks the same.

use std::path::Path;

use engine::{HookPrograms, UnfitHook};

use super::check::{Check, Fix, Id};
use crate::guard::Unguarded;

pub(crate) const REINSTALL: &str = "install Ralph anew: its four programs come together";

/// A line for each of them.
pub(crate) fn judge(
    hooks: &HookPrograms,
    unfit: &[UnfitHook],
    unguarded: Unguarded,
    ours: &str,
) -> Vec<Check> {
    let about = |program: &Path| {
        let unfit = unfit.iter().find(|unfit| unfit.program == program);
        let check = match (unfit.map(ToString::to_string), unguarded) {
            (None, _) => Check::ok(Id::Hook, ours),
            (Some(why), Unguarded::Refused) => Check::problem(Id::Hook, why, Fix::todo(REINSTALL)),
            (Some(why), Unguarded::Allowed) => Check::warning(Id::Hook, why, Fix::todo(REINSTALL)),
        };
        check.about(name(program))
    };
    hooks.all().into_iter().map(about).collect()
}

/// Where nobody could ask them.
pub(crate) fn not_checked(hooks: &HookPrograms, why: &str) -> Vec<Check> {
    let line = |program| Check::not_checked(Id::Hook, why).about(name(program));
    hooks.all().into_iter().map(line).collect()
}

fn name(program: &Path) -> String {
    program.file_stem().unwrap_or_default().to_string_lossy().into_owned()
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
        let judged = |unguarded| judge(&hooks, &unfit, unguarded, "0.2.0");
        let [stop, context, command] = &judged(Unguarded::Refused)[..] else { panic!() };
        assert_eq!((context.state, context.title.as_str()), (State::Ok, "context-monitor"));
        for (check, words) in [(stop, "is missing"), (command, "command-guard 0.0.9")] {
            assert_eq!(check.state, State::Problem, "{check:?}");
            assert!(
                check.found.contains("/opt/ralph/") && check.found.contains(words),
                "{check:?}"
            );
            assert!(check.fix.is_some());
        }
        let states = judged(Unguarded::Allowed).into_iter().map(|check| check.state);
        let expected = [State::Warning, State::Ok, State::Warning];
        assert_eq!(states.collect::<Vec<_>>(), expected);
    }
}
