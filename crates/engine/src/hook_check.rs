//! Checks that the hook programs of a run exist and have the runner's version: another version could
//! enforce other rules. Not here: whether an agent calls them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Keeper, StopRequests};

use crate::options::HookPrograms;
use crate::program_call::{ProgramCall, ProgramError, ProgramRunner};

/// Far longer than a program needs to print its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A hook program that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitHook {
    pub program: PathBuf,
    pub why: Unfit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
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
            Unfit::Missing => write!(out, "{program} is missing"),
            Unfit::OtherVersion(said) => {
                let ours = env!("CARGO_PKG_VERSION");
                write!(out, "{program} has another version: \"{said}\", expected {ours}")
            }
            Unfit::Broken(why) => write!(out, "{program} does not print its version: {why}"),
        }
    }
}

fn unfit(program: &Path, keeper: &Keeper, stop: &StopRequests) -> Option<Unfit> {
    if !program.is_file() {
        return Some(Unfit::Missing);
    }
    let folder = program.parent().unwrap_or(program);
    let quick = ProgramRunner { keeper, folder, stop };
    let question = ProgramCall {
        program,
        args: vec!["--version".into()],
        environment: Vec::new(),
        input: Vec::new(),
        limit: PATIENCE,
    };
    match quick.ask(question) {
        Ok(answer) if answer.succeeded() => {
            let name = program.file_stem().unwrap_or_default().to_string_lossy();
            let ours = format!("{name} {}", env!("CARGO_PKG_VERSION"));
            let said = answer.stdout.trim();
            (said != ours).then(|| Unfit::OtherVersion(sanitize::plain(said)))
        }
        Ok(answer) => Some(Unfit::Broken(answer.complaint())),
        Err(ProgramError::NotInstalled) => Some(Unfit::Missing),
        Err(error) => Some(Unfit::Broken(error.to_string())),
    }
}
