//! `stopwatch`: runs a program and records its start and end, to measure every runner from outside
//! in the same way.
//!
//! `stopwatch -- program …` is a check. Any other command line is that of the agent in
//! `STOPWATCH_AGENT`. After the agent it also times `git status --porcelain` in the same work tree,
//! as the unit for runners. With `STOPWATCH_AGENT_MS` the agent takes at least so long. It writes to the file in `STOPWATCH_LOG`.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn main() -> ExitCode {
    let began = now();
    match run(began) {
        Ok(code) => code,
        Err(error) => {
            // If stderr is closed too, the error cannot be reported.
            let _ = writeln!(io::stderr(), "stopwatch: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(began: u128) -> io::Result<ExitCode> {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (kind, program) = if args.first().is_some_and(|first| first == "--") {
        args.remove(0);
        let program = if args.is_empty() { None } else { Some(args.remove(0)) };
        ("check", program)
    } else {
        ("agent", std::env::var_os("STOPWATCH_AGENT"))
    };
    let program = program.ok_or_else(|| io::Error::other("no program is named"))?;
    let log = std::env::var_os("STOPWATCH_LOG")
        .ok_or_else(|| io::Error::other("STOPWATCH_LOG is not set"))?;
    let mut log = OpenOptions::new().append(true).create(true).open(log)?;
    let status = command(program).args(args).status()?;
    if kind == "agent" {
        let least = std::env::var("STOPWATCH_AGENT_MS").ok().and_then(|ms| ms.parse().ok());
        let left = u128::from(least.unwrap_or(0u64)) * 1_000_000;
        let left = left.saturating_sub(now().saturating_sub(began));
        std::thread::sleep(Duration::from_nanos(u64::try_from(left).unwrap_or(0)));
        let began = now();
        let mut git = command("git".into());
        // git must not update its index here, because that would help the runner.
        git.args(["status", "--porcelain"]).env("GIT_OPTIONAL_LOCKS", "0").stdout(Stdio::null());
        if git.status()?.success() {
            log.write_all(format!("status {began} {}\n", now()).as_bytes())?;
        }
    }
    log.write_all(format!("{kind} {began} {}\n", now()).as_bytes())?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}

/// Nanoseconds of the system clock, which all processes share.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts what is timed")]
fn command(program: OsString) -> Command {
    Command::new(program)
}
