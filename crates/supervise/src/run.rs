//! Runs one child to its end.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::keeper::Finished;
use crate::kept::Kept;
use crate::output::Tap;
use crate::timetable::Timetable;
use crate::watch::{TICK, Watch};
use crate::{
    Ended, How, Launch, Leftovers, Seen, Sign, Source, Stop, StopRequests, SuperviseError,
};

/// Starts the child, hands every line it prints, every soft limit it passes and every tick to
/// `on_sign`, and returns when the child and its tree are gone. Lines of stdout keep their order, and so do those of
/// stderr.
///
/// A limit or a stop request ends the child politely first, and what it prints until its end is
/// still delivered. If a stop was raised before ([`Stop::Politely`] or [`Stop::Now`]) nothing is
/// started. On Linux the calling thread has to live until this returns: its death ends the child.
pub fn run(
    launch: Launch,
    stop: &StopRequests,
    on_sign: &mut dyn FnMut(Sign<'_>) -> Seen,
) -> Result<Ended, SuperviseError> {
    let started = Instant::now();
    if matches!(stop.current(), Some(Stop::Politely | Stop::Now)) {
        let (leftovers, elapsed) = (Leftovers::default(), Duration::ZERO);
        return Ok(Ended { how: How::Stopped, exit: None, leftovers, elapsed });
    }
    let (sender, events) = channel();
    let _listening = stop.listen(sender.clone());
    let mut kept = Kept::start(&launch)?;
    let (stdin, stdout, stderr) = kept.pipes();
    feed(stdin, launch.input);
    let longest = launch.limits.longest_line;
    let stdout = Tap::open(Source::Stdout, stdout, longest, sender.clone());
    let stderr = Tap::open(Source::Stderr, stderr, longest, sender.clone());
    kept.announce_end(sender);

    let timetable = Timetable::new(launch.limits, started);
    let next_tick = started + TICK;
    let watch = Watch { kept, stdout, stderr, timetable, stop, on_sign, next_tick };
    let (kept, reason) = watch.until_gone(&events);
    let program = launch.program;
    let finished = match kept.finish() {
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

/// A child that does not read its input to the end has its reasons; the thread ends with the pipe.
fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin.filter(|_| !input.is_empty()) {
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
}
