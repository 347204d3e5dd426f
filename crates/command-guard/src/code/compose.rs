//! The services that compose would start, by the lines of their file.

use shell_analysis::Word;

use super::build_files::content;
use crate::Category;
use crate::contents::Files;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;
use crate::place::{PathOwner, Place, owner_of};
use crate::policy_table::Reason;
use crate::words::words;

/// Settings without quotes, and why they are refused.
const HARMS: &[(&str, &str)] = &[
    ("privileged: true", "a service gets full access to the machine"),
    ("pid: host", "a service sees the machine's processes"),
    ("cap_add: ALL", "a service runs without isolation"),
    ("cap_add: *SYS_*", "a service runs without isolation"),
    ("security_opt: *unconfined*", "a service runs without isolation"),
    ("*docker.sock*", "a service can control the container engine"),
];

/// What is wrong with the services.
pub(super) fn reason(view: &InvocationView<'_>, file: Files<'_>) -> Option<Reason> {
    const USUAL: &[&str] =
        words!("compose.yaml compose.yml docker-compose.yml docker-compose.yaml");
    let arguments = view.arguments(&["f", "file", "p", "project-name", "profile"]);
    let has = |names: &[&str]| {
        arguments.operands.iter().any(|word| names.contains(&word.shown().as_str()))
    };
    let is_compose = view.is(&["docker-compose", "podman-compose"])
        || view.is(&["docker", "podman", "nerdctl"]) && has(&["compose"]);
    if !is_compose || !has(&["up", "run", "create", "start"]) {
        return None;
    }
    let text = content(view, &arguments, USUAL, file)?.replace(['"', '\''], "");
    let mut key = "";
    // A list in brackets means the same as one item per line.
    let why = text.split(['\n', '[', ']', '{', '}', ',']).find_map(|line| {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let item = line.trim_start_matches(['-', ' ']);
        let value = match item.split_once(':') {
            Some((name, value)) if value.is_empty() || value.starts_with(' ') => {
                key = name;
                value.trim()
            }
            _ => item,
        };
        let setting = format!("{key}: {value}");
        let found = HARMS.iter().find(|(harm, _)| glob(harm, &setting)).map(|(_, why)| *why);
        let is_outside = || mounts_outside(view, &setting);
        found.or_else(|| is_outside().then_some("a service gets files outside the project"))
    })?;
    let instead = "Give the services only the default permissions";
    Some(Reason { category: Category::ContainerEscape, why, instead })
}

/// Whether a setting is a volume from outside the project.
fn mounts_outside(view: &InvocationView<'_>, setting: &str) -> bool {
    let volume = || Some(setting.strip_prefix("volumes: ")?.split_once(':')?.0);
    let source = setting.strip_prefix("source: ").or_else(volume);
    let Some(path) = source.filter(|path| path.starts_with(['/', '~', '.'])) else { return false };
    let home = view.home().map(|home| home.to_string_lossy()).unwrap_or_default();
    let place = view.place(&Word::of(path.replacen('~', &home, 1)));
    matches!(place, Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside)
}
