//! How a check is started: a shell command in the project's folder. Also how it ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use events::CheckOutcome;
use project::env;
use supervise::{
    EndReason, Ended, Exit, Keeper, Launch, Limits, Orphans, PoliteSignal, Recipient, Shell,
    SoftLimits, Stdout,
};

use crate::options::LaneVariables;

const LONGEST_LINE: usize = 1024 * 1024;

pub(crate) fn check_launch(
    keeper: &Keeper,
    root: &Path,
    command: &str,
    limits: Limits,
    lane: Option<LaneVariables>,
) -> Launch {
    let shell = Shell::of_this_system();
    let args = vec![shell.flag.into(), command.into()];
    // Code written by the agent may run here.
    let kept_back = env::KEPT_BACK.map(|name| (name.into(), None));
    let of_lane = lane.into_iter().flat_map(LaneVariables::environment);
    let of_lane = of_lane.map(|(name, value)| (name.into(), Some(value.into())));
    Launch {
        environment: kept_back.into_iter().chain(of_lane).collect(),
        ..plain_launch(keeper, root, shell.program.into(), args, limits)
    }
}

/// A program in the project's folder, with the inherited environment and without input.
pub(crate) fn plain_launch(
    keeper: &Keeper,
    root: &Path,
    program: PathBuf,
    args: Vec<OsString>,
    limits: Limits,
) -> Launch {
    Launch {
        keeper: keeper.clone(),
        program,
        args,
        environment: Vec::new(),
        folder: root.to_path_buf(),
        input: Vec::new(),
        limits,
        polite: PoliteSignal::Terminate,
        recipient: Recipient::Child,
        stdout: Stdout::Pipe,
        orphans: Orphans::End,
    }
}

/// Without a time limit.
pub(crate) fn check_limits(grace: Duration) -> Limits {
    Limits {
        total: None,
        idle: None,
        grace,
        linger: Duration::MAX,
        drain: Duration::from_secs(2),
        longest_line: LONGEST_LINE,
        soft: SoftLimits::default(),
    }
}

pub(crate) fn check_outcome(ended: &Ended) -> CheckOutcome {
    match (ended.how, ended.exit) {
        (EndReason::TotalLimit | EndReason::IdleLimit, _) => CheckOutcome::TimedOut,
        (_, Some(Exit::Code(0))) => CheckOutcome::Passed,
        (_, Some(Exit::Code(code))) => CheckOutcome::Failed(Some(code)),
        (_, Some(Exit::Signal(_)) | None) => CheckOutcome::Failed(None),
    }
}
