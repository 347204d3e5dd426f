//! Chooses the sandbox of the checks from the settings and from what this machine supports.

use anyhow::Result;
use engine::CheckSandbox;
use project::Layout;
use run_options::{CheckIsolation, IsolationRequest};
use settings::Settings;

use super::isolation::Machine;
use super::sandbox;
use crate::command_error::precondition;

/// With `isolation.kind: required`, a missing sandbox for the checks is an error.
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
        Err(missing) if isolation.kind == IsolationRequest::Required => {
            let what = format!("no sandbox for the checks: {}", missing.why);
            let hint = "set isolation.checks to \"none\" to run them without a sandbox";
            let hint = missing.fix.map_or(hint.to_owned(), |fix| format!("{fix}; or {hint}"));
            Err(precondition(what, hint))
        }
        Err(missing) => Ok(CheckSandbox::Missing(missing)),
    }
}
