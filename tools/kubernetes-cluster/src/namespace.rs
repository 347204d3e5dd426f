//! Processes in namespaces of their own, which end with the value.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A script as process 1 of a PID namespace, with its own network and mounts.
#[derive(Debug)]
pub(crate) struct Namespace {
    child: Child,
}

impl Namespace {
    /// Returns once the script has printed a line. Its errors go to the log.
    #[expect(clippy::disallowed_methods, reason = "the one place where tests start the cluster")]
    pub(crate) fn start(script: &str, log: &Path, args: &[&str]) -> io::Result<Self> {
        let mut child = Command::new("unshare")
            .args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"])
            .args(["sh", "-c", script, "sh"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .spawn()?;
        let output = child.stdout.take().map(BufReader::new);
        let namespace = Self { child };
        let read = output.map(|mut output| output.read_line(&mut String::new()));
        if read.transpose()?.unwrap_or_default() == 0 {
            return Err(io::Error::other(fs::read_to_string(log)?));
        }
        Ok(namespace)
    }

    /// A line for the standard input of the script.
    pub(crate) fn tell(&mut self, line: &str) -> io::Result<()> {
        self.child.stdin.as_mut().map_or(Ok(()), |input| writeln!(input, "{line}"))
    }

    /// Of the process that waits for the script. Its network and mounts are those of the script.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn network(&self) -> PathBuf {
        format!("/proc/{}/ns/net", self.pid()).into()
    }

    /// Runs a program with the network and the mounts of the script, and returns what it printed if it succeeded.
    #[expect(clippy::disallowed_methods, reason = "the one place where tests change the cluster")]
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> io::Result<String> {
        let pid = self.pid().to_string();
        let mut command = Command::new("nsenter");
        command.args(["--target", &pid, "--net", "--mount", program]).args(args);
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

impl Drop for Namespace {
    /// Process 1 ends with its input, and only after all others of its namespace.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
