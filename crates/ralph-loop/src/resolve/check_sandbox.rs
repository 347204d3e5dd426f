//! What confines the checks: what the settings ask for, and what this machine has.

use engine::CheckSandbox;
use engine::isolation::survey_os_sandbox;
use project::Layout;
use settings::{CheckIsolation, IsolationKind, Settings};
use supervise::Keeper;

use super::os_sandbox;
use super::walls::path_outside;
use crate::command_error::CommandError;

/// A run that has to have a sandbox does not begin without one for its checks.
pub(crate) fn check_sandbox(
    settings: &Settings,
    layout: &Layout,
) -> Result<CheckSandbox, CommandError> {
    let isolation = &settings.isolation;
    if isolation.checks == CheckIsolation::None {
        return Ok(CheckSandbox::Off);
    }
    let keeper = Keeper::this_program().map_err(CommandError::io("find this program on disk"))?;
    match survey_os_sandbox(&keeper, path_outside(layout.root()).as_deref()) {
        Ok(backend) => {
            let sandbox = os_sandbox::for_checks(backend, settings, layout)?;
            Ok(CheckSandbox::Os(Box::new(sandbox)))
        }
        Err(missing) if isolation.kind == IsolationKind::Required => {
            let what = format!("no sandbox for the checks: {}", missing.why);
            let hint = "isolation.checks \"none\" runs them without one";
            let hint = missing.fix.map_or(hint.to_owned(), |fix| format!("{fix}; or {hint}"));
            Err(CommandError::precondition(what, hint))
        }
        Err(missing) => Ok(CheckSandbox::Missing(missing)),
    }
}
