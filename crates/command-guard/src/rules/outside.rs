//! Creating, changing or removing files outside the project.

use crate::effects::FileAction;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, is_temporary_folder, owner_of};
use crate::words::words;
use crate::{Category, Refusal};

const INSTEAD: &str = "Write inside the project or a temporary folder. The user can allow other folders in the settings";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if installs(view) {
        return view.refuse(
            Category::WriteOutside,
            "it changes the installed packages of the machine",
            INSTEAD,
        );
    }
    let wrong = view.effects.iter().find_map(|effect| {
        let Place::At(path) = &effect.place else {
            return None;
        };
        if owner_of(path, view.context) != PathOwner::Outside
            || crate::network::is_socket(&path.to_string_lossy())
        {
            return None;
        }
        match effect.action {
            FileAction::Write if is_temporary_folder(path, view.context) => None,
            FileAction::Write | FileAction::Append => Some("it writes outside the project"),
            FileAction::Delete | FileAction::DeleteTree | FileAction::MoveAway => {
                Some("it removes files outside the project")
            }
            FileAction::LinkTo => Some("the link would lead outside the project"),
            FileAction::Mode | FileAction::ModeTree | FileAction::Read | FileAction::ReadTree => {
                None
            }
        }
    });
    view.refuse(Category::WriteOutside, wrong?, INSTEAD)
}

/// The system's package managers. Those of languages install into user folders.
fn installs(view: &InvocationView<'_>) -> bool {
    let words = view.shown_words();
    let tries = words.iter().any(|word| {
        matches!(word.as_str(), "-s" | "--simulate" | "--dry-run" | "--help" | "--version")
    });
    let verb =
        words.iter().find(|word| !word.starts_with('-')).map(String::as_str).unwrap_or_default();
    let changes = match view.program.as_str() {
        "apt" | "apt-get" | "aptitude" | "dnf" | "yum" | "zypper" | "apk" | "snap" | "flatpak"
        | "port" => words!(
            "install remove purge upgrade dist-upgrade full-upgrade autoremove add del erase
                 update reinstall"
        )
        .contains(&verb),
        "dpkg" | "rpm" => words.iter().any(|word| {
            words!("-i --install -r -P -e -U -Uvh -ivh --purge --remove").contains(&word.as_str())
        }),
        "pip" | "pip3" => words.iter().any(|word| word == "--break-system-packages"),
        "pacman" => words.iter().any(|word| {
            word.starts_with("-S") && !word.contains(['s', 'i'])
                || word.starts_with("-R")
                || word.starts_with("-U")
        }),
        _ => false,
    };
    changes && !tries
}
