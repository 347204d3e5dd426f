//! Parses a git command line: its folder, settings, subcommand and arguments.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use shell_analysis::{Arguments, Word};

use crate::invocation_view::InvocationView;
use crate::place::place;
use crate::words::words;

pub(crate) struct GitCall<'a> {
    /// The last `-C`, or the one of the environment.
    pub(crate) folder: Option<Word>,
    /// `-c name=value`.
    pub(crate) settings: Vec<Word>,
    pub(crate) command: Cow<'a, str>,
    pub(crate) words: &'a [Word],
}

impl<'a> GitCall<'a> {
    pub(crate) fn of(view: &InvocationView<'a>) -> Option<Self> {
        const VALUED: &[&str] = words!("C c config-env git-dir work-tree namespace exec-path");
        if !view.is(&["git", "hub"]) {
            return None;
        }
        let (options, rest) = Arguments::leading(view.words, VALUED);
        let set = |wanted: &str| {
            let found = view.invocation.assignments.iter().rev().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone())
        };
        let named = options
            .values(&["C"])
            .last()
            .or(options.value(&["work-tree"]))
            .or(options.value(&["git-dir"]));
        let folder = named.cloned().or_else(|| set("GIT_WORK_TREE")).or_else(|| set("GIT_DIR"));
        let settings: Vec<Word> = options.values(&["c", "config-env"]).cloned().collect();
        let (command, words) = match rest.split_first() {
            Some((command, words)) => (command.shown(), words),
            None if settings.is_empty() => return None,
            None => (Cow::default(), rest),
        };
        Some(Self { folder, settings, command, words })
    }

    pub(crate) fn arguments(&self, valued: &[&str]) -> Arguments {
        Arguments::of(self.words, valued)
    }

    pub(crate) fn texts(&self) -> Vec<Cow<'a, str>> {
        self.words.iter().map(Word::shown).collect()
    }

    /// The folder that it works in, if known.
    pub(crate) fn place(&self, view: &InvocationView<'_>) -> Option<PathBuf> {
        let own = view.folder();
        match &self.folder {
            None => own.map(Cow::into_owned),
            Some(folder) => place(folder, own.as_deref(), view.analysis, view.context)
                .path()
                .map(Path::to_owned),
        }
    }
}
