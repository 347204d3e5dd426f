//! Checks that the hook programs of a run exist and have the runner's version: another version could
//! enforce other rules. Not here: whether an agent calls them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Keeper, ProgramCall, ProgramError, ProgramRunner, StopRequests};

use crate::hooks::programs::HookPrograms;

/// Far longer than a program needs to print its version.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A hook program that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {why}", program.display())]
pub struct UnfitHook {
    pub program: PathBuf,
    /// `is missing`
    pub why: String,
}

/// All unusable hooks; empty if every hook has this version.
pub fn unfit_hooks(
    programs: &HookPrograms,
    keeper: &Keeper,
    stop: &StopRequests,
) -> Vec<UnfitHook> {
    let unfit = programs.all().into_iter().filter_map(|program| {
        let why = unfit(program, keeper, stop)?;
        Some(UnfitHook { program: program.to_path_buf(), why })
    });
    unfit.collect()
}

fn unfit(program: &Path, keeper: &Keeper, stop: &StopRequests) -> Option<String> {
    let missing = || Some("is missing".to_owned());
    let broken = |why: String| Some(format!("does not print its version: {why}"));
    if !program.is_file() {
        return missing();
    }
    let folder = program.parent().unwrap_or(program);
    let runner = ProgramRunner { keeper, folder, stop };
    match runner.run(ProgramCall::new(program, vec!["--version".into()], TIMEOUT)) {
        Ok(answer) if answer.succeeded() => {
            let name = program.file_stem().unwrap_or_default().to_string_lossy();
            let (ours, printed) = (env!("CARGO_PKG_VERSION"), answer.stdout.trim());
            (printed != format!("{name} {ours}")).then(|| {
                let printed = sanitize::plain(printed);
                format!("has another version: \"{printed}\", expected {ours}")
            })
        }
        Ok(answer) => broken(answer.error_text()),
        Err(ProgramError::NotInstalled) => missing(),
        Err(error) => broken(error.to_string()),
    }
}
