//! Checks that the hook programs of a run exist and have the runner's version: another version could
//! enforce other rules. Not here: whether an agent calls them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Keeper, ProgramCall, ProgramError, ProgramRunner, StopRequests};

use crate::hooks::programs::HookPrograms;

/// Far longer than a program needs to print its version.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A hook program that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitHook {
    pub program: PathBuf,
    pub why: UnfitReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfitReason {
    Missing,
    /// The version that it prints.
    OtherVersion(String),
    /// It does not print a version.
    Broken(String),
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

impl fmt::Display for UnfitHook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.display();
        match &self.why {
            UnfitReason::Missing => write!(out, "{program} is missing"),
            UnfitReason::OtherVersion(found) => {
                let ours = env!("CARGO_PKG_VERSION");
                write!(out, "{program} has another version: \"{found}\", expected {ours}")
            }
            UnfitReason::Broken(why) => write!(out, "{program} does not print its version: {why}"),
        }
    }
}

fn unfit(program: &Path, keeper: &Keeper, stop: &StopRequests) -> Option<UnfitReason> {
    if !program.is_file() {
        return Some(UnfitReason::Missing);
    }
    let folder = program.parent().unwrap_or(program);
    let runner = ProgramRunner { keeper, folder, stop };
    let call = ProgramCall {
        program,
        args: vec!["--version".into()],
        environment: Vec::new(),
        input: Vec::new(),
        limit: TIMEOUT,
    };
    match runner.run(call) {
        Ok(answer) if answer.succeeded() => {
            let name = program.file_stem().unwrap_or_default().to_string_lossy();
            let ours = format!("{name} {}", env!("CARGO_PKG_VERSION"));
            let printed = answer.stdout.trim();
            (printed != ours).then(|| UnfitReason::OtherVersion(sanitize::plain(printed)))
        }
        Ok(answer) => Some(UnfitReason::Broken(answer.error_text())),
        Err(ProgramError::NotInstalled) => Some(UnfitReason::Missing),
        Err(error) => Some(UnfitReason::Broken(error.to_string())),
    }
}
