//! Passes signals such as Ctrl-C to the run. A callback reports the effect at once, even while the run waits for an
//! agent.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::StopSwitch;
use supervise::Stop;

/// Listens for signals on a separate thread until the program ends; calls `on_stop` for each.
#[cfg(unix)]
pub(crate) fn listen(
    switch: StopSwitch,
    on_stop: impl Fn(Stop) + Send + 'static,
) -> io::Result<()> {
    use events::StopSignal;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let watched = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
    let mut signals = signal_hook::iterator::Signals::new(watched)?;
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
    Ok(())
}

/// Without signals the system ends the program, and the next run resumes.
#[cfg(not(unix))]
pub(crate) fn listen(
    switch: StopSwitch,
    on_stop: impl Fn(Stop) + Send + 'static,
) -> io::Result<()> {
    let _ = (switch, on_stop);
    Ok(())
}

/// Sets `over` when a signal arrives, for a command that polls it.
#[cfg(unix)]
pub(crate) fn note(over: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(over))?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn note(over: &Arc<AtomicBool>) -> io::Result<()> {
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
