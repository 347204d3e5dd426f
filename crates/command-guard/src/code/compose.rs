//! The services that compose would start, as the options of one container.

use super::build_files::content;
use crate::contents::Files;
use crate::invocation_view::InvocationView;
use crate::words::words;

/// The command that would start a container with the settings of all services in the file.
pub(super) fn command(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    const USUAL: &[&str] =
        words!("compose.yaml compose.yml docker-compose.yml docker-compose.yaml");
    let is_engine = view.is(&["docker", "podman", "nerdctl"]);
    if !is_engine && !view.is(&["docker-compose", "podman-compose"]) {
        return None;
    }
    let arguments = view.arguments(&["f", "file", "p", "project-name", "profile"]);
    let has =
        |names: &[&str]| arguments.operands.iter().any(|word| names.contains(&&*word.shown()));
    if is_engine && !has(&["compose"]) || !has(&["up", "run", "create", "start"]) {
        return None;
    }
    let text = content(view, &arguments, USUAL, file)?.replace(['"', '\''], "");
    let (mut key, mut command) = ("", "docker run".to_owned());
    // A list in brackets means the same as one item per line.
    for line in text.split(['\n', '[', ']', '{', '}', ',']) {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let item = line.trim_start_matches(['-', ' ']);
        let value = match item.split_once(':') {
            Some((name, value)) if value.is_empty() || value.starts_with(' ') => {
                key = name;
                value.trim()
            }
            _ => item,
        };
        let option = match key {
            _ if value.is_empty() => continue,
            // With a blank, because a shell expands `~` only at the start of a word.
            "volumes" | "source" => "--volume ",
            "privileged" if value == "true" => "--privileged=",
            "pid" => "--pid=",
            "ipc" => "--ipc=",
            "cap_add" => "--cap-add=",
            "security_opt" => "--security-opt=",
            _ => continue,
        };
        command.extend([" ", option, value]);
    }
    Some(command + " image")
}
