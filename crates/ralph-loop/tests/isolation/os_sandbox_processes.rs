//! Processes inside see no others, and none of them outlives its command.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::os_sandbox_harness::Machine;

/// A process of the user outside, with a secret in its environment.
#[expect(clippy::disallowed_methods, reason = "a process that is no part of the test's subject")]
fn bystander() -> Bystander {
    let mut command = Command::new("sh");
    command.args(["-c", "echo ready; exec sleep 300"]).env("A_SECRET", "of-the-bystander");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut ready = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    Bystander(child)
}

struct Bystander(Child);

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn other_processes_cannot_be_seen_read_or_signalled() {
    other_processes_are_hidden(&Machine::new());
}

pub(crate) fn other_processes_are_hidden(machine: &Machine) {
    let mut bystander = bystander();
    let (pid, runner) = (bystander.0.id(), std::process::id());
    machine.refuses(&format!("grep -q bystander /proc/{pid}/environ"));
    machine.refuses(&format!("test -e /proc/{pid}/mem && test -e /proc/{runner}/environ"));
    machine.works(&format!("! kill -0 {pid} && ! kill -9 {pid}"));
    machine.works(&format!("! kill -0 {runner}"));
    machine.works("! grep -qs [b]ystander /proc/[0-9]*/environ");
    machine.works("! grep -qs [_]_keep /proc/[0-9]*/cmdline");
    // ATTACH by ptrace.
    machine.works(&format!("! perl -e 'exit(syscall(101, 16, {pid}, 0, 0) == 0 ? 0 : 1)'"));
    assert!(bystander.0.try_wait().unwrap().is_none(), "it was ended");
}

/// Whether a process with this text in its command line is alive.
fn is_alive(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&line).into_owned();
        words.split('\0').any(|each| each == word)
    })
}

#[track_caller]
pub(crate) fn ends(word: &str) {
    let patience = Instant::now() + Duration::from_secs(30);
    while is_alive(word) {
        assert!(Instant::now() < patience, "`sleep {word}` is still running");
        std::thread::yield_now();
    }
}

#[test]
fn no_process_outlives_its_command() {
    processes_end(&Machine::new(), 30_100);
}

/// `number` is found in the command line of the processes.
pub(crate) fn processes_end(machine: &Machine, number: u32) {
    for (way, start) in [
        "sleep WORD >/dev/null 2>&1 &",
        "setsid sleep WORD >/dev/null 2>&1 &",
        "nohup setsid sh -c '(sleep WORD &) &' >/dev/null 2>&1 &",
        "trap '' TERM HUP INT; (trap '' TERM; exec sleep WORD) >/dev/null 2>&1 &",
    ]
    .into_iter()
    .zip(number..)
    .map(|(start, number)| (format!("{number}.5"), start))
    {
        machine.works(&format!("{} exit 0", start.replace("WORD", &way)));
        ends(&way);
    }
}

/// A program inside can clean up when its time is over: it gets the polite signal, and not bubblewrap.
#[test]
fn a_command_whose_time_is_over_is_asked_first() {
    is_asked_first(&Machine::new());
}

pub(crate) fn is_asked_first(machine: &Machine) {
    let trap = "trap 'echo cleaned >cleaned; exit 3' TERM; echo ready >ready; sleep 300 & wait";
    let stop = supervise::StopRequests::new();
    let raised = stop.clone();
    let ready = machine.project().join("ready");
    let asking = std::thread::spawn(move || {
        while !ready.exists() {
            std::thread::yield_now();
        }
        raised.raise(supervise::Stop::Politely);
    });
    machine.inside_until(trap, &stop);
    asking.join().unwrap();
    assert_eq!(machine.read("shop/cleaned"), "cleaned\n");
}
