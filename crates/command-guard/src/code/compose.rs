//! The services that compose would start, by the lines of their file.

use shell_analysis::Word;

use super::build_files::content;
use crate::contents::Files;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of};

const USUAL: &[&str] =
    &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

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
    match (key, value) {
        ("privileged", "true") => Some("a service gets full access to the machine"),
        ("pid", "host") => Some("a service sees the machine's processes"),
        ("cap_add", "ALL" | "SYS_ADMIN" | "SYS_MODULE" | "CAP_SYS_ADMIN" | "SYS_RAWIO") => {
            Some("a service runs without isolation")
        }
        ("security_opt", _) if value.contains("unconfined") => {
            Some("a service runs without isolation")
        }
        ("volumes" | "source" | "device", _) if value.contains("docker.sock") => {
            Some("a service can control the container engine")
        }
        ("volumes", _) if !value.contains(':') => None,
        ("volumes" | "source" | "device", _) => {
            let source =
                value.split(':').next().filter(|source| source.starts_with(['/', '~', '.']))?;
            let home = view.home().map(|home| home.to_string_lossy()).unwrap_or_default();
            match view.place(&Word::of(source.replacen('~', &home, 1))) {
                Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside => {
                    Some("a service gets files outside the project")
                }
                _ => None,
            }
        }
        _ => None,
    }
}
