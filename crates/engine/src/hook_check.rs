//! Whether the hooks of a run are there and of this very version: one of another version could hold
//! a session to other rules than the runner does. Not here: whether an agent calls them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Keeper, StopRequests};

use crate::options::HookPrograms;
use crate::quick::{NoAnswer, Question, Quick};

/// Far longer than a program needs to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A hook that cannot guard anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitHook {
    pub program: PathBuf,
    pub why: Unfit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    Missing,
    /// What it says of itself.
    OtherVersion(String),
    /// It does not say what it is.
    Broken(String),
}

/// All that are wrong; none if every hook answers as this version does.
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
                write!(out, "{program} is not of this version: it says \"{said}\", not {ours}")
            }
            Unfit::Broken(why) => write!(out, "{program} does not say its version: {why}"),
        }
    }
}

fn unfit(program: &Path, keeper: &Keeper, stop: &StopRequests) -> Option<Unfit> {
    if !program.is_file() {
        return Some(Unfit::Missing);
    }
    let folder = program.parent().unwrap_or(program);
    let quick = Quick { keeper, folder, stop };
    let question = Question {
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
        Err(NoAnswer::NotThere) => Some(Unfit::Missing),
        Err(error) => Some(Unfit::Broken(error.to_string())),
    }
}
