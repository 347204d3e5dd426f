//! Signal handling of the agent, on Unix: SIGTERM ends it without a result line, SIGINT with one.
//! Both also end the running command of its Bash tool.

use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::config_paths::ConfigPaths;
use super::ending::Ending;
use super::message::Message;
use super::session::Session;
use super::stream::Stream;

/// The exit code of Claude Code after SIGTERM.
const TERMINATED: i32 = 143;

/// Handles signals as Claude Code does.
pub(super) fn watch_for(session: &Session, paths: &ConfigPaths) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let (ignored, paths) = (session.signals_ignored.clone(), paths.clone());
    let (stream, running) = (session.stream.clone(), session.running.clone());
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if ignored.load(Ordering::Relaxed) {
                continue;
            }
            // Locked to the end: nothing may follow the result. SIGTERM does not wait for the
            // lock, because the reader may have stopped.
            let mut stream =
                (signal == SIGINT).then(|| stream.lock().unwrap_or_else(PoisonError::into_inner));
            let ending = Ending::Interrupted { uses_tools: running.is_running() };
            running.end();
            let exit_code = match stream.as_deref_mut() {
                Some(stream) => interrupt(stream, &ending),
                None => TERMINATED,
            };
            paths.remove_if_temporary();
            std::process::exit(exit_code);
        }
    });
    Ok(())
}

fn interrupt(stream: &mut Stream, ending: &Ending) -> i32 {
    if !stream.result_printed {
        // The stream is closed; an error cannot be reported.
        let printed = stream.print(&Message::Interrupted);
        let _ = printed.and_then(|()| stream.print(&Message::Ended(ending)));
    }
    i32::from(stream.dialect.exit_code(ending))
}
