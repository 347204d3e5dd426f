//! Starts the helper of an entry, and waits until it listens.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use super::{Bridge, command, helper};

/// The running program, whose file may be invisible in the sandbox.
const THIS_PROGRAM: &str = "/proc/self/exe";

#[derive(Debug, thiserror::Error)]
pub(super) enum BridgeError {
    #[error("the network bridge did not start: {0}")]
    NotStarted(#[from] io::Error),
    #[error("the network bridge does not listen: {0}")]
    NotListening(String),
}

/// The helper has its own process group, so that a signal to the command's group does not end it. It holds none
/// of the command's streams, so that the runner sees when the command closes them.
pub(super) fn start(bridge: &Bridge) -> Result<(), BridgeError> {
    let mut helper = command(OsStr::new(THIS_PROGRAM))
        .arg(helper::ARGUMENT)
        .arg(std::process::id().to_string())
        .args(bridge.arguments())
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut printed = String::new();
    if let Some(mut stdout) = helper.stdout.take() {
        stdout.read_to_string(&mut printed)?;
    }
    if printed == helper::READY { Ok(()) } else { Err(BridgeError::NotListening(printed)) }
}
