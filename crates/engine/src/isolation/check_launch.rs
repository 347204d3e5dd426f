//! How a check is started: a shell command in the project's folder.

use std::path::Path;
use std::time::Duration;

use project::env;
use supervise::{
    Keeper, Launch, Limits, Orphans, PoliteSignal, Recipient, Shell, SoftLimits, Stdout,
};

const LONGEST_LINE: usize = 1024 * 1024;

pub(crate) fn check_launch(keeper: &Keeper, root: &Path, command: &str, limits: Limits) -> Launch {
    let shell = Shell::of_this_system();
    Launch {
        keeper: keeper.clone(),
        program: shell.program.into(),
        args: vec![shell.flag.into(), command.into()],
        // Code written by the agent may run here.
        environment: env::KEPT_BACK.map(|name| (name.into(), None)).to_vec(),
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
