//! Running downloaded code without reading it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell_analysis::Word;

use crate::code::{CodeFrom, code_from, preloaded, runs_text};
use crate::command_line_facts::Download;
use crate::effect::{Effect, FileAction};
use crate::effects::{is_remote, observed};
use crate::invocation_view::InvocationView;
use crate::network::{RUNNERS, fetched, is_fetcher};
use crate::place::Place;
use crate::words::words;
use crate::{Category, Refusal};

const WHY: &str = "it runs unread code from the network";
const INSTEAD: &str =
    "Download it to a file in the project and read it, or use the project's package manager";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let is_run = fetched(view, &code_sources(view)) || runs_download(view);
    is_run.then(|| view.refuse(Category::RemoteCode, WHY, INSTEAD)).flatten()
}

/// Programs that run the commands in a file.
const MAKERS: &[&str] = &["make", "gmake", "just", "ninja"];

/// The commands that make the code or the program that a command runs.
fn code_sources(view: &InvocationView<'_>) -> Vec<usize> {
    let mut sources = match code_from(view) {
        // Code that runs its input.
        Some(CodeFrom::Word(code)) if runs_text(&code.shown()) => {
            [view.input_sources(), view.word_sources([&code])].concat()
        }
        Some(CodeFrom::Word(word) | CodeFrom::File(word)) => view.word_sources([&word]),
        Some(CodeFrom::Input) => {
            let targets = view.invocation.redirects.iter().map(|redirect| &redirect.target);
            [view.input_sources(), view.word_sources(targets)].concat()
        }
        None => Vec::new(),
    };
    if view.is(MAKERS) {
        let pipes = view.words.iter().filter(|word| word.known_start().starts_with("/dev/fd/"));
        sources.extend(view.word_sources(pipes));
    }
    if view.program.is_empty() {
        sources.extend(view.word_sources(view.invocation.words.first()));
    }
    sources
}

/// A file that an earlier part of the command line downloaded.
fn runs_download(view: &InvocationView<'_>) -> bool {
    let saved = view.whole.downloads.get_or_init(|| downloads(view));
    let holds = |path: &Path| {
        path.ancestors()
            .filter_map(|folder| Some((folder, saved.get(folder)?)))
            .any(|(folder, one)| one.by < view.index && (folder == path) != one.is_tree)
    };
    let is_download = |place: &Place| match place {
        Place::At(path) => holds(path) || is_fetched_by_code(view, path),
        Place::Temporary | Place::Unknown => false,
    };
    run_files(view).iter().any(is_download)
}

/// Whether earlier code that uses the network names the file.
fn is_fetched_by_code(view: &InvocationView<'_>, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fetches = |(program, words): (Cow<'_, str>, &[Word])| {
        RUNNERS.contains(&program.as_ref())
            && is_fetcher(&program, words)
            && words.iter().any(|word| word.shown().contains(&*name))
    };
    (0..view.index).any(|index| view.other(index).is_some_and(fetches))
}

/// The files whose code a command runs.
pub(crate) fn run_files(view: &InvocationView<'_>) -> Vec<Place> {
    let mut words = preloaded(view);
    let mut run: Vec<Place> = Vec::new();
    match code_from(view) {
        Some(CodeFrom::File(script)) => words.push(script),
        Some(CodeFrom::Input) => {
            run.extend(read_by(view));
            let sources = view.input_sources().into_iter();
            let sources = sources.filter_map(|source| observed(source, view.whole));
            run.extend(sources.flat_map(|source| read_by(&source)));
        }
        Some(CodeFrom::Word(_)) | None => {}
    }
    words.extend(
        view.invocation.words.first().filter(|word| word.known_start().contains('/')).cloned(),
    );
    let valued = ["f", "file", "makefile", "m", "C", "directory"];
    let arguments = view.arguments(&valued);
    if view.is(MAKERS) {
        words.extend(arguments.values(&["f", "file", "makefile"]).cloned());
        let folders = arguments.values(&["C", "directory"]).map(Word::shown);
        words.extend(folders.map(|folder| Word::of(format!("{folder}/Makefile"))));
    }
    if view.program.starts_with("python") {
        let modules = arguments.values(&["m"]).map(Word::shown);
        words.extend(modules.map(|name| Word::of(format!("{}.py", name.replace('.', "/")))));
    }
    run.extend(words.iter().map(|word| view.place(word)));
    run
}

fn read_by(view: &InvocationView<'_>) -> Vec<Place> {
    let reads = view.effects.iter().filter(|effect| effect.action == FileAction::Read);
    reads.map(|effect| effect.place.clone()).collect()
}

/// The files that commands download, with those that a downloaded archive leaves behind.
fn downloads(view: &InvocationView<'_>) -> BTreeMap<PathBuf, Download> {
    let mut saved: BTreeMap<PathBuf, Download> = BTreeMap::new();
    for by in 0..view.analysis.invocations.len() {
        let Some((program, words)) = view.other(by) else { continue };
        let is = |names: &[&str]| names.contains(&program.as_ref());
        let sources = || words.split_last().map(|(_, sources)| sources).unwrap_or_default();
        let clones = program == "git" && words.iter().any(|word| word.shown() == "clone");
        let fetches = clones
            || is_fetcher(&program, words)
            || is(&["scp", "rsync", "sftp"]) && sources().iter().any(is_remote);
        let unpacks = is(words!("tar bsdtar unzip 7z cpio"));
        let passes_on = unpacks || is(words!("tee dd cat base64 gunzip sponge"));
        // A downloaded file may first be moved or unpacked.
        let moves = !saved.is_empty() && (unpacks || is(&["mv", "cp"]));
        if !(fetches || passes_on || moves) {
            continue;
        }
        let Some(other) = InvocationView::of(by, view.whole) else { continue };
        let is_fetched = fetches || passes_on && fetched(&other, &other.input_sources());
        let other = (is_fetched || moves).then(|| observed(by, view.whole));
        let Some(other) = other.flatten() else { continue };
        let paths = |effect: &Effect| Some((effect.place.path()?.to_owned(), effect.action));
        let paths: Vec<(PathBuf, FileAction)> = other.effects.iter().filter_map(paths).collect();
        let known: Vec<&PathBuf> =
            paths.iter().map(|(path, _)| path).filter(|path| saved.contains_key(*path)).collect();
        let is_download = is_fetched || moves && !known.is_empty();
        let folders = known.into_iter().filter(|_| unpacks).filter_map(|archive| unpacked(archive));
        let mut found: Vec<(PathBuf, bool)> = folders.map(|folder| (folder, true)).collect();
        let changed = paths.iter().filter(|(_, action)| action.changes());
        let is_tree = |path: &Path| (unpacks || clones) && !view.context.project.starts_with(path);
        found.extend(changed.map(|(path, _)| (path.clone(), is_tree(path))));
        for (path, is_tree) in found.into_iter().filter(|_| is_download) {
            saved.entry(path).or_insert(Download { by, is_tree });
        }
    }
    saved
}

/// The folder that an archive usually creates: its name without the extension.
fn unpacked(archive: &Path) -> Option<PathBuf> {
    let name = archive.file_name()?.to_str()?;
    let stem = [".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".zip", ".tar", ".7z"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))?;
    Some(archive.with_file_name(stem))
}
