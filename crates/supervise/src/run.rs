//! Runs one child to its end.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::keeper::{Prompting, Report};
use crate::kept::Kept;
use crate::output::Tap;
use crate::timetable::Timetable;
use crate::watch::{TICK, Watch};
use crate::{Ended, How, Launch, Seen, Sign, Source, Stop, StopRequests, SuperviseError};

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
        return Ok(without_report(How::Stopped, Duration::ZERO));
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
    match kept.finish() {
        Ok((status, report)) => match (report, reason) {
            (Some(report), reason) => with_report(report, reason, started.elapsed())
                .map_err(|source| SuperviseError::NotStarted { program, source }),
            // A keeper that was told to end before it was ready has started nothing.
            (None, Some(how)) => Ok(without_report(how, started.elapsed())),
            (None, None) => Err(SuperviseError::KeeperLost { program, status }),
        },
        Err(source) => Err(SuperviseError::NotWaitedFor { program, source }),
    }
}

/// A child that does not read its input to the end has its reasons; the thread ends with the pipe.
fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin.filter(|_| !input.is_empty()) {
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
}

fn with_report(
    report: Report,
    reason: Option<How>,
    elapsed: Duration,
) -> Result<Ended, std::io::Error> {
    let (exit, prompting, leftovers) = report.into_ended()?;
    let how = match prompting {
        Prompting::Unprompted => How::ByItself,
        // Without a reason of ours somebody else has told the keeper to end.
        Prompting::Prompted => reason.unwrap_or(How::ByItself),
    };
    Ok(Ended { how, exit, leftovers, elapsed })
}

fn without_report(how: How, elapsed: Duration) -> Ended {
    Ended { how, exit: None, leftovers: Vec::new(), elapsed }
}
