//! How the agent takes a polite signal: SIGTERM ends it without a result line, SIGINT with one.
//! Either way the command that its Bash tool runs is ended too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether signals are heeded; shared with whoever may stop listening.
#[derive(Debug, Clone, Default)]
pub(super) struct Attention {
    deaf: Arc<AtomicBool>,
}

impl Attention {
    pub(super) fn stop_listening(&self) {
        self.deaf.store(true, Ordering::Relaxed);
    }

    #[cfg(unix)]
    fn is_deaf(&self) -> bool {
        self.deaf.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
pub(super) use unix::watch_for;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::PoisonError;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::super::ending::{Activity, Ending};
    use super::super::places::Places;
    use super::super::said::Said;
    use super::super::session::Session;
    use super::super::stream::{State, Stream};

    /// As Claude Code exits on SIGTERM.
    const TERMINATED: i32 = 143;

    /// From now on signals are taken as Claude Code takes them.
    pub(in super::super) fn watch_for(session: &Session, places: &Places) -> io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let (attention, places) = (session.attention.clone(), places.clone());
        let (stream, running) = (session.stream.clone(), session.running.clone());
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if attention.is_deaf() {
                    continue;
                }
                // Held to the end: nothing may follow the result. SIGTERM does not wait for it,
                // because the one who reads may have stopped reading.
                let mut last_word = (signal == SIGINT)
                    .then(|| stream.lock().unwrap_or_else(PoisonError::into_inner));
                let during = match running.is_running() {
                    true => Activity::UsingTools,
                    false => Activity::Answering,
                };
                running.end();
                let exit_code = match last_word.as_deref_mut() {
                    Some(stream) => interrupt(stream, during),
                    None => TERMINATED,
                };
                places.tidy();
                std::process::exit(exit_code);
            }
        });
        Ok(())
    }

    fn interrupt(stream: &mut Stream, during: Activity) -> i32 {
        let ending = Ending::Interrupted { during };
        if stream.state == State::Open {
            // Where nobody reads any more there is nobody to tell.
            let told = stream.say(&Said::Interrupted);
            let _ = told.and_then(|()| stream.say(&Said::Ended(&ending)));
        }
        i32::from(stream.exit_code(&ending))
    }
}

/// Windows has no polite signals.
#[cfg(not(unix))]
pub(super) fn watch_for(
    _session: &super::session::Session,
    _places: &super::places::Places,
) -> std::io::Result<()> {
    Ok(())
}
