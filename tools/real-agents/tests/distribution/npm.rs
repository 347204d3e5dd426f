//! The npm packages, installed by the real npm into an empty prefix, without a registry.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::channel;

use assert_cmd::Command;
use pty_process::blocking;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::source_tree::SourceTree;
use crate::{PROGRAMS, TIME_LIMIT, VERSION, names, stderr, write_program};

/// The target of programs for this machine.
fn own_target() -> String {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-musl" };
    format!("{}-{system}", std::env::consts::ARCH)
}

fn own_package() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    format!("ralph-loop-{system}-{processor}")
}

fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap()
}

/// The prefix of npm.
fn prefix(source: &SourceTree) -> PathBuf {
    source.home().join("pre fix")
}

/// `npm install -g` with an empty home and without a registry.
fn npm_install(source: &SourceTree) -> Command {
    std::fs::create_dir_all(source.home()).unwrap();
    let mut npm = Command::new("npm");
    npm.env_clear().env("PATH", path()).env("HOME", source.home()).timeout(TIME_LIMIT);
    npm.args(["install", "-g", "--no-audit", "--no-fund", "--registry", "http://127.0.0.1:9/"]);
    npm.arg("--prefix").arg(prefix(source)).current_dir(source.home());
    npm
}

/// Packs these programs and installs the two packages from their files.
fn install_files(source: &SourceTree, programs: &Path) {
    source.package_for(&own_target(), programs).assert().success();
    let mut npm = npm_install(source);
    for name in ["ralph-loop", &own_package()] {
        npm.arg(source.out().join(format!("{name}-{VERSION}.tgz")));
    }
    npm.arg("--offline").assert().success();
}

/// The installed command.
fn launcher(source: &SourceTree) -> PathBuf {
    prefix(source).join("bin/ralph-loop")
}

fn ralph_loop(source: &SourceTree) -> Command {
    let mut command = Command::new(launcher(source));
    let path = format!("{}:{}", prefix(source).join("bin").display(), path().to_str().unwrap());
    command.env_clear().env("PATH", path).env("HOME", source.home()).timeout(TIME_LIMIT);
    command.current_dir(source.home());
    command
}

/// The programs of this build, without debug information if `strip` is available.
fn built(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let test = std::env::current_exe().unwrap();
    let programs = test.parent().and_then(Path::parent).unwrap();
    for name in PROGRAMS {
        let program = programs.join(name);
        assert!(program.exists(), "{}: cargo build --workspace", program.display());
        std::fs::copy(program, folder.join(name)).unwrap();
    }
    let _ = Command::new("strip").args(PROGRAMS).current_dir(folder).timeout(TIME_LIMIT).output();
}

#[test]
fn the_programs_of_this_build_run_and_find_their_hooks() {
    let source = SourceTree::new();
    let programs = source.home().join("built");
    built(&programs);
    install_files(&source, &programs);
    assert_eq!(names(&prefix(&source).join("bin")), ["ralph-loop"]);
    ralph_loop(&source)
        .arg("--version")
        .assert()
        .success()
        .stdout(format!("ralph-loop {VERSION}\n"));

    let doctor = ralph_loop(&source).args(["doctor", "--no-self-test", "--json"]).output().unwrap();
    let said: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let checks = said["checks"].as_array().unwrap();
    let is_well =
        |title: &str| checks.iter().any(|check| check["title"] == title && check["state"] == "ok");
    for title in ["stop-guard", "context-monitor", "command-guard", "in PATH"] {
        assert!(is_well(title), "{title}: {said:#}");
    }
}

/// A ralph-loop that runs this script, except for `--version`.
fn stand_in(source: &SourceTree, script: &str) {
    let version = format!("[ \"$1\" != --version ] || exec echo ralph-loop {VERSION}");
    let program = source.programs().join("ralph-loop");
    write_program(&program, &format!("#!/bin/sh\n{version}\n{script}\n"));
}

/// Serves the files of the folder under any path; returns the address of the server.
fn serve(folder: PathBuf) -> String {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.server_addr());
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            let name = request.url().rsplit('/').next().unwrap_or_default().to_owned();
            let _ = match std::fs::read(folder.join(name)) {
                Ok(file) => request.respond(tiny_http::Response::from_data(file)),
                Err(_) => request.respond(tiny_http::Response::empty(404)),
            };
        }
    });
    address
}

#[test]
fn a_release_is_installed_by_one_address() {
    let source = SourceTree::new();
    stand_in(&source, "printf '<%s>' \"$@\"; exec cat");
    let url = format!("{}/v1", serve(source.out()));
    source.package_for(&own_target(), &source.programs()).arg("--archive-only").assert().success();
    let archives = source.home().join("archives");
    std::fs::create_dir_all(source.home()).unwrap();
    std::fs::rename(source.out(), &archives).unwrap();
    let mut package = source.package_script();
    package.args(["--url", &url, "--assemble"]).arg(&archives);
    package.assert().success();
    let address = format!("{url}/ralph-loop-{VERSION}.tgz");
    npm_install(&source).arg(&address).assert().success();

    let mut passed = ralph_loop(&source);
    passed.args(["a b", "", "--c"]).write_stdin("what it reads");
    passed.assert().success().stdout("<a b><><--c>what it reads");

    let package =
        prefix(&source).join("lib/node_modules/ralph-loop/node_modules").join(own_package());
    let manifest = package.join("package.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace(VERSION, "0.0.1")).unwrap();
    let other = stderr(&ralph_loop(&source).assert().code(2).stdout(""));
    assert!(other.contains("is version 0.0.1, not"), "{other}");

    std::fs::remove_dir_all(&package).unwrap();
    let missing = stderr(&ralph_loop(&source).assert().code(2).stdout(""));
    let name = own_package();
    let expected = format!(
        "error: the npm package {name} with the programs for this platform is not installed\n\
         hint: install it: npm install -g {url}/{name}-{VERSION}.tgz\n"
    );
    assert_eq!(missing, expected);
    npm_install(&source).arg(format!("{url}/{name}-{VERSION}.tgz")).assert().success();
    ralph_loop(&source).arg("again").assert().success().stdout("<again>");
}

/// Prints its process id and each signal it gets. A shell could merge two signals.
const LISTENS: &str = "exec node -e \"
process.on('SIGINT', () => console.log('received INT'));
process.on('SIGTERM', () => { console.log('received TERM'); process.exit(7); });
setInterval(() => {}, 1000);
console.log(process.pid);
\"";

fn send(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// Killed at the end of the test.
struct Launched(Child);

impl Drop for Launched {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "assert_cmd cannot signal what it runs")]
fn launch(source: &SourceTree) -> Launched {
    let mut command = std::process::Command::new(launcher(source));
    command.env_clear().env("PATH", path()).stdin(Stdio::null()).stderr(Stdio::null());
    Launched(command.stdout(Stdio::piped()).spawn().unwrap())
}

/// Its output lines.
fn lines(printed: impl std::io::Read + Send + 'static) -> impl FnMut() -> String {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // A closed terminal reports an error.
        let lines = BufReader::new(printed).lines().map_while(Result::ok);
        lines.for_each(|line| drop(sender.send(line)));
    });
    move || receiver.recv_timeout(TIME_LIMIT).unwrap()
}

#[test]
fn signals_reach_the_program_and_its_end_is_that_of_the_command() {
    let source = SourceTree::new();
    stand_in(&source, LISTENS);
    install_files(&source, &source.programs());

    let mut launched = launch(&source);
    let mut next = lines(launched.0.stdout.take().unwrap());
    next();
    send(launched.0.id(), Signal::INT);
    assert_eq!(next(), "received INT");
    send(launched.0.id(), Signal::TERM);
    assert_eq!(next(), "received TERM");
    assert_eq!(launched.0.wait().unwrap().code(), Some(7));

    let mut launched = launch(&source);
    let mut next = lines(launched.0.stdout.take().unwrap());
    send(next().parse().unwrap(), Signal::KILL);
    assert_eq!(launched.0.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
}

/// A second Ctrl-C has another meaning.
#[test]
fn a_key_on_a_terminal_is_one_signal() {
    let source = SourceTree::new();
    stand_in(&source, LISTENS);
    install_files(&source, &source.programs());
    let (pty, pts) = blocking::open().unwrap();
    let command = blocking::Command::new(launcher(&source)).env_clear().env("PATH", path());
    let launched = Launched(command.spawn(pts).unwrap());
    let mut next = lines(File::from(pty.as_fd().try_clone_to_owned().unwrap()));
    next();
    (&pty).write_all(b"\x03").unwrap();
    assert!(next().ends_with("received INT"));
    send(launched.0.id(), Signal::TERM);
    assert!(next().ends_with("received TERM"));
}
