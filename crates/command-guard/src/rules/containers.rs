//! Containers with files of the machine, and roots outside the project.

use shell_analysis::{Piece, Word};

use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, owner_of};
use crate::words::words;
use crate::{Category, Refusal};

pub(super) const ENGINES: &[&str] =
    words!("docker podman nerdctl docker-compose podman-compose ctr crictl buildah");
pub(super) const CLUSTERS: &[&str] = &["kubectl", "oc", "k"];

const INSTEAD: &str = "Mount only the project, and give the container only the default permissions";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let mounts = || {
        const NAMES: &[&str] = &["v", "volume", "mount"];
        let arguments = view.arguments(NAMES);
        arguments.values(NAMES).filter_map(source).find_map(|word| mounted(view, &word))
    };
    let root = || view.words.iter().find(|word| !word.known_start().starts_with('-'));
    let why = match view.program.as_ref() {
        "chroot" => mounted(view, root()?).map(|_| "it leaves the isolation of a container"),
        _ if view.is(ENGINES) => mounts(),
        _ => None,
    };
    view.refuse(Category::ContainerEscape, why?, INSTEAD)
}

/// Why a container may not get these files.
fn mounted(view: &InvocationView<'_>, source: &Word) -> Option<&'static str> {
    let place = view.place(source);
    let path = place.path()?;
    if path.to_string_lossy().contains(".sock") {
        return Some("the container can control the engine");
    }
    let is_outside = owner_of(path, view.context) == PathOwner::Outside;
    is_outside.then_some("the container gets files outside the project")
}

/// The path on the machine in `/path:/inside` or `type=bind,source=/path`; a name is a volume of the engine.
fn source(value: &Word) -> Option<Word> {
    let start = value.known_start();
    let named =
        ["source=", "src="].iter().find_map(|name| start.find(name).map(|at| at + name.len()));
    let (word, end) = match named {
        Some(at) => (value.without_start(at), ','),
        // A path inside the container alone is a new volume.
        None if start.contains('=') || value.text().is_some_and(|text| !text.contains(':')) => {
            return None;
        }
        None => (value.clone(), ':'),
    };
    let word = until(word, end);
    let shown = word.shown();
    let is_path =
        shown.contains(['/', '~']) || word.text().is_none() || shown == "." || shown == "..";
    is_path.then_some(word)
}

fn until(word: Word, end: char) -> Word {
    let mut pieces = Vec::new();
    for piece in word.pieces {
        if let Piece::Text(text) | Piece::Glob(text) = &piece
            && let Some((before, _)) = text.split_once(end)
        {
            pieces.push(Piece::Text(before.to_owned()));
            break;
        }
        pieces.push(piece);
    }
    Word { pieces }
}
