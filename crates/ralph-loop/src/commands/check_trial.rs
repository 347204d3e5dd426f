//! Runs the checks of a new project once: a check that fails before the first session blocks every story.

use std::time::{Duration, Instant};

use anyhow::Result;
use engine::isolation::CheckTrialRunner;
use engine::{AllowedChanges, CheckSandbox, StopSwitch};
use events::CheckOutcome;
use project::Layout;
use settings::Flags;

use super::print;
use crate::report::{duration, neutral_line};
use crate::resolve::{self, Machine};
use crate::{programs, signals};

/// Time limit of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Runs each check as a run would and prints the result.
pub(super) fn try_checks(layout: &Layout, commands: &[String]) -> Result<()> {
    let settings = resolve::settings(layout, &Flags::default())?.settings;
    let machine = Machine::new(&settings, layout, None)?;
    let sandbox = resolve::check_sandbox(&settings, layout, &machine)?;
    let sandbox = match &sandbox {
        CheckSandbox::Used(sandbox) => Some(&**sandbox),
        CheckSandbox::Missing(_) | CheckSandbox::Off => None,
    };
    let switch = StopSwitch::new(Duration::ZERO);
    signals::listen(switch.clone(), |_| {})?;
    let keeper = programs::keeper()?;
    let allowed = AllowedChanges::new(settings.git.allow.iter().cloned());
    let stop = switch.requests();
    let trier =
        CheckTrialRunner { keeper: &keeper, layout, allowed: &allowed, stop, limit: CHECK_TIMEOUT };
    print("\nChecks, each run once (Ctrl-C skips the rest):\n");
    for command in commands {
        print(&format!("  {} ... ", neutral_line(command)));
        let began = Instant::now();
        let trial = trier.try_check(command, sandbox);
        if switch.requested().is_some() {
            print("stopped\n");
            return Ok(());
        }
        let took = duration(began.elapsed().as_secs_f64());
        let outcome = match trial.outcome {
            CheckOutcome::Passed => format!("passed ({took})"),
            CheckOutcome::Failed(code) => {
                let code = code.map(|code| format!(", exit code {code}")).unwrap_or_default();
                format!("failed ({took}{code}): {}", neutral_line(&trial.last_line))
            }
            CheckOutcome::TimedOut => format!("did not end within {took}"),
            CheckOutcome::NotStarted => format!("not started: {}", neutral_line(&trial.last_line)),
        };
        print(&format!("{outcome}\n"));
        for refused in &trial.refused {
            print(&format!("    {}\n", neutral_line(refused)));
        }
        if trial.outcome != CheckOutcome::Passed {
            let list = layout.tasks_name();
            print(&format!(
                "    fix it, or change verifyCommands in {list}; `ralph-loop doctor --checks` runs it again\n"
            ));
        }
    }
    Ok(())
}
