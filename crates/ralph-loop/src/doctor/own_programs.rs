//! Ralph's own programs: the three hooks beside this program, which must exist and have its version as in a run, and
//! every ralph-loop in PATH, the first of which a shell starts.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use engine::{HookPrograms, UnfitHook};
use supervise::ProgramRunner;

use super::check::{Check, CheckId, Fix};
use super::version::{self, VersionOutput};
use crate::programs::is_program;

pub(crate) const REINSTALL: &str = "reinstall Ralph: its four programs belong together";

/// One line per hook.
pub(crate) fn judge_hooks(
    hooks: &HookPrograms,
    unfit: &[UnfitHook],
    allow_missing: bool,
    ours: &str,
) -> Vec<Check> {
    let about = |program: &Path| {
        let unfit = unfit.iter().find(|unfit| unfit.program == program);
        let fix = Fix::todo(REINSTALL);
        let check = match unfit.map(ToString::to_string) {
            None => CheckId::Hook.ok(ours),
            Some(why) if allow_missing => CheckId::Hook.warning(why, fix),
            Some(why) => CheckId::Hook.problem(why, fix),
        };
        check.about(name(program))
    };
    hooks.all().into_iter().map(about).collect()
}

/// If programs cannot be started.
pub(crate) fn hooks_not_checked(hooks: &HookPrograms, why: &str) -> Vec<Check> {
    let line = |program| CheckId::Hook.not_checked(why).about(name(program));
    hooks.all().into_iter().map(line).collect()
}

fn name(program: &Path) -> String {
    program.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A `ralph-loop` in PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundProgram {
    path: PathBuf,
    /// `None` for this program.
    version: Option<VersionOutput>,
}

/// In the order of PATH, each file once.
pub(crate) fn look_in_path(this: &Path, runner: &ProgramRunner<'_>) -> Vec<FoundProgram> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for folder in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        let path = folder.join(format!("ralph-loop{EXE_SUFFIX}"));
        let Some(file) = path.canonicalize().ok().filter(|file| is_program(file)) else { continue };
        if !seen.contains(&file) {
            let version = (file != this).then(|| version::ask(&path, runner));
            found.push(FoundProgram { path, version });
            seen.push(file);
        }
    }
    found
}

pub(crate) fn judge_path(named: &[FoundProgram], this: &Path, ours: &str) -> Check {
    let folder = this.parent().unwrap_or(this);
    let Some((first, others)) = named.split_first() else {
        let fix = Fix::run(format!("export PATH={}:\"$PATH\"", super::quoted(folder)));
        return CheckId::InPath.warning("no ralph-loop is in PATH", fix);
    };
    let path = first.path.display();
    let check = match &first.version {
        None => CheckId::InPath.ok(path.to_string()),
        Some(Ok(output)) if *output == format!("ralph-loop {ours}") => {
            CheckId::InPath.ok(format!("{path}, same version as this one"))
        }
        Some(output) => {
            let other = output.as_deref().unwrap_or("unknown version");
            let found = format!("a shell starts {path} ({other}), not this one");
            let folder = folder.display();
            let fix = format!("remove {path}, or put the folder {folder} before it in PATH");
            CheckId::InPath.warning(found, Fix::todo(fix))
        }
    };
    check.with_notes(others.iter().map(|FoundProgram { path, version }| {
        let version = match version {
            None => "this one",
            Some(Ok(output) | Err(output)) => output,
        };
        format!("also in PATH: {} ({version})", path.display())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_missing_or_outdated_hook_is_a_problem() {
        let hooks = HookPrograms::in_folder(Path::new("/opt/ralph"));
        let unfit = |program: &Path, why: &str| UnfitHook {
            program: program.to_path_buf(),
            why: why.into(),
        };
        let unfit = [
            unfit(&hooks.stop_guard, "is missing"),
            unfit(&hooks.command_guard, "has another version: \"command-guard 0.0.9\""),
        ];
        let judged = |allow_missing| judge_hooks(&hooks, &unfit, allow_missing, "0.2.0");
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

    fn found_program(path: &str, version: Option<&str>) -> FoundProgram {
        FoundProgram { path: path.into(), version: version.map(|output| Ok(output.into())) }
    }

    fn judged(named: &[FoundProgram]) -> Check {
        judge_path(named, Path::new("/home/u/ralph/ralph-loop"), "0.2.0")
    }

    #[test]
    fn this_program_or_one_of_its_version_is_fine() {
        let this = found_program("/usr/bin/ralph-loop", None);
        assert_eq!(judged(&[this]).state, CheckState::Ok);
        let same = found_program("/usr/bin/ralph-loop", Some("ralph-loop 0.2.0"));
        assert_eq!(judged(&[same]).state, CheckState::Ok);
    }

    #[test]
    fn another_version_first_is_a_warning_with_both_paths() {
        let old = found_program("/usr/bin/ralph-loop", Some("ralph-loop 0.1.0"));
        let check = judged(&[old, found_program("/x/ralph-loop", None)]);
        assert_eq!(check.state, CheckState::Warning);
        assert!(check.found.contains("/usr/bin/ralph-loop (ralph-loop 0.1.0)"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("the folder /home/u/ralph before it"));
        assert_eq!(check.notes, ["also in PATH: /x/ralph-loop (this one)"]);
    }

    #[test]
    fn the_fix_for_a_missing_program_can_be_pasted() {
        let check = judged(&[]);
        let fix = Some(Fix::run("export PATH=/home/u/ralph:\"$PATH\""));
        assert_eq!((check.state, check.fix), (CheckState::Warning, fix));
        let odd = judge_path(&[], Path::new("/b in $x/ralph-loop"), "0.2.0");
        assert_eq!(odd.fix, Some(Fix::run("export PATH='/b in $x':\"$PATH\"")));
    }
}
