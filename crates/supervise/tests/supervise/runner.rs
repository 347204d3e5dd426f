//! The program of this crate's tests: a keeper, and a runner that can be killed.
//!
//! `supervise-test-runner <script>` runs a shell script and passes on what it prints.

use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use supervise::{Keeper, Launch, Limits, PoliteSignal, Seen, Sign, SoftLimits, StopRequests};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    supervise::keeper::run_if_asked();
    let script = std::env::args_os().nth(1).ok_or("a script is needed")?;
    let minute = Duration::from_secs(60);
    let launch = Launch {
        keeper: Keeper::this_program()?,
        program: "/bin/sh".into(),
        args: vec![OsString::from("-c"), script],
        environment: Vec::new(),
        folder: "/".into(),
        input: Vec::new(),
        limits: Limits {
            wall: Some(minute),
            idle: None,
            grace: minute,
            linger: minute,
            drain: minute,
            longest_line: 1024 * 1024,
            soft: SoftLimits::default(),
        },
        polite: PoliteSignal::Interrupt,
    };
    let mut stdout = std::io::stdout().lock();
    supervise::run(launch, &StopRequests::new(), &mut |sign| {
        let Sign::Line(line) = sign else { return Seen::Nothing };
        // Whoever reads this may be gone.
        let _ = stdout.write_all(line.bytes).and_then(|()| stdout.write_all(b"\n"));
        Seen::Nothing
    })?;
    Ok(())
}
