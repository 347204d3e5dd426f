//! The test program of this crate: a keeper, and a runner that can be killed.
//!
//! `supervise-test-runner [--limit-ms N] [--then-make FILE] <script> [<script beside it>]` runs a
//! shell script, passes its output on and prints how it ended. The second script runs in parallel,
//! like a notification beside a session; the file is created before the runner waits for it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

use supervise::{
    ChildEvent, Keeper, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient, SoftLimits,
    Stdout, StopRequests,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    supervise::keeper::run_if_asked();
    let mut args = std::env::args_os().skip(1).peekable();
    let mut option =
        |name: &str| args.next_if(|arg| arg == name).and_then(|_| args.next())?.into_string().ok();
    let limit = option("--limit-ms").and_then(|limit| limit.parse().ok());
    let made_then = option("--then-make");
    let mut script = launch(args.next().ok_or("a script is needed")?, Orphans::End)?;
    if let Some(limit) = limit.map(Duration::from_millis) {
        script.limits = Limits { total: Some(limit), grace: Duration::ZERO, ..script.limits };
    }
    let beside = match args.next() {
        Some(script) => {
            let launch = launch(script, Orphans::Leave)?;
            Some(std::thread::spawn(move || {
                supervise::run(launch, &StopRequests::new(), &mut |_| Reaction::Nothing)
            }))
        }
        None => None,
    };
    let mut stdout = io::stdout().lock();
    let ended = supervise::run(script, &StopRequests::new(), &mut |sign| {
        let ChildEvent::Line(line) = sign else { return Reaction::Nothing };
        // The reader of this may be gone.
        let _ = stdout.write_all(line.bytes).and_then(|()| stdout.write_all(b"\n"));
        Reaction::Nothing
    });
    writeln!(io::stderr(), "{ended:?}")?;
    if let Some(file) = made_then {
        std::fs::write(file, "")?;
    }
    if let Some(beside) = beside {
        writeln!(io::stderr(), "beside: {:?}", beside.join())?;
    }
    Ok(())
}

fn launch(script: OsString, orphans: Orphans) -> io::Result<Launch> {
    let minute = Duration::from_secs(60);
    Ok(Launch {
        keeper: Keeper::this_program()?,
        program: "/bin/sh".into(),
        args: vec![OsString::from("-c"), script],
        environment: Vec::new(),
        folder: std::env::current_dir()?,
        input: Vec::new(),
        limits: Limits {
            total: Some(minute),
            idle: None,
            grace: minute,
            linger: minute,
            drain: Duration::from_secs(2),
            longest_line: 1024 * 1024,
            soft: SoftLimits::default(),
        },
        polite: PoliteSignal::Interrupt,
        recipient: Recipient::Child,
        stdout: Stdout::Pipe,
        orphans,
    })
}
