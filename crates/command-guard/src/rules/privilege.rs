//! Gaining more permissions, now or later.

use crate::invocation_view::InvocationView;
use crate::place::Place;
use crate::words::words;
use crate::{Category, Refusal};

const BECOME: &[&str] = words!(
    "sudo doas su pkexec runas gosu su-exec run0 sudoedit dzdo please gksudo kdesudo machinectl
     setpriv runuser capsh"
);

const TOOLS: &[&str] = words!(
    "setcap visudo passwd chpasswd usermod useradd adduser gpasswd groupadd deluser userdel vipw
     chsh newgrp addgroup vigr dscl"
);

const FILES: &[&str] = words!(
    "/etc/sudoers /etc/sudoers.d /etc/passwd /etc/group /etc/shadow /etc/doas.conf /etc/polkit-1
     /etc/gshadow /etc/security"
);

const INSTEAD: &str = "Work without additional permissions. The user can install missing tools, or allow this command in the settings";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let asks_only = view.shown_words().iter().all(|word| word == "--version" || word == "-V")
        && !view.words.is_empty();
    if (view.is(BECOME) && !asks_only) || view.runs_through(BECOME) || takes_group(view) {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it takes more permissions than the loop has",
            INSTEAD,
        );
    }
    if view.is(TOOLS) {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it changes users or the permissions of programs",
            INSTEAD,
        );
    }
    let as_root = view.is(&["systemd-run"])
        && view.shown_words().iter().any(|word| word.starts_with("--uid"));
    if as_root {
        return view.refuse(Category::PrivilegeEscalation, "it runs as another user", INSTEAD);
    }
    if super::permissions::sets_id(view) {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it makes a program run with its owner's permissions",
            INSTEAD,
        );
    }
    if view.is(&["osascript"])
        && view.shown_words().iter().any(|word| word.contains("administrator privileges"))
    {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it asks for administrator permissions",
            INSTEAD,
        );
    }
    let target_is_init = |words: &[String]| {
        words.windows(2).any(|pair| matches!(pair, [option, pid] if (option == "-t" || option == "--target") && pid == "1"))
            || words.iter().any(|word| word == "-t1" || word == "--target=1")
    };
    if view.is(&["nsenter"]) && target_is_init(&view.shown_words()) {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it enters the namespaces of the machine itself",
            INSTEAD,
        );
    }
    let touches = view.effects.iter().any(|effect| {
        effect.action.changes() && matches!(&effect.place, Place::At(path) if FILES.iter().any(|file| path.starts_with(file)))
    });
    if touches {
        return view.refuse(
            Category::PrivilegeEscalation,
            "it changes the permission rules of this machine",
            INSTEAD,
        );
    }
    None
}

/// `sg group -c command`. Another program with this name searches code.
fn takes_group(view: &InvocationView<'_>) -> bool {
    let words = view.shown_words();
    let searches = ["run", "scan", "test", "new", "lsp"];
    view.is(&["sg"])
        && words.get(1).is_some_and(|word| word == "-c")
        && !searches.contains(&words[0].as_str())
}
