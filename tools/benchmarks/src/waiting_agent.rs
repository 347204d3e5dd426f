//! `waiting-agent`: the simulated agent in `WAITING_AGENT`, whose first session of each lane waits. It writes its lane
//! into the folder in `WAITING_FOLDER` and waits there for the file `go`; then each lane waits for its turn, so that
//! the sessions end one after the other, `WAITING_STAGGER_MS` apart. Appends the end of each session to `ends`.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Rare enough that 200 agents that wait do not use up the machine.
const POLL: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            // If stderr is closed too, the error cannot be reported.
            let _ = writeln!(io::stderr(), "waiting-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<ExitCode> {
    let variable = |name: &str| {
        std::env::var_os(name).ok_or_else(|| io::Error::other(format!("{name} is not set")))
    };
    let number = |name: &str| -> io::Result<u64> {
        let text = variable(name)?;
        text.to_str().and_then(|text| text.parse().ok()).ok_or(io::ErrorKind::InvalidInput.into())
    };
    let (folder, lane) = (PathBuf::from(variable("WAITING_FOLDER")?), number("RALPH_LANE")?);
    let is_first = File::create_new(folder.join(lane.to_string())).is_ok();
    if is_first {
        wait(&folder.join("go"), Duration::from_millis(lane * number("WAITING_STAGGER_MS")?))?;
    }
    let status = command(variable("WAITING_AGENT")?).args(std::env::args_os().skip(1)).status()?;
    if is_first {
        let ends = OpenOptions::new().append(true).create(true).open(folder.join("ends"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // One write, because other agents append to the file, too.
        ends?.write_all(format!("{lane} {}\n", now.as_nanos()).as_bytes())?;
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}

/// Until `after` has passed since the file was written.
fn wait(file: &Path, after: Duration) -> io::Result<()> {
    loop {
        if let Ok(found) = file.metadata() {
            let since = found.modified()?.elapsed().unwrap_or_default();
            std::thread::sleep(after.saturating_sub(since));
            return Ok(());
        }
        std::thread::sleep(POLL);
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts the agent")]
fn command(program: OsString) -> Command {
    Command::new(program)
}
