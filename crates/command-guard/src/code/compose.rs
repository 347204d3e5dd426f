//! The services that compose would start, by the lines of their file.

use shell_analysis::Word;

use super::build_files::content;
use crate::contents::Files;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;
use crate::place::{PathOwner, Place, owner_of};

const USUAL: &[&str] =
    &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

/// A key, its value, and why it is refused.
const HARMS: &[(&str, &str, &str)] = &[
    ("privileged", "true", "a service gets full access to the machine"),
    ("pid", "host", "a service sees the machine's processes"),
    ("cap_add", "ALL", "a service runs without isolation"),
    ("cap_add", "*SYS_*", "a service runs without isolation"),
    ("security_opt", "*unconfined*", "a service runs without isolation"),
    ("*", "*docker.sock*", "a service can control the container engine"),
];

/// What is wrong with the services.
pub(super) fn harm(view: &InvocationView<'_>, file: Files<'_>) -> Option<&'static str> {
    let arguments = view.arguments(&["f", "file", "p", "project-name", "profile"]);
    let has = |names: &[&str]| {
        arguments.operands.iter().any(|word| names.contains(&word.shown().as_str()))
    };
    let is_compose = view.is(&["docker-compose", "podman-compose"])
        || view.is(&["docker", "podman", "nerdctl"]) && has(&["compose"]);
    if !is_compose || !has(&["up", "run", "create", "start"]) {
        return None;
    }
    // A list in brackets means the same as one item per line.
    let text = content(view, &arguments, USUAL, file)?;
    let text =
        text.replace(['[', ','], "\n- ").replace(['{', '}', ']'], "\n").replace(['"', '\''], "");
    let mut key = "";
    text.lines().find_map(|line| {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let item = line.trim_start_matches(['-', ' ']);
        let value = match item.split_once(':') {
            Some((name, value)) if item == line || value.is_empty() || value.starts_with(' ') => {
                key = name;
                value.trim()
            }
            _ => item,
        };
        line_harm(view, key, value)
    })
}

fn line_harm(view: &InvocationView<'_>, key: &str, value: &str) -> Option<&'static str> {
    let found = HARMS.iter().find(|(keys, values, _)| glob(keys, key) && glob(values, value));
    let is_mount = key == "source" || key == "volumes" && value.contains(':');
    let source =
        value.split(':').next().filter(|path| is_mount && path.starts_with(['/', '~', '.']));
    found.map(|(_, _, why)| *why).or_else(|| {
        let home = view.home().map(|home| home.to_string_lossy()).unwrap_or_default();
        let place = view.place(&Word::of(source?.replacen('~', &home, 1)));
        matches!(place, Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside)
            .then_some("a service gets files outside the project")
    })
}
