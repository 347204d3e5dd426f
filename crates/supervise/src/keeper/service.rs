//! The main function of a keeper: binds it to its runner, starts the child, supervises it and
//! reports.

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
use super::{KeeperArgs, Report};

pub(super) fn serve(keeper_args: &KeeperArgs) -> io::Result<()> {
    // A traced keeper could be made to report anything.
    crate::refuse_tracing();
    let (sender, notices) = channel();
    listen(sender.clone())?;
    bind_to_runner(keeper_args.runner, sender)?;
    // The runner may have died before the binding.
    if runner_is_gone(keeper_args.runner) {
        return remove_report_folder(keeper_args);
    }
    let report = match child(keeper_args).spawn() {
        Ok(child) => {
            // The keeper also works if it cannot close them.
            let _ = release_pipes();
            ProcessTree::new(Pid::from_child(&child), notices).keep(keeper_args)
        }
        Err(error) => Some(Report::not_started(&error)),
    };
    match report {
        Some(report) if !runner_is_gone(keeper_args.runner) => report.write(&keeper_args.report),
        _ => remove_report_folder(keeper_args),
    }
}

fn runner_is_gone(runner: u32) -> bool {
    Pid::as_raw(getppid()) != i32::try_from(runner).unwrap_or_default()
}

/// The child owns them: the runner must see end-of-file when the child closes one.
fn release_pipes() -> io::Result<()> {
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
                SIGCHLD => Notice::ProcessEnded,
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

/// Orphans of the tree become children of this process. The death of the thread that started it
/// arrives as a signal that no other sender uses.
#[cfg(target_os = "linux")]
fn bind_to_runner(_runner: u32, _sender: Sender<Notice>) -> io::Result<()> {
    use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(Signal::HUP))?;
    Ok(())
}

/// This system has no signal for a dead parent, so the keeper polls.
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

/// The runner is dead, so no process reads a report.
fn remove_report_folder(keeper_args: &KeeperArgs) -> io::Result<()> {
    keeper_args.report.parent().map_or(Ok(()), std::fs::remove_dir)
}

/// In its own process group, so that signals to the keeper's group do not reach it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a supervised child")]
fn child(keeper_args: &KeeperArgs) -> Command {
    let mut command = Command::new(&keeper_args.program);
    command.args(&keeper_args.args).process_group(0);
    command
}
