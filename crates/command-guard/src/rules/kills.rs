//! Ending processes that do not belong to the project.

use std::borrow::Cow;

use shell_analysis::Word;

use super::command::Command;
use crate::words::words;

/// Programs that many sessions share, and those that run the machine.
const SHARED: &[&str] = words!(
    "sshd systemd init dockerd containerd bash sh zsh launchd Finder WindowServer NetworkManager cron dbus-daemon login
     Xorg gnome-shell tmux screen code node nodejs python python3 java ruby php deno bun chrome chromium firefox electron
     postgres nginx docker ssh"
);

pub(super) fn others(command: &Command<'_>) -> bool {
    match command.program {
        "kill" => kills_all(command.words) || is_found_by_name(command),
        "fuser" => command.has_word(&["-m", "-*m", "--mount", "-M"]),
        _ => sweeps(command),
    }
}

/// The processes of a shared program, found by its name alone.
fn is_found_by_name(command: &Command<'_>) -> bool {
    let view = command.view;
    let finds = |source: &usize| {
        let (program, words) = view.other(*source)?;
        let names = || words.iter().map(Word::shown);
        let by_name = words!("grep pgrep pidof egrep awk ps").contains(&program.as_ref());
        let is_shared = |name: Cow<'_, str>| {
            let mut parts = name.split('|').filter_map(|part| part.rsplit('/').next());
            name == "-u" || parts.any(|part| SHARED.contains(&part))
        };
        Some(by_name && names().any(is_shared))
    };
    view.word_sources(view.words).iter().filter_map(finds).any(|found| found)
}

/// `for p in /proc/[0-9]*; do kill ${p#/proc/}; done`
pub(crate) fn kills_each(text: &str) -> bool {
    let list = ["/proc/[0-9]", "/proc/*"].iter().find_map(|list| text.find(list));
    list.is_some_and(|at| text[at..].contains("kill "))
}

fn kills_all(words: &[Cow<'_, str>]) -> bool {
    let signals = words.iter().any(|word| word == "-s" || word == "-n");
    let forced = words.iter().any(|word| matches!(word.as_ref(), "-9" | "-KILL" | "-SIGKILL"));
    words.iter().enumerate().any(|(at, word)| {
        let is_signal = at == 0 && word.starts_with('-') && words.len() > 1;
        match word.as_ref() {
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
