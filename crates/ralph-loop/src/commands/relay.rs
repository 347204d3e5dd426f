//! `ralph-loop relay`: carries work and result of a job between the remote repository and its worker.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use engine::{Relay, StopSwitch};

use super::CommandResult;
use crate::cli::{RelayArgs, RelayStep, WorkArgs};
use crate::signals;

pub(super) fn relay(args: RelayArgs) -> CommandResult {
    let RelayArgs { step, exchange, work: WorkArgs { repository, name, commit }, lock } = args;
    let relay = Relay { exchange, repository, name, commit };
    match (step, lock) {
        (RelayStep::Deliver, Some(lock)) => {
            // A signal ends the worker. Its result is delivered then.
            signals::listen(StopSwitch::new(Duration::ZERO), |_| {})?;
            let folder = tempfile::tempdir()?;
            let warn = |text| drop(writeln!(io::stderr(), "warning: {text}"));
            relay.deliver(&lock, folder.path(), &warn)?;
        }
        _ => relay.fetch()?,
    }
    Ok(ExitCode::SUCCESS)
}
