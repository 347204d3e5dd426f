//! Parses a git command line: its folder, settings, subcommand and arguments.

use std::path::PathBuf;

use shell_analysis::Word;

use crate::arguments::{Arguments, without_start};
use crate::invocation_view::InvocationView;
use crate::place::{Place, place};

pub(crate) struct GitCall<'a> {
    /// The last `-C`.
    pub(crate) folder: Option<Word>,
    /// `-c name=value`.
    pub(crate) settings: Vec<Word>,
    pub(crate) command: String,
    pub(crate) words: &'a [Word],
}

impl<'a> GitCall<'a> {
    pub(crate) fn of(view: &InvocationView<'a>) -> Option<Self> {
        if !view.is(&["git", "hub"]) {
            return None;
        }
        let words = view.words;
        let mut call =
            Self { folder: None, settings: Vec::new(), command: String::new(), words: &[] };
        let set = |wanted: &str| {
            let found = view.invocation.assignments.iter().rev().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        };
        call.folder = set("GIT_WORK_TREE").or_else(|| set("GIT_DIR"));
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let start = word.known_start();
            match start.as_str() {
                "-C" => call.folder = words.get(at + 1).cloned(),
                "-c" | "--config-env" => call.settings.extend(words.get(at + 1).cloned()),
                "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                    call.folder = call.folder.or_else(|| words.get(at + 1).cloned());
                }
                _ if start.starts_with("--work-tree=") => {
                    call.folder = Some(without_start(word, 12));
                    at += 1;
                    continue;
                }
                _ if start.starts_with('-') => {
                    at += 1;
                    continue;
                }
                _ => {
                    call.command = word.shown();
                    call.words = &words[at + 1..];
                    return Some(call);
                }
            }
            at += 2;
        }
        (!call.settings.is_empty()).then_some(call)
    }

    pub(crate) fn arguments(&self, valued: &[&str]) -> Arguments {
        Arguments::of(self.words, valued)
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.words.iter().map(Word::shown).collect()
    }

    /// The folder that it works in, if known.
    pub(crate) fn place(&self, view: &InvocationView<'_>) -> Option<PathBuf> {
        let own = view.folder();
        match &self.folder {
            None => own,
            Some(folder) => match place(folder, own.as_deref(), view.analysis, view.context) {
                Place::At(path) => Some(path),
                _ => None,
            },
        }
    }
}
