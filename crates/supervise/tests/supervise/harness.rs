//! Runs a shell script as a supervised child and collects its output.

use std::ffi::OsString;
use std::time::Duration;

use supervise::{
    ChildEvent, Ended, Keeper, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient,
    SoftLimits, Source, Stdout, StopRequests, SuperviseError,
};

pub(crate) const RUNNER: &str = env!("CARGO_BIN_EXE_supervise-test-runner");

/// Longer than any test should take.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Much less than `LONG`, but enough for a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) ended: Ended,
    pub(crate) stdout: Vec<String>,
    pub(crate) stderr: Vec<String>,
}

/// A script under limits that it does not reach.
pub(crate) fn shell(script: &str) -> Launch {
    Launch {
        keeper: Keeper::at(RUNNER),
        program: "/bin/sh".into(),
        args: ["-c", script].map(OsString::from).into(),
        environment: Vec::new(),
        folder: "/".into(),
        input: Vec::new(),
        limits: Limits {
            total: Some(LONG),
            idle: None,
            grace: LONG,
            linger: LONG,
            drain: Duration::from_secs(5),
            longest_line: 1024 * 1024,
            soft: SoftLimits::default(),
        },
        polite: PoliteSignal::Terminate,
        recipient: Recipient::Child,
        stdout: Stdout::Pipe,
        // Other tests start programs at the same time.
        orphans: Orphans::Leave,
    }
}

pub(crate) fn run(launch: Launch) -> Done {
    run_seeing(launch, &StopRequests::new(), |_| Reaction::Nothing)
}

/// Calls a function for each line of stdout.
pub(crate) fn run_seeing(
    launch: Launch,
    stop: &StopRequests,
    see: impl FnMut(&str) -> Reaction,
) -> Done {
    try_run(launch, stop, see).unwrap()
}

pub(crate) fn try_run(
    launch: Launch,
    stop: &StopRequests,
    mut see: impl FnMut(&str) -> Reaction,
) -> Result<Done, SuperviseError> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let ended = supervise::run(launch, stop, &mut |sign| {
        let ChildEvent::Line(line) = sign else { return Reaction::Nothing };
        let text = String::from_utf8_lossy(line.bytes).into_owned();
        match line.source {
            Source::Stdout => {
                let seen = see(&text);
                stdout.push(text);
                seen
            }
            Source::Stderr => {
                stderr.push(text);
                Reaction::Nothing
            }
        }
    })?;
    Ok(Done { ended, stdout, stderr })
}

/// A reaped process does not exist, not even as a zombie.
#[cfg(target_os = "linux")]
pub(crate) fn is_there(pid: &str) -> bool {
    std::path::Path::new("/proc").join(pid).exists()
}
