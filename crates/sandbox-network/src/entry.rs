//! The sandbox entry: the runner's own program, started again as the first process inside a sandbox.
//!
//! On Linux it cuts off abstract sockets, processes and keys outside the sandbox, starts the helper that
//! bridges to the proxy, and becomes the command. On other Unix systems it only becomes the command. A program
//! that uses it calls [`run_if_asked`] at the start of `main`.

#[cfg(unix)]
mod arguments;
#[cfg(target_os = "linux")]
mod bridge;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod restrictions;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The first argument of an entry process.
pub const ARGUMENT: &str = "__enter-sandbox";

const BRIDGE_OPTION: &str = "--bridge";

const NAMESPACES_OPTION: &str = "--no-new-namespaces";

/// The options of an entry. It always refuses abstract sockets and signals to the outside, if the kernel
/// supports it (Landlock ABI 6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Whether a seccomp filter forbids new user namespaces. Otherwise the sandbox decides.
    pub forbids_namespaces: bool,
    pub bridge: Option<Bridge>,
}

/// The connection from inside to the proxy outside. Linux only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bridge {
    /// The proxy's socket, at its path inside the sandbox.
    pub socket: PathBuf,
    /// The proxy's port on the loopback of the sandbox.
    pub proxy_port: u16,
    /// Ports of the host's 127.0.0.1, reachable at the same ports of the sandbox's loopback.
    pub host_ports: Vec<u16>,
}

impl Entry {
    /// Arguments for this program, ending in `-- program args…`.
    pub fn arguments(&self, program: &OsStr, args: &[OsString]) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec![ARGUMENT.into()];
        if self.forbids_namespaces {
            all.push(NAMESPACES_OPTION.into());
        }
        if let Some(bridge) = &self.bridge {
            all.push(BRIDGE_OPTION.into());
            all.extend(bridge.arguments());
        }
        all.extend(["--".into(), program.to_owned()]);
        all.extend(args.iter().cloned());
        all
    }
}

impl Bridge {
    fn arguments(&self) -> [OsString; 3] {
        let ports: Vec<String> = self.host_ports.iter().map(u16::to_string).collect();
        [self.socket.clone().into(), self.proxy_port.to_string().into(), ports.join(",").into()]
    }
}

/// Becomes the entry or its helper and never returns, if the arguments ask for it.
pub fn run_if_asked() {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if first.as_deref() == Some(OsStr::new(ARGUMENT)) {
        std::process::exit(enter(args));
    }
    #[cfg(target_os = "linux")]
    if first.as_deref() == Some(OsStr::new(helper::ARGUMENT)) {
        std::process::exit(helper::serve(args));
    }
}

/// Returns only if the command did not start.
#[cfg(unix)]
fn enter(args: impl Iterator<Item = OsString>) -> i32 {
    use std::io::{self, ErrorKind, Write};
    use std::os::unix::process::CommandExt;
    const USAGE: i32 = 64;
    /// The usual exit code of a launcher that fails itself.
    const NOT_PREPARED: i32 = 125;
    const NOT_STARTED: i32 = 126;
    const NOT_FOUND: i32 = 127;

    let Some((entry, program, args)) = arguments::entry(args) else { return USAGE };
    if let Err(error) = prepare(&entry) {
        let _ = writeln!(io::stderr(), "{error}");
        return NOT_PREPARED;
    }
    let error = command(&program).args(args).exec();
    let _ = writeln!(io::stderr(), "{}: {error}", program.display());
    if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED }
}

#[cfg(not(unix))]
fn enter(_args: impl Iterator<Item = OsString>) -> i32 {
    1
}

#[cfg(target_os = "linux")]
fn prepare(entry: &Entry) -> Result<(), bridge::BridgeError> {
    // Optional: the sandbox's namespaces work without it.
    let _ = restrictions::limit_scope();
    // A new, empty session keyring. A kernel without key support has no keys to protect.
    let _ = keyutils::Keyring::join_anonymous_session();
    entry.bridge.as_ref().map_or(Ok(()), bridge::start)?;
    if entry.forbids_namespaces {
        restrictions::forbid_namespaces();
    }
    Ok(())
}

/// Sandboxes on other systems share the host's network.
#[cfg(all(unix, not(target_os = "linux")))]
fn prepare(_entry: &Entry) -> Result<(), std::convert::Infallible> {
    Ok(())
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the one place that starts programs of a sandbox")]
fn command(program: &OsStr) -> std::process::Command {
    std::process::Command::new(program)
}
