//! `ralph-loop relay`: carries work and result of a job between the remote repository and its worker.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use engine::{Relay, StopSwitch};

use super::CommandResult;
use crate::cli::{ExchangeArgs, RelayArgs, RelayStep};
use crate::signals;

pub(super) fn relay(args: RelayArgs) -> CommandResult {
    match args.step {
        RelayStep::Fetch(exchange) => of(exchange).fetch()?,
        RelayStep::Deliver { exchange, lock } => {
            // A signal ends the worker. Its result is delivered then.
            signals::listen(StopSwitch::new(Duration::ZERO), |_| {})?;
            let folder = tempfile::tempdir()?;
            let warn = |text| drop(writeln!(io::stderr(), "warning: {text}"));
            of(exchange).deliver(&lock, folder.path(), &warn)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn of(args: ExchangeArgs) -> Relay {
    let ExchangeArgs { exchange, repository, name, commit } = args;
    Relay { exchange, repository, name, commit }
}
