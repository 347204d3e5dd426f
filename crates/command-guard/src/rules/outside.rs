//! Files outside the project that would be made, changed or taken away.

use crate::effects::Deed;
use crate::place::{Place, Whose, is_temporary_folder, whose};
use crate::view::View;
use crate::{Category, Refusal};

const INSTEAD: &str =
    "Write inside the project or a temporary folder; the settings can open another place";

pub(super) fn judge(view: &View<'_>) -> Option<Refusal> {
    if installs(view) {
        return view.refuse(
            Category::WriteOutside,
            "it changes what is installed on the machine",
            INSTEAD,
        );
    }
    let wrong = view.effects.iter().find_map(|effect| {
        let Place::At(path) = &effect.place else { return None };
        if whose(path, view.context) != Whose::Outside
            || crate::network::is_socket(&path.to_string_lossy())
        {
            return None;
        }
        match effect.deed {
            Deed::Write if is_temporary_folder(path, view.context) => None,
            Deed::Write | Deed::Append => Some("it writes outside the project"),
            Deed::Delete | Deed::DeleteTree | Deed::MoveAway => {
                Some("it takes away what lies outside the project")
            }
            Deed::LinkTo => Some("the link would lead outside the project"),
            Deed::Mode | Deed::ModeTree | Deed::Read | Deed::ReadTree => None,
        }
    });
    view.refuse(Category::WriteOutside, wrong?, INSTEAD)
}

/// The system's own package managers. Those of languages keep to folders of the user's.
fn installs(view: &View<'_>) -> bool {
    let words = view.shown_words();
    let tries = words.iter().any(|word| {
        matches!(word.as_str(), "-s" | "--simulate" | "--dry-run" | "--help" | "--version")
    });
    let verb =
        words.iter().find(|word| !word.starts_with('-')).map(String::as_str).unwrap_or_default();
    let changes = match view.program.as_str() {
        "apt" | "apt-get" | "aptitude" | "dnf" | "yum" | "zypper" | "apk" | "snap" | "flatpak"
        | "port" => {
            matches!(
                verb,
                "install"
                    | "remove"
                    | "purge"
                    | "upgrade"
                    | "dist-upgrade"
                    | "full-upgrade"
                    | "autoremove"
                    | "add"
                    | "del"
                    | "erase"
                    | "update"
                    | "reinstall"
            )
        }
        "dpkg" | "rpm" => words.iter().any(|word| {
            matches!(
                word.as_str(),
                "-i" | "--install"
                    | "-r"
                    | "-P"
                    | "-e"
                    | "-U"
                    | "-Uvh"
                    | "-ivh"
                    | "--purge"
                    | "--remove"
            )
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
