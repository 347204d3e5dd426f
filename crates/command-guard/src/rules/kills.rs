//! Ending processes that do not belong to the project.

use super::command::Command;
use crate::words::words;

/// Programs that many sessions share, and those that run the machine.
const SHARED: &[&str] = words!(
    "sshd systemd init dockerd containerd bash sh zsh launchd Finder WindowServer NetworkManager cron dbus-daemon login
     Xorg gnome-shell tmux screen code"
);

pub(super) fn others(command: &Command<'_>) -> bool {
    match command.program {
        "kill" => kills_all(command.words),
        "fuser" => false,
        _ => sweeps(command),
    }
}

fn kills_all(words: &[String]) -> bool {
    let signals = words.iter().any(|word| word == "-s" || word == "-n");
    let forced = words.iter().any(|word| matches!(word.as_str(), "-9" | "-KILL" | "-SIGKILL"));
    words.iter().enumerate().any(|(at, word)| {
        let is_signal = at == 0 && word.starts_with('-') && words.len() > 1;
        match word.as_str() {
            "-1" => !is_signal,
            "1" => !is_signal && !signals,
            "0" => forced,
            _ => false,
        }
    })
}

/// A process name is allowed; all processes of a user, or a very short name, are not.
fn sweeps(command: &Command<'_>) -> bool {
    let by_user = command.has_word(&["-u*", "-U*", "--user*", "--uid", "--euid*"]);
    let is_wide = |name: &str| {
        matches!(name, "." | ".*" | "" | "*" | "^" | "/" | "a" | "e") || SHARED.contains(&name)
    };
    let names = &command.operands;
    by_user
        || names.iter().any(|(_, name)| name.split('|').any(is_wide))
        || names.is_empty() && !command.has_word(&["-l", "-V", "--version"])
}
