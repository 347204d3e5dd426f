//! Runs commands behind an entry, with a timeout.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use sandbox_network::entry::{Bridge, Entry};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_sandbox-network-test-entry");

/// Long enough for a busy machine, shorter than the proxy's timeout for a head.
pub(crate) const SOON: Duration = Duration::from_secs(20);

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The result of `work`, or a failure after the timeout.
pub(crate) fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(SOON).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts programs in these tests")]
pub(crate) fn command(program: &str, args: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn entered(entry: &Entry, program: &str, args: &[&str]) -> Command {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    command(PROGRAM, &entry.arguments(program.as_ref(), &args))
}

/// Serialized, because a starting process inherits all open files, including pipe ends of other tests.
fn spawn(command: &mut Command) -> Child {
    static STARTING: Mutex<()> = Mutex::new(());
    let _turn = STARTING.lock().unwrap();
    command.spawn().unwrap()
}

pub(crate) fn finish(mut command: Command, input: &str) -> Done {
    let mut child = spawn(&mut command);
    // The command may end without reading.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = soon(move || child.wait_with_output().unwrap());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    Done { code: output.status.code(), stdout, stderr }
}

/// A shell behind an entry that has printed `running`, and reads its input to the end.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(entry: &Entry, script: &str) -> Self {
        let script = format!("echo running; {script}; read end");
        let mut command = entered(entry, "sh", &["-c", &script]);
        let mut child = spawn(command.process_group(0));
        let stdout = child.stdout.take().map(BufReader::new);
        let mut running = Self { child, stdout };
        let line = running.line();
        assert_eq!(line, "running\n", "{}", running.stderr_text());
        running
    }

    /// The standard error of a command that did not start.
    fn stderr_text(&mut self) -> String {
        let mut stderr = self.child.stderr.take().unwrap();
        soon(move || io::read_to_string(&mut stderr).unwrap())
    }

    pub(crate) fn line(&mut self) -> String {
        let mut stdout = self.stdout.take().unwrap();
        let (line, stdout) = soon(move || {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            (line, stdout)
        });
        self.stdout = Some(stdout);
        line
    }

    /// Reads until all processes have closed the command's standard output.
    pub(crate) fn rest_of_stdout(&mut self) -> String {
        let mut stdout = self.stdout.take().unwrap();
        soon(move || {
            let mut rest = String::new();
            stdout.read_to_string(&mut rest).unwrap();
            rest
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn bridged(socket: impl Into<PathBuf>, host_ports: &[u16]) -> (Entry, u16) {
    let (socket, proxy_port) = (socket.into(), free_port());
    let bridge = Bridge { socket, proxy_port, host_ports: host_ports.to_vec() };
    (Entry { bridge: Some(bridge), ..Entry::default() }, proxy_port)
}

/// These sandboxes share the test's network. Below the ephemeral ports, and found without listening, because a
/// starting process would keep the listener open.
pub(crate) fn free_port() -> u16 {
    const FIRST: u16 = 16_384;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let next = std::process::id() * 31 + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + u16::try_from(next % u32::from(FIRST)).unwrap();
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            return port;
        }
    }
}

pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

pub(crate) fn ask(port: u16, request: &str) -> String {
    let mut stream = connect(port);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
