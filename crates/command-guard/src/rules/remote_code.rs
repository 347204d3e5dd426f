//! Running downloaded code without reading it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell_analysis::Word;

use super::inner_options::preloaded;
use crate::code::{CodeFrom, code_from, is_shell};
use crate::effects::{FileAction, is_remote};
use crate::invocation_view::InvocationView;
use crate::network::{fetched, is_fetcher};
use crate::place::Place;
use crate::{Category, Refusal};

const WHY: &str = "it runs unread code from the network";
const INSTEAD: &str =
    "Download it to a file in the project and read it, or use the project's package manager";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if runs_fetched(view) || runs_download(view) || names_address(view) {
        return view.refuse(Category::RemoteCode, WHY, INSTEAD);
    }
    None
}

fn runs_fetched(view: &InvocationView<'_>) -> bool {
    // A downloaded program name is run.
    if view.program.is_empty() && fetched(view, &view.word_sources(view.invocation.words.first())) {
        return true;
    }
    if runs_its_input(view) && fetched(view, &view.input_sources()) {
        return true;
    }
    match code_from(view) {
        Some(CodeFrom::Input) => {
            fetched(view, &view.input_sources()) || reads_fetched_redirect(view)
        }
        Some(CodeFrom::Word(word) | CodeFrom::File(word)) => {
            fetched(view, &view.word_sources([&word]))
        }
        None => false,
    }
}

/// Programs whose arguments make them run their input.
fn runs_its_input(view: &InvocationView<'_>) -> bool {
    const RUNS: &[&str] = &[
        "system(",
        "exec(",
        "eval",
        "| \"sh\"",
        "|\"sh\"",
        "| \"bash\"",
        "|\"bash\"",
        "popen(",
        "execSync(",
        "spawn(",
    ];
    let words = view.shown_words();
    match view.program.as_str() {
        "make" | "gmake" | "ninja" | "just" => {
            words.iter().any(|word| word == "-" || word == "-f-" || word == "/dev/stdin")
        }
        "sed" | "gsed" => words.iter().any(|word| super::inner::sed_runs(word)),
        "ed" | "ex" | "dc" | "m4" => true,
        "at" | "batch" | "crontab" | "psql" | "mysql" => {
            words.is_empty() || words.iter().any(|word| word == "-" || word == "now")
        }
        _ => match code_from(view) {
            Some(CodeFrom::Word(code)) => RUNS.iter().any(|call| code.shown().contains(call)),
            _ => false,
        },
    }
}

fn reads_fetched_redirect(view: &InvocationView<'_>) -> bool {
    let targets = view.invocation.redirects.iter().map(|redirect| &redirect.target);
    fetched(view, &view.word_sources(targets))
}

/// A file that an earlier part of the command line downloaded.
fn runs_download(view: &InvocationView<'_>) -> bool {
    let saved = view.whole.saved.get_or_init(|| saved(view));
    run_files(view).iter().any(|place| match place {
        Place::At(path) => saved.holds(path, view.index),
        Place::Temporary | Place::Unknown => false,
    })
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
            let sources = sources.filter_map(|source| InvocationView::of(source, view.whole));
            run.extend(sources.flat_map(|source| read_by(&source)));
        }
        Some(CodeFrom::Word(_)) | None => {}
    }
    words.extend(
        view.invocation.words.first().filter(|word| word.known_start().contains('/')).cloned(),
    );
    let valued = ["f", "file", "makefile", "m"];
    let arguments = view.arguments(&valued);
    if view.is(&["make", "gmake", "just", "ninja"]) {
        words.extend(arguments.values(&["f", "file", "makefile"]).cloned());
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

/// Downloaded files, with the first command that wrote each.
#[derive(Debug, Default)]
pub(crate) struct Downloads {
    files: BTreeMap<PathBuf, usize>,
    /// Folders with unpacked files.
    trees: BTreeMap<PathBuf, usize>,
}

impl Downloads {
    fn holds(&self, path: &Path, before: usize) -> bool {
        let in_tree = path.ancestors().skip(1).filter_map(|folder| self.trees.get(folder));
        self.files.get(path).into_iter().chain(in_tree).any(|by| *by < before)
    }
}

fn saved(view: &InvocationView<'_>) -> Downloads {
    let mut saved = Downloads::default();
    for index in 0..view.analysis.invocations.len() {
        let Some((program, words)) = view.other(index) else {
            continue;
        };
        let copies = matches!(program.as_str(), "scp" | "rsync" | "sftp")
            && words.split_last().is_some_and(|(_, sources)| sources.iter().any(is_remote));
        let fetches = is_fetcher(&program, words) || copies;
        let unpacks = matches!(program.as_str(), "tar" | "bsdtar" | "unzip" | "7z" | "cpio");
        let passes_on = unpacks
            || matches!(program.as_str(), "tee" | "dd" | "cat" | "base64" | "gunzip" | "sponge");
        // A downloaded file may first be moved or unpacked.
        let moves = (unpacks || matches!(program.as_str(), "mv" | "cp")) && !saved.files.is_empty();
        if !(fetches || passes_on || moves) {
            continue;
        }
        let Some(other) = InvocationView::of(index, view.whole) else {
            continue;
        };
        let known = other.effects.iter().filter_map(|effect| match &effect.place {
            Place::At(path) if saved.files.contains_key(path) => Some(path.clone()),
            _ => None,
        });
        let known: Vec<PathBuf> = known.collect();
        let is_remote = fetches
            || (moves && !known.is_empty())
            || (passes_on && fetched(&other, &other.input_sources()));
        if unpacks && is_remote {
            let folders = known.iter().filter_map(|archive| unpacked(archive));
            saved.trees.extend(folders.map(|folder| (folder, index)));
        }
        for effect in
            other.effects.into_iter().filter(|effect| is_remote && effect.action.changes())
        {
            let Place::At(path) = effect.place else {
                continue;
            };
            let is_whole = view.context.project.starts_with(&path);
            if unpacks && !is_whole {
                saved.trees.entry(path).or_insert(index);
            } else {
                saved.files.entry(path).or_insert(index);
            }
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

/// Runners that accept a URL in place of a package or a file.
fn names_address(view: &InvocationView<'_>) -> bool {
    let runs = view.is(&["npx", "bunx", "uvx", "pnpx"])
        || (view.is(&["deno", "bun"]) && view.subcommand().as_deref() == Some("run"))
        || (view.is(&["pnpm", "yarn"]) && view.subcommand().as_deref() == Some("dlx"))
        || (view.is(&["pipx"]) && view.subcommand().as_deref() == Some("run"))
        || (is_shell(&view.program) && !view.is(&["eval"]))
        || view.is(&["mshta", "iex"]);
    let is_address = |word: &Word| {
        let start = word.known_start();
        ["http://", "https://", "git+http", "ftp://"].iter().any(|scheme| start.starts_with(scheme))
    };
    let package = view
        .words
        .iter()
        .filter(|word| {
            !word.known_start().starts_with('-') && !matches!(word.shown().as_str(), "run" | "dlx")
        })
        .take(1);
    runs && package.into_iter().any(is_address)
        && !view.words.iter().any(|word| word.shown() == "-c")
}
