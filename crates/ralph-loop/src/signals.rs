//! Passes signals such as Ctrl-C to the run. A callback reports the effect at once, even while the run waits for an
//! agent.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(unix)]
use anyhow::Context;
use anyhow::Result;
use engine::StopSwitch;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use supervise::Stop;

#[cfg(unix)]
const WATCHED: [i32; 4] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
#[cfg(unix)]
const FAILED: &str = "cannot listen for signals";

/// Listens for signals on a separate thread until the program ends; calls `on_stop` for each. On a system without
/// signals the system ends the program, and the next run resumes.
pub(crate) fn listen(switch: StopSwitch, on_stop: impl Fn(Stop) + Send + 'static) -> Result<()> {
    #[cfg(unix)]
    {
        use events::StopSignal;
        let mut signals = signal_hook::iterator::Signals::new(WATCHED).context(FAILED)?;
        std::thread::spawn(move || {
            for signal in &mut signals {
                let signal = match signal {
                    SIGINT => StopSignal::Interrupt,
                    SIGHUP => StopSignal::HangUp,
                    _ => StopSignal::Terminate,
                };
                on_stop(switch.request(signal));
            }
        });
    }
    #[cfg(not(unix))]
    let _ = (switch, on_stop);
    Ok(())
}

/// Sets `over` when a signal arrives, for a command that polls it.
pub(crate) fn note(over: &Arc<AtomicBool>) -> Result<()> {
    #[cfg(unix)]
    for signal in WATCHED {
        signal_hook::flag::register(signal, Arc::clone(over)).context(FAILED)?;
    }
    #[cfg(not(unix))]
    let _ = over;
    Ok(())
}

/// The effect of a signal on the run.
pub(crate) fn describe(stop: Stop) -> String {
    match stop {
        Stop::AfterAnswer { grace } => format!(
            "stopping: the agent may finish its answer ({} at most); Ctrl-C again kills it",
            humantime::format_duration(grace)
        ),
        Stop::Politely => "stopping: asking the agent to end; Ctrl-C kills it".to_owned(),
        Stop::Now => "stopping: killing the agent".to_owned(),
    }
}

pub(crate) fn say(text: &str) {
    // On a new line, with an empty line below: the status at the bottom of the terminal overwrites the line above the
    // cursor.
    let _ = write!(io::stderr(), "\r\n{text}\n\n");
}
