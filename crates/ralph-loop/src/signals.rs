//! Ctrl-C and termination, from the system to the run. Whoever listens can say at once what it
//! means: the run may be waiting for an agent.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::StopSwitch;
use supervise::Stop;

/// Hears signals on a thread of its own for as long as the program lives; `told` is called with what
/// each of them asks for.
#[cfg(unix)]
pub(crate) fn listen(switch: StopSwitch, told: impl Fn(Stop) + Send + 'static) -> io::Result<()> {
    use engine::StopSignal;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let heard = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::spawn(move || {
        for signal in &mut signals {
            let signal = match signal {
                SIGINT => StopSignal::Interrupt,
                SIGHUP => StopSignal::HangUp,
                _ => StopSignal::Terminate,
            };
            told(switch.hear(signal));
        }
    });
    Ok(())
}

/// Without signals the system ends the program, and the next run goes on from there.
#[cfg(not(unix))]
pub(crate) fn listen(switch: StopSwitch, told: impl Fn(Stop) + Send + 'static) -> io::Result<()> {
    let _ = (switch, told);
    Ok(())
}

/// Says in `over` that a signal came: for a command that ends by itself once it knows.
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

/// What a run does about it.
pub(crate) fn in_words(stop: Stop) -> String {
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
    // Away from whatever line the cursor stands on, and two lines down: the status at the bottom of a
    // terminal is drawn over the line above the cursor.
    let _ = write!(io::stderr(), "\r\n{text}\n\n");
}
