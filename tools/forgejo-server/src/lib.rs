//! A Forgejo server on loopback, for tests. It has its own folder, secrets and port, and ends with its value, or with
//! the program that made it.
//!
//! Its program is in `RALPH_TEST_FORGEJO`; see scripts/fetch-forgejo.sh.
#![cfg(unix)]

mod configuration;
mod http;
mod user;

use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

pub use http::Response;
pub use user::User;

pub const PATH_VARIABLE: &str = "RALPH_TEST_FORGEJO";

/// Many times the start-up time, for busy machines.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// What users of tests may do with their tokens: all but the administration.
const SCOPES: &str = "write:issue,write:notification,write:repository,write:user";

/// Runs the server until the input of this script ends, which it does when the test ends in any way. The server has its
/// process group, so it ends with all others of the group.
const SCRIPT: &str = r#"exec 3<&0 </dev/null
{ read -r _ <&3; kill -9 0; } &
exec 3<&- "$@""#;

const LOG: &str = "forgejo.out";

/// Two servers that start at once must not choose the same port.
static ONE_STARTS: Mutex<()> = Mutex::new(());

#[derive(Debug)]
pub struct ForgejoServer {
    child: Child,
    address: SocketAddr,
    program: PathBuf,
    dir: tempfile::TempDir,
}

impl ForgejoServer {
    /// With the program from the environment.
    #[expect(clippy::panic, reason = "a panic fails the test")]
    pub fn from_env() -> Self {
        let Some(program) = std::env::var_os(PATH_VARIABLE).filter(|it| !it.is_empty()) else {
            panic!("{PATH_VARIABLE} is not set: {PATH_VARIABLE}=$(scripts/fetch-forgejo.sh)")
        };
        Self::start(Path::new(&program)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns once its API answers.
    pub fn start(program: &Path) -> io::Result<Self> {
        let _turn = ONE_STARTS.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir()?;
        let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        fs::write(config(dir.path()), configuration::text(dir.path(), address.port())?)?;
        let log = File::create(dir.path().join(LOG))?;
        let mut shell = clean("sh", dir.path());
        shell.args(["-c", SCRIPT, "sh"]).arg(program).arg("web").arg("--config");
        let child = shell
            .arg(config(dir.path()))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let mut server = Self { child, address, program: program.to_owned(), dir };
        server.wait_for_api()?;
        Ok(server)
    }

    fn wait_for_api(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let is_up = |address| {
            let answer = http::send(address, "GET", "/api/v1/version", "", &Value::Null);
            answer.is_ok_and(|answer| answer.status == 200)
        };
        while !is_up(self.address) {
            if self.child.try_wait()?.is_some() || Instant::now() > deadline {
                let program = self.program.display();
                return Err(io::Error::other(format!("{program} did not start: {}", self.log())));
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// Without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// What the server printed.
    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join(LOG)).unwrap_or_default()
    }

    /// A user with a token. Users who are not administrators of the server are what tests mostly want:
    /// an administrator may do everything in every repository.
    #[expect(clippy::unwrap_used, reason = "a panic fails the test")]
    #[track_caller]
    pub fn create_user(&self, name: &str, is_admin: bool) -> User {
        let password = configuration::random().unwrap();
        let email = format!("{name}@example.com");
        let mut args = vec!["create", "--username", name, "--password", &password];
        args.extend(["--email", &email, "--must-change-password=false"]);
        args.extend(is_admin.then_some("--admin"));
        self.administer_users(&args);
        let scopes = if is_admin { "all" } else { SCOPES };
        let args = ["generate-access-token", "--username", name, "--token-name", "tests", "--raw"];
        let printed = self.administer_users(&[&args[..], &["--scopes", scopes]].concat());
        // Warnings may come before it.
        let token = printed.lines().last().unwrap().to_owned();
        User { address: self.address, name: name.to_owned(), token }
    }

    /// What the program of the server printed.
    #[expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]
    #[track_caller]
    fn administer_users(&self, args: &[&str]) -> String {
        let mut command = clean(&self.program, self.dir.path());
        command.arg("--config").arg(config(self.dir.path())).args(["admin", "user"]).args(args);
        let output = command.output().unwrap();
        if !output.status.success() {
            panic!("{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for ForgejoServer {
    fn drop(&mut self) {
        // Closes its input.
        let _ = self.child.wait();
    }
}

fn config(dir: &Path) -> PathBuf {
    dir.join("app.ini")
}

/// Without the settings of the user who runs the tests.
#[expect(clippy::disallowed_methods, reason = "the one place where tests start the server")]
fn clean(program: impl AsRef<std::ffi::OsStr>, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", dir).current_dir(dir);
    command
}
