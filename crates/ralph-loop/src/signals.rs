//! Ctrl-C and termination, from the system to the run. Says at once what it means, because the run
//! may be waiting for an agent.

use std::io::{self, Write};

use engine::StopSwitch;

/// Hears signals on a thread of its own for as long as the program lives.
#[cfg(unix)]
pub(crate) fn listen(switch: StopSwitch) -> io::Result<()> {
    use engine::StopSignal;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        for signal in &mut signals {
            let signal = match signal {
                SIGINT => StopSignal::Interrupt,
                SIGHUP => StopSignal::HangUp,
                _ => StopSignal::Terminate,
            };
            say(switch.hear(signal));
        }
    });
    Ok(())
}

/// Without signals the system ends the program, and the next run goes on from there.
#[cfg(not(unix))]
pub(crate) fn listen(switch: StopSwitch) -> io::Result<()> {
    let _ = (switch, say);
    Ok(())
}

fn say(stop: supervise::Stop) {
    let text = match stop {
        supervise::Stop::AfterAnswer { grace } => format!(
            "stopping: the agent may finish its answer ({} at most); Ctrl-C again ends it",
            humantime::format_duration(grace)
        ),
        supervise::Stop::Politely => "stopping: ending the agent now".to_owned(),
        supervise::Stop::Now => "stopping: killing the agent".to_owned(),
    };
    // Away from whatever line the cursor stands on, and two lines down: the status at the bottom of a
    // terminal is drawn over the line above the cursor.
    let _ = write!(io::stderr(), "\r\n{text}\n\n");
}
