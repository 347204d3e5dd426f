//! Checks that the three hooks beside this program exist and have its version, as a run does.

use std::path::Path;

use engine::{HookPrograms, UnfitHook};

use super::check::{Check, CheckId, Fix};

pub(crate) const REINSTALL: &str = "reinstall Ralph: its four programs belong together";

/// One line per hook.
pub(crate) fn judge(
    hooks: &HookPrograms,
    unfit: &[UnfitHook],
    allow_missing: bool,
    ours: &str,
) -> Vec<Check> {
    let about = |program: &Path| {
        let unfit = unfit.iter().find(|unfit| unfit.program == program);
        let fix = Fix::todo(REINSTALL);
        let check = match unfit.map(ToString::to_string) {
            None => Check::ok(CheckId::Hook, ours),
            Some(why) if allow_missing => Check::warning(CheckId::Hook, why, fix),
            Some(why) => Check::problem(CheckId::Hook, why, fix),
        };
        check.about(name(program))
    };
    hooks.all().into_iter().map(about).collect()
}

/// If programs cannot be started.
pub(crate) fn not_checked(hooks: &HookPrograms, why: &str) -> Vec<Check> {
    let line = |program| Check::not_checked(CheckId::Hook, why).about(name(program));
    hooks.all().into_iter().map(line).collect()
}

fn name(program: &Path) -> String {
    program.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use engine::UnfitReason;

    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_missing_or_outdated_hook_is_a_problem() {
        let hooks = HookPrograms::in_folder(Path::new("/opt/ralph"));
        let unfit = |program: &Path, why| UnfitHook { program: program.to_path_buf(), why };
        let unfit = [
            unfit(&hooks.stop_guard, UnfitReason::Missing),
            unfit(&hooks.command_guard, UnfitReason::OtherVersion("command-guard 0.0.9".into())),
        ];
        let judged = |allow_missing| judge(&hooks, &unfit, allow_missing, "0.2.0");
        let [stop, context, command] = &judged(false)[..] else { panic!() };
        assert_eq!((context.state, context.title.as_str()), (CheckState::Ok, "context-monitor"));
        for (check, words) in [(stop, "is missing"), (command, "command-guard 0.0.9")] {
            assert_eq!(check.state, CheckState::Problem, "{check:?}");
            assert!(
                check.found.contains("/opt/ralph/") && check.found.contains(words),
                "{check:?}"
            );
            assert!(check.fix.is_some());
        }
        let states = judged(true).into_iter().map(|check| check.state);
        let expected = [CheckState::Warning, CheckState::Ok, CheckState::Warning];
        assert_eq!(states.collect::<Vec<_>>(), expected);
    }
}
