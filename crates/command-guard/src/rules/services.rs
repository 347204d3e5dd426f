//! The machine itself: services, firewall, processes, power.

use crate::invocation_view::InvocationView;
use crate::words::words;
use crate::{Category, Refusal};

const POWER: &[&str] =
    words!("shutdown reboot halt poweroff telinit kexec rtcwake pm-suspend pm-hibernate");
const FIREWALL: &[&str] = words!(
    "iptables ip6tables nft ufw firewall-cmd pfctl iptables-restore ebtables ipfw ipset netsh"
);
const KERNEL: &[&str] = words!(
    "rmmod modprobe insmod sysctl setenforce kmod auditctl aa-disable aa-teardown swapoff csrutil
     spctl"
);

/// Prefixes of commands that only print information.
const READING: &[&str] = words!(
    "status list show get tail pid avail version help query statistics summary introspect tree
     user-status session-status seat-status monitor"
);

const INSTEAD: &str = "Start and stop only processes of the project, by their process id";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or_default();
    let changes = match view.program.as_str() {
        "systemctl" => !matches!(
            first,
            "" | "status"
                | "is-active"
                | "is-enabled"
                | "list-units"
                | "list-unit-files"
                | "show"
                | "cat"
                | "is-failed"
                | "list-timers"
                | "--version"
                | "list-sockets"
        ),
        "service" | "rc-service" => operands.get(1).is_some_and(|verb| *verb != "status"),
        "launchctl" => !matches!(first, "list" | "print" | "help" | "version" | ""),
        "brew" => {
            first == "services"
                && operands.get(1).is_some_and(|verb| !matches!(*verb, "list" | "info"))
        }
        "supervisorctl" | "loginctl" | "monit" | "resolvectl" | "busctl" | "networkctl" => {
            !first.is_empty() && !READING.iter().any(|verb| first.starts_with(verb))
        }
        "dbus-send" | "gdbus" => {
            words.iter().any(|word| word == "--system")
                && !words.iter().any(|word| {
                    ["Introspect", "Properties.Get", "List"].iter().any(|call| word.contains(call))
                })
        }
        "route" => matches!(first, "add" | "del" | "delete" | "change" | "flush"),
        "initctl" | "sv" | "rc-update" | "chkconfig" | "update-rc.d" | "s6-svc" => true,
        "journalctl" => words.iter().any(|word| word.starts_with("--vacuum") || word == "--rotate"),
        "date" => words
            .iter()
            .any(|word| word == "-s" || word.starts_with("--set") || word.starts_with("-s")),
        "timedatectl" | "hostnamectl" | "localectl" => first.starts_with("set"),
        "hwclock" | "chronyd" | "ntpdate" => true,
        "init" => matches!(first, "0" | "1" | "6"),
        "sysctl" => words.iter().any(|word| {
            word.contains('=') || matches!(word.as_str(), "-w" | "-p" | "--system" | "--load")
        }),
        "iptables" | "ip6tables" | "nft" | "ufw" | "firewall-cmd" | "pfctl" => {
            !only_lists(&view.program, &words)
        }
        "ip" | "ifconfig" | "nmcli" | "networksetup" => words.iter().any(|word| {
            words!("down del delete flush add set off replace change append")
                .contains(&word.as_str())
        }),
        "kill" => kills_all(&words) || kills_all_of_user(view),
        "killall" | "pkill" | "killall5" | "skill" => sweeps(view, &words),
        program => {
            POWER.contains(&program)
                || FIREWALL.contains(&program)
                || (KERNEL.contains(&program)
                    && !words.iter().any(|word| word == "--version" || word == "status"))
        }
    };
    let touches_kernel = view.effects.iter().any(|effect| {
        effect.action.changes()
            && matches!(&effect.place, crate::place::Place::At(path) if path.starts_with("/proc/sys") || path.starts_with("/sys") && !path.starts_with("/sys/fs/cgroup"))
            || effect.action.changes() && matches!(&effect.place, crate::place::Place::At(path) if path.as_os_str() == "/proc/sysrq-trigger")
    });
    let is_service = view
        .invocation
        .words
        .first()
        .is_some_and(|word| word.known_start().starts_with("/etc/init.d/"))
        && first != "status";
    if changes || touches_kernel || is_service {
        return view.refuse(
            Category::ServiceControl,
            "it changes services, processes or settings of the machine",
            INSTEAD,
        );
    }
    None
}

fn only_lists(program: &str, words: &[String]) -> bool {
    match program {
        "nft" => words.first().is_some_and(|word| word == "list"),
        "ufw" => words.first().is_some_and(|word| word == "status"),
        "firewall-cmd" => words.iter().any(|word| {
            word.starts_with("--list") || word.starts_with("--get") || word == "--state"
        }),
        "pfctl" => words.first().is_some_and(|word| word.starts_with("-s")),
        _ => words.iter().any(|word| {
            words!("-L --list -S --list-rules -nL -Ln -nvL -vnL -V --version")
                .contains(&word.as_str())
        }),
    }
}

fn kills_all(words: &[String]) -> bool {
    let mut is_first = true;
    words.iter().any(|word| {
        let is_signal =
            std::mem::replace(&mut is_first, false) && word.starts_with('-') && words.len() > 1;
        (word == "-1" && !is_signal)
            || word == "1" && !is_signal && words.iter().all(|word| word != "-s" && word != "-n")
            || (word == "0"
                && words.iter().any(|word| word == "-9" || word == "-KILL" || word == "-SIGKILL"))
    })
}

/// Kills all processes that `ps` lists for a user, without a filter.
fn kills_all_of_user(view: &InvocationView<'_>) -> bool {
    let sources = view.word_sources(view.words);
    let all: Vec<_> = sources.iter().filter_map(|&source| view.other(source)).collect();
    let picks = ["grep", "egrep", "rg", "awk", "sed", "head", "tail"];
    let by_user = |word: &shell_analysis::Word| {
        let word = word.shown();
        ["-u", "-U", "--user", "-A", "-e", "aux", "ax"].iter().any(|option| word == *option)
    };
    all.iter().any(|(program, words)| program == "ps" && words.iter().any(by_user))
        && !all.iter().any(|(program, _)| picks.contains(&program.as_str()))
}

/// A process name is allowed; all processes of a user, or a very short name, are not.
fn sweeps(view: &InvocationView<'_>, words: &[String]) -> bool {
    const SHARED: &[&str] = words!(
        "sshd systemd init dockerd containerd bash sh zsh launchd Finder WindowServer
         NetworkManager cron dbus-daemon login Xorg gnome-shell tmux screen code"
    );
    let by_user = words.iter().any(|word| {
        word.starts_with("-u")
            || word.starts_with("-U")
            || word.starts_with("--user")
            || word == "--uid"
            || word.starts_with("--euid")
    });
    let names: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let wide = names.iter().any(|name| {
        matches!(*name, "." | ".*" | "" | "*" | "^" | "/" | "a" | "e") || SHARED.contains(name)
    });
    view.is(&["killall5"])
        || by_user
        || wide
        || names.is_empty()
            && !words.iter().any(|word| word == "-l" || word == "-V" || word == "--version")
}
