//! Runs one child to its end.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::channel;
use std::time::Instant;

use crate::child_handle::ChildHandle;
use crate::event_loop::{EventLoop, TICK};
use crate::keeper::Finished;
use crate::output::PipeReader;
use crate::timetable::Timetable;
use crate::{
    ChildEvent, EndReason, Ended, Launch, Reaction, Source, Stop, StopRequests, SuperviseError,
};

/// Starts the child, passes every line, soft limit and tick to `on_event`, and returns when the
/// child and its tree have ended. Lines keep their order per stream.
///
/// A limit or a stop request ends the child politely first; its output until the end is still
/// delivered. Nothing is started if a stop was raised before ([`Stop::Politely`] or [`Stop::Now`]).
/// On Linux the calling thread must live until this returns: its death ends the child.
pub fn run(
    launch: Launch,
    stop: &StopRequests,
    on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
) -> Result<Ended, SuperviseError> {
    let started = Instant::now();
    if matches!(stop.current(), Some(Stop::Politely | Stop::Now)) {
        return Ok(Ended { how: EndReason::Stopped, ..Ended::not_started() });
    }
    if !launch.folder.is_dir() {
        return Err(SuperviseError::NoFolder { program: launch.program, folder: launch.folder });
    }
    let (sender, events) = channel();
    let _listening = stop.listen(sender.clone());
    let mut child = ChildHandle::start(&launch)?;
    let (stdin, stdout, stderr) = child.pipes();
    feed(stdin, launch.input);
    let longest = launch.limits.longest_line;
    let stdout = PipeReader::open(Source::Stdout, stdout, longest, sender.clone());
    let stderr = PipeReader::open(Source::Stderr, stderr, longest, sender.clone());
    child.announce_end(sender);

    let timetable = Timetable::new(launch.limits, started);
    let next_tick = started + TICK;
    let event_loop = EventLoop { child, stdout, stderr, timetable, stop, on_event, next_tick };
    let (child, reason) = event_loop.until_gone(&events);
    let program = launch.program;
    let finished = match child.finish() {
        Ok(finished) => finished,
        Err(source) => return Err(SuperviseError::NotWaitedFor { program, source }),
    };
    let (elapsed, Finished { status, report, orphans }) = (started.elapsed(), finished);
    match (report, reason) {
        (Some(report), reason) => report
            .into_ended(reason, elapsed)
            .map_err(|source| SuperviseError::NotStarted { program, source }),
        // A keeper that was asked to end before it was ready has started nothing.
        (None, Some(how)) => Ok(Ended { how, exit: None, leftovers: orphans, elapsed }),
        (None, None) => Err(SuperviseError::KeeperLost { program, status, orphans }),
    }
}

/// A child may ignore its input; the thread ends with the pipe.
fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin.filter(|_| !input.is_empty()) {
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
}
