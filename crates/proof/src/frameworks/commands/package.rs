//! Finds the package of a test file and the program that runs its tests.

use std::path::Path;

use super::super::spec::Program;
use super::super::template::fill;

/// The nearest folder above `file` with one of `markers`, as a path from `root`; empty for the root,
/// also if there is no marker.
pub(super) fn folder(file: &str, markers: &[&str], root: &Path) -> String {
    let mut folder = file;
    while let Some((above, _)) = folder.rsplit_once('/') {
        folder = above;
        if markers.iter().any(|marker| root.join(folder).join(marker).is_file()) {
            return folder.to_owned();
        }
    }
    String::new()
}

/// How to start the framework from the package in `folder`.
pub(super) fn program(programs: &[Program], folder: &str, root: &Path) -> String {
    programs.iter().find_map(|program| started_by(program, folder, root)).unwrap_or_default()
}

fn started_by(program: &Program, folder: &str, root: &Path) -> Option<String> {
    if program.file.is_empty() {
        return Some(program.command.to_owned());
    }
    let mut folder = folder;
    let mut up = String::from("./");
    loop {
        if root.join(folder).join(program.file).exists() {
            return Some(fill(program.command, |placeholder| {
                (placeholder == "up").then(|| up.clone())
            }));
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        up = if up == "./" { "../".to_owned() } else { format!("../{up}") };
    }
}
