//! Prevents sleep of this computer while a run works.
//!
//! A run never waits for it, and continues without it. Closing the lid still suspends a laptop.

use std::sync::mpsc::{Receiver, Sender, channel};

/// Prevents sleep until this process ends, even by a kill. Once that is in effect, the receiver gets the name of what
/// prevents it.
pub(crate) fn start() -> Receiver<&'static str> {
    let (sender, in_effect) = channel();
    system::start(sender);
    in_effect
}

#[cfg(unix)]
mod system {
    use std::ffi::OsString;
    use std::path::Path;
    use std::time::Duration;

    use supervise::{
        ChildEvent, Keeper, Launch, OutputLine, ProgramCall, Reaction, Source, StopRequests,
    };

    use super::Sender;
    use crate::programs;

    /// A program that prevents sleep while the command in its last arguments runs.
    #[cfg(target_os = "macos")]
    const PROGRAM: (&str, &[&str]) = ("caffeinate", &["-i"]);
    #[cfg(not(target_os = "macos"))]
    const PROGRAM: (&str, &[&str]) = (
        "systemd-inhibit",
        &["--what=idle:sleep", "--who=ralph-loop", "--why=a run is working", "--mode=block"],
    );

    /// That command: its output shows that sleep is prevented. Its argument is the process id of the runner.
    const COMMAND: &str = r#"echo in effect; while kill -0 "$1"; do sleep 60; done 2>/dev/null"#;
    const IN_EFFECT: &[u8] = b"in effect";

    /// The rest of the environment may have secrets.
    const ENVIRONMENT: [&str; 2] = ["PATH", "DBUS_SYSTEM_BUS_ADDRESS"];

    pub(super) fn start(in_effect: Sender<&'static str>) {
        let (name, _) = PROGRAM;
        let (Some(program), Ok(keeper)) = (programs::installed(name), programs::keeper()) else {
            return;
        };
        let launch = launch(&program, &keeper);
        std::thread::spawn(move || {
            // Refusals differ from system to system, and the user can do nothing about most of them.
            let _ = supervise::run(launch, &StopRequests::new(), &mut |event| {
                const SHOWN: (Source, &[u8]) = (Source::Stdout, IN_EFFECT);
                if let ChildEvent::Line(OutputLine { source, bytes, .. }) = event
                    && (source, bytes) == SHOWN
                {
                    let _ = in_effect.send(name);
                }
                Reaction::Nothing
            });
        });
    }

    fn launch(program: &Path, keeper: &Keeper) -> Launch {
        let runner = std::process::id().to_string();
        let command = ["/bin/sh", "-c", COMMAND, "sh", &runner];
        let args = PROGRAM.1.iter().copied().chain(command).map(OsString::from).collect();
        let call = ProgramCall::new(program, args, Duration::MAX);
        let inherited = std::env::vars_os().map(|(name, _)| name);
        let removed = inherited.filter(|name| !ENVIRONMENT.iter().any(|kept| name == kept));
        Launch {
            environment: removed.map(|name| (name, None)).collect(),
            ..call.launch(keeper, Path::new("/"))
        }
    }
}

#[cfg(windows)]
mod system {
    use windows_sys::Win32::System::Power::{
        ES_CONTINUOUS, ES_SYSTEM_REQUIRED, SetThreadExecutionState,
    };

    use super::Sender;

    /// Windows ends it with the calling thread, which is that of the run.
    #[expect(unsafe_code, reason = "the system's own interface, without pointers")]
    pub(super) fn start(in_effect: Sender<&'static str>) {
        // SAFETY: the argument is a set of flags.
        let former = unsafe { SetThreadExecutionState(ES_CONTINUOUS | ES_SYSTEM_REQUIRED) };
        if former != 0 {
            let _ = in_effect.send("Windows");
        }
    }
}
