//! The life of a keeper: bound to its runner, it starts the child, keeps house and reports.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::{Sender, channel};

use rustix::process::{Pid, getppid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use super::process_tree::{Notice, ProcessTree};
use super::{Orders, Report};

pub(super) fn serve(orders: &Orders) -> io::Result<()> {
    // One that is traced can be made to report anything.
    crate::refuse_tracing();
    let (sender, notices) = channel();
    listen(sender.clone())?;
    bind_to_runner(orders.runner, sender)?;
    // The runner may have died before the binding.
    if runner_is_gone(orders.runner) {
        return clear_away(orders);
    }
    let report = match child(orders).spawn() {
        Ok(child) => {
            // A keeper that holds them is still a keeper.
            let _ = let_go_of_pipes();
            ProcessTree::new(Pid::from_child(&child), notices).keep(orders)
        }
        Err(error) => Some(Report::not_started(&error)),
    };
    match report {
        Some(report) if !runner_is_gone(orders.runner) => report.write(&orders.report),
        _ => clear_away(orders),
    }
}

fn runner_is_gone(runner: u32) -> bool {
    Pid::as_raw(getppid()) != i32::try_from(runner).unwrap_or_default()
}

/// They are the child's now: when it closes one, the runner shall see its end.
fn let_go_of_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

fn listen(sender: Sender<Notice>) -> io::Result<()> {
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let notice = match signal {
                SIGCHLD => Notice::SomebodyEnded,
                SIGHUP => Notice::RunnerDied,
                SIGUSR1 => Notice::Kill,
                _ => Notice::End,
            };
            if sender.send(notice).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Orphans of the tree become children of this process, and the death of the thread that started it
/// is told by a signal that nobody else sends.
#[cfg(target_os = "linux")]
fn bind_to_runner(_runner: u32, _sender: Sender<Notice>) -> io::Result<()> {
    use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(Signal::HUP))?;
    Ok(())
}

/// Nobody tells of the death of a parent here, so it has to be looked for.
#[cfg(not(target_os = "linux"))]
fn bind_to_runner(runner: u32, sender: Sender<Notice>) -> io::Result<()> {
    const PACE: std::time::Duration = std::time::Duration::from_millis(200);
    std::thread::spawn(move || {
        while !runner_is_gone(runner) {
            std::thread::sleep(PACE);
        }
        let _ = sender.send(Notice::RunnerDied);
    });
    Ok(())
}

/// Nobody is left to read a report.
fn clear_away(orders: &Orders) -> io::Result<()> {
    orders.report.parent().map_or(Ok(()), std::fs::remove_dir)
}

/// In a process group of its own, so that a signal to the keeper's does not reach it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a supervised child")]
fn child(orders: &Orders) -> Command {
    let mut command = Command::new(&orders.program);
    command.args(&orders.args).process_group(0);
    command
}
