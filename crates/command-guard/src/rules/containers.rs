//! Containers without isolation: with access to the machine, its files or its devices.

use std::path::Path;

use shell_analysis::{Input, Word};

use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of, place};
use crate::words::words;
use crate::{Category, Refusal};

pub(super) const ENGINES: &[&str] =
    words!("docker podman nerdctl docker-compose podman-compose ctr crictl buildah");
pub(super) const CLUSTERS: &[&str] = &["kubectl", "oc", "k"];
const MACHINES: &[&str] = &["lxc", "lxc-start", "incus"];

/// Programs that leave a container, or start one without isolation.
const ESCAPE_PROGRAMS: &[&str] = &["nsenter", "unshare", "systemd-nspawn"];

/// Capabilities that break the isolation of a container.
const DANGEROUS_CAPABILITIES: &[&str] =
    &["ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH", "SYS_BOOT", "DAC_OVERRIDE"];

const INSTEAD: &str = "Mount only the project, and give the container only the default permissions";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let why = leaves(view, &words)
        .or_else(|| reaches_engine(view, &words))
        .or_else(|| starts_with_rights(view, &words))
        .or_else(|| {
            let engine = || runs(view, &words).or_else(|| sets_up(view, &words));
            view.is(ENGINES).then(|| engine().or_else(|| removes(&words)))?
        })?;
    view.refuse(Category::ContainerEscape, why, INSTEAD)
}

fn leaves(view: &InvocationView<'_>, words: &[String]) -> Option<&'static str> {
    let names_leaver =
        |word: &String| ESCAPE_PROGRAMS.contains(&word.rsplit('/').next().unwrap_or_default());
    let inside = (view.is(ENGINES) || view.is(CLUSTERS) || view.is(MACHINES))
        && words.iter().any(names_leaver);
    let is_outside = |root: &Word| matches!(view.place(root), Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside);
    let root = view.words.iter().find(|word| !word.known_start().starts_with('-'));
    let other_root = view.is(&["chroot"]) && root.is_some_and(is_outside);
    let other_user = view.is(&["podman"]) && words.first().is_some_and(|word| word == "unshare");
    (view.is(ESCAPE_PROGRAMS) || other_root || inside || other_user)
        .then_some("it leaves the isolation of a container")
}

fn reaches_engine(view: &InvocationView<'_>, words: &[String]) -> Option<&'static str> {
    const FILES: &[&str] = &["release_agent", "core_pattern", "docker.sock"];
    let is_engines = |path: &Path| {
        path.starts_with("/sys/fs/cgroup") || FILES.iter().any(|file| path.ends_with(file))
    };
    let changes = view.effects.iter().any(|effect| {
        effect.action.changes() && matches!(&effect.place, Place::At(path) if is_engines(path))
    });
    let says =
        |names: &[&str]| words.iter().any(|word| names.iter().any(|name| word.contains(name)));
    if changes || (view.is(&["sh", "bash"]) && says(&["release_agent"])) {
        return Some("it changes the machine's container setup");
    }
    let connects = view.is(&["curl", "nc", "socat", "ncat"]);
    (connects && says(&["docker.sock", "containerd.sock"]))
        .then_some("it talks to the container engine directly")
}

fn starts_with_rights(view: &InvocationView<'_>, words: &[String]) -> Option<&'static str> {
    if view.is(CLUSTERS) && (has_rights_of_node(view, words) || debugs_node(words)) {
        return Some("it starts a pod with access to its node");
    }
    let privileged = || words.iter().any(|word| word.contains("security.privileged=true"));
    (view.is(MACHINES) && (privileged() || gives_path(view, "source=")))
        .then_some("it starts a container with access to the machine")
}

/// Pod definitions, in words or on standard input.
fn has_rights_of_node(view: &InvocationView<'_>, words: &[String]) -> bool {
    const RIGHTS: &[&str] = &["privileged:true", "hostPID:true", "hostIPC:true", "hostPath"];
    let input = match &view.invocation.input {
        Input::Text { text, .. } => text.shown(),
        _ => String::new(),
    };
    let text = format!("{} {input}", words.join(" "));
    let plain = text.replace(|letter: char| letter.is_whitespace() || "\"'".contains(letter), "");
    RIGHTS.iter().any(|right| plain.contains(right))
}

fn debugs_node(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "debug")
        && words.iter().any(|word| word.starts_with("node/"))
}

/// Whether a setting of this name points outside the project.
fn gives_path(view: &InvocationView<'_>, name: &str) -> bool {
    view.words.iter().any(|word| {
        let start = word.known_start();
        start.find(name).is_some_and(|at| {
            let path = crate::arguments::without_start(word, at + name.len());
            matches!(view.place(&path), Place::At(path) if mounted(&path, view).is_some())
        })
    })
}

fn runs(view: &InvocationView<'_>, words: &[String]) -> Option<&'static str> {
    let starts = words.iter().take(40).any(|word| {
        matches!(word.as_str(), "run" | "create" | "exec" | "build" | "update" | "service")
    });
    if !starts {
        return None;
    }
    let value = |at: usize, name: &str| -> Option<String> {
        let word = &words[at];
        match word.strip_prefix(name) {
            Some("") => words.get(at + 1).cloned(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        }
    };
    for (at, word) in words.iter().enumerate() {
        if word == "--privileged" || word == "--privileged=true" {
            return Some("the container gets full access to the machine");
        }
        for name in ["--pid", "--uts", "--cgroupns"] {
            if value(at, name).as_deref() == Some("host") {
                return Some("the container sees the machine's processes");
            }
        }
        if let Some(capability) = value(at, "--cap-add") {
            let name = capability.trim_start_matches("CAP_").to_ascii_uppercase();
            if DANGEROUS_CAPABILITIES.contains(&name.as_str()) {
                return Some("the container gets capabilities that break its isolation");
            }
        }
        if value(at, "--security-opt").is_some_and(|option| {
            option.contains("unconfined")
                || option.contains("label=disable")
                || option.contains("label:disable")
                || option.contains("no-new-privileges:false")
        }) {
            return Some("the container runs without isolation");
        }
        if value(at, "--device")
            .is_some_and(|device| !device.contains("/dev/dri") && !device.contains("nvidia"))
            || value(at, "--device-cgroup-rule").is_some()
        {
            return Some("the container gets a device of the machine");
        }
        if value(at, "--allow")
            .or_else(|| value(at, "--security"))
            .is_some_and(|value| value.contains("insecure"))
        {
            return Some("the build runs without isolation");
        }
        if let Some(why) = mount(view, at) {
            return Some(why);
        }
    }
    None
}

/// Objects that give later containers additional access.
fn sets_up(view: &InvocationView<'_>, words: &[String]) -> Option<&'static str> {
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    match operands.as_slice() {
        ["volume", "create", ..] if gives_path(view, "device=") => {
            Some("the volume is a folder outside the project")
        }
        ["plugin", "install" | "enable" | "set" | "upgrade", ..] => {
            Some("an engine plugin has full access to the machine")
        }
        _ => None,
    }
}

/// `-v`, `--volume` and `--mount`: the path on the machine.
fn mount(view: &InvocationView<'_>, at: usize) -> Option<&'static str> {
    let word = view.words.get(at)?;
    let start = word.known_start();
    let (name, value) = match start.as_str() {
        "-v" | "--volume" | "--mount" => (start.clone(), view.words.get(at + 1)?.clone()),
        _ if start.starts_with("--volume=") => {
            ("-v".into(), crate::arguments::without_start(word, 9))
        }
        _ if start.starts_with("--mount=") => {
            ("--mount".into(), crate::arguments::without_start(word, 8))
        }
        _ if start.starts_with("-v") && start.len() > 2 && !start.starts_with("--") => {
            ("-v".into(), crate::arguments::without_start(word, 2))
        }
        _ => return None,
    };
    let source = if name == "--mount" { mount_source(&value)? } else { before_colon(&value)? };
    let shown = source.shown();
    // A name without a slash is a volume of the engine.
    if !shown.contains(['/', '~']) && source.text().is_some() && shown != "." && shown != ".." {
        return None;
    }
    match place(&source, view.folder().as_deref(), view.analysis, view.context) {
        Place::At(path) => mounted(&path, view),
        Place::Temporary | Place::Unknown => None,
    }
}

fn mounted(path: &Path, view: &InvocationView<'_>) -> Option<&'static str> {
    if path.to_string_lossy().contains(".sock") {
        return Some("the container can control the engine");
    }
    match owner_of(path, view.context) {
        PathOwner::Outside => Some("the container gets files outside the project"),
        _ => None,
    }
}

fn before_colon(word: &Word) -> Option<Word> {
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        if let shell_analysis::Piece::Text(text) | shell_analysis::Piece::Glob(text) = piece
            && let Some(at) = text.find(':')
        {
            pieces.push(shell_analysis::Piece::Text(text[..at].to_owned()));
            return Some(Word { pieces });
        }
        pieces.push(piece.clone());
    }
    None
}

fn mount_source(word: &Word) -> Option<Word> {
    let start = word.known_start();
    let at =
        ["source=", "src="].iter().find_map(|name| start.find(name).map(|at| at + name.len()))?;
    let rest = crate::arguments::without_start(word, at);
    match rest.known_start().find(',') {
        Some(end) => Some(Word::of(&rest.known_start()[..end])),
        None => Some(rest),
    }
}

fn removes(words: &[String]) -> Option<&'static str> {
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let all = words.iter().any(|word| word == "$(…)");
    match operands.as_slice() {
        ["system", "prune", ..] if has(&["-a", "--all", "--volumes", "-af", "-fa"]) => {
            Some("it deletes container data of all projects on this machine")
        }
        ["volume", "rm" | "remove" | "prune", ..] => Some("it deletes the data of containers"),
        ["rm" | "kill" | "stop" | "rmi", ..]
        | ["container", "rm" | "kill" | "stop", ..]
        | ["image", "rm", ..]
            if all =>
        {
            Some("it removes containers of other projects")
        }
        ["swarm" | "node", "leave" | "rm", ..]
        | ["container" | "image" | "network" | "builder", "prune", ..]
            if has(&["-a", "--all", "-af", "-fa", "--force"])
                && operands.first() != Some(&"builder") =>
        {
            Some("it removes images or networks of other projects")
        }
        _ => None,
    }
}
