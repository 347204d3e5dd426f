//! What confines the checks: what the settings ask for, and what this machine has.

use anyhow::Result;
use engine::CheckSandbox;
use project::Layout;
use settings::{CheckIsolation, IsolationChoice, Settings};

use super::isolation::Machine;
use super::sandbox;
use crate::command_error::precondition;

/// A run that has to have a sandbox does not begin without one for its checks.
pub(crate) fn check_sandbox(
    settings: &Settings,
    layout: &Layout,
    machine: &Machine,
) -> Result<CheckSandbox> {
    let isolation = &settings.isolation;
    if isolation.checks == CheckIsolation::None {
        return Ok(CheckSandbox::Off);
    }
    match machine.backend_for_checks().clone() {
        Ok(backend) => {
            let sandbox = sandbox::for_checks(backend, settings, layout)?;
            Ok(CheckSandbox::Used(Box::new(sandbox)))
        }
        Err(missing) if isolation.kind == IsolationChoice::Required => {
            let what = format!("no sandbox for the checks: {}", missing.why);
            let hint = "isolation.checks \"none\" runs them without one";
            let hint = missing.fix.map_or(hint.to_owned(), |fix| format!("{fix}; or {hint}"));
            Err(precondition(what, hint))
        }
        Err(missing) => Ok(CheckSandbox::Missing(missing)),
    }
}
