//! Facts about a whole command line, computed once: renamed programs, links, downloaded files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Folder, Input, Invocation, Word};

use crate::CommandContext;
use crate::place::{Place, place};
use crate::program_name::{is_known_program, program_of};
use crate::protected_places::ProtectedPlaces;

/// An analyzed command line with its context.
pub(crate) struct CommandLineFacts<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) context: &'a CommandContext,
    /// Downloaded files, with the first command that wrote each.
    pub(crate) downloads: OnceCell<BTreeMap<PathBuf, Download>>,
    /// Whether an endless loop has a bounded speed.
    pub(crate) paced: OnceCell<bool>,
    /// Names of git remotes on other machines that the command line adds.
    pub(crate) new_remotes: OnceCell<Vec<String>>,
    protected: &'a OnceCell<ProtectedPlaces>,
    renamed: OnceCell<RenamedPrograms>,
    links: OnceCell<BTreeMap<PathBuf, CreatedBy<PathBuf>>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Download {
    pub(crate) by: usize,
    /// Everything below the path was unpacked there.
    pub(crate) is_tree: bool,
}

/// Programs that the command line has renamed.
#[derive(Default)]
struct RenamedPrograms {
    files: BTreeMap<PathBuf, CreatedBy<String>>,
    names: BTreeMap<String, CreatedBy<String>>,
}

/// A fact created by one command, which applies to later ones.
struct CreatedBy<T> {
    by: usize,
    what: T,
}

impl<'a> CommandLineFacts<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        context: &'a CommandContext,
        protected: &'a OnceCell<ProtectedPlaces>,
    ) -> Self {
        Self {
            analysis,
            context,
            downloads: OnceCell::new(),
            paced: OnceCell::new(),
            new_remotes: OnceCell::new(),
            protected,
            renamed: OnceCell::new(),
            links: OnceCell::new(),
        }
    }

    pub(crate) fn protected(&self) -> &ProtectedPlaces {
        self.protected.get_or_init(|| ProtectedPlaces::of(self.context))
    }

    /// Whether the chains of commands that feed each other are too long to be checked in time.
    pub(crate) fn is_tangled(&self) -> bool {
        const LONGEST_CHAIN: usize = 64;
        const MOST_STEPS: usize = 4_000_000;
        let mut lengths: Vec<usize> = Vec::with_capacity(self.analysis.invocations.len());
        let (mut fed, mut edges) = (0_usize, 0_usize);
        for invocation in &self.analysis.invocations {
            let sources = direct_sources(invocation);
            fed += usize::from(!sources.is_empty());
            edges += sources.len();
            let longest = sources.iter().filter_map(|&source| lengths.get(source)).max();
            lengths.push(longest.map_or(0, |length| length + 1));
        }
        lengths.into_iter().any(|length| length > LONGEST_CHAIN)
            || fed.saturating_mul(edges) > MOST_STEPS
    }

    /// All commands that contribute to the output of these, including themselves.
    pub(crate) fn all_sources(&self, first: Vec<usize>) -> Vec<usize> {
        let mut seen = vec![false; self.analysis.invocations.len()];
        let (mut waiting, mut all) = (first, Vec::new());
        while let Some(index) = waiting.pop() {
            let Some(invocation) = self.analysis.invocations.get(index) else { continue };
            if !std::mem::replace(&mut seen[index], true) {
                all.push(index);
                waiting.extend(direct_sources(invocation));
            }
        }
        all
    }

    /// The real program of a command with this program and place of its first word.
    pub(crate) fn real_program(
        &self,
        index: usize,
        program: &str,
        file: Option<&Path>,
    ) -> Option<&str> {
        let renamed = self.renamed.get_or_init(|| self.find_renamed_programs());
        let found = match file {
            Some(path) => renamed.files.get(path),
            None => renamed.names.get(program),
        };
        found.filter(|made| made.by < index).map(|made| made.what.as_str())
    }

    fn find_renamed_programs(&self) -> RenamedPrograms {
        let mut renamed = RenamedPrograms::default();
        for (by, invocation) in self.analysis.invocations.iter().enumerate() {
            let operands: Vec<&Word> = operands(invocation).take(3).collect();
            match (invocation.program().as_deref(), operands.as_slice()) {
                (Some("hash"), [path, name, ..]) => {
                    renamed.names.insert(name.shown(), CreatedBy { by, what: program_of(path) });
                }
                (Some("cp" | "ln" | "mv" | "install"), [source, target]) => {
                    let made = self.program_at(source).zip(self.path(target, invocation));
                    renamed.files.extend(made.map(|(what, file)| (file, CreatedBy { by, what })));
                }
                _ => {}
            }
        }
        renamed
    }

    /// The program that a path names: in a program folder, or printed by `command -v`.
    fn program_at(&self, word: &Word) -> Option<String> {
        if let Some(text) = word.text() {
            // `command -v` is parsed as the name alone.
            return match text.rsplit_once('/') {
                Some((folder, name)) => folder.ends_with("bin").then(|| name.to_owned()),
                None => is_known_program(&text).then_some(text),
            };
        }
        let source = self.analysis.invocations.get(word.sources().next()?)?;
        let prints_path =
            matches!(source.program()?.as_str(), "command" | "which" | "type" | "whereis");
        source.arguments().last().filter(|_| prints_path).map(program_of)
    }

    fn path(&self, word: &Word, invocation: &Invocation) -> Option<PathBuf> {
        let Folder::Known(folder) = &invocation.folder else { return None };
        match place(word, Some(folder), self.analysis, self.context) {
            Place::At(path) => Some(path),
            Place::Temporary | Place::Unknown => None,
        }
    }

    /// Where a path leads that is a link made by the command line, or below one; `through` also for the link itself.
    pub(crate) fn linked(&self, index: usize, path: &Path, through: bool) -> Option<PathBuf> {
        let links = self.links.get_or_init(|| self.find_links());
        let mut above = path.ancestors().filter(|_| !links.is_empty());
        let (from, link) = above
            .find_map(|folder| links.get_key_value(folder).filter(|(_, link)| link.by < index))?;
        let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
        (through || !rest.as_os_str().is_empty()).then(|| link.what.join(rest))
    }

    fn find_links(&self) -> BTreeMap<PathBuf, CreatedBy<PathBuf>> {
        let invocations = self.analysis.invocations.iter().enumerate();
        let link = |(by, invocation): (usize, &Invocation)| {
            let mut operands =
                operands(invocation).filter(|_| invocation.program().as_deref() == Some("ln"));
            let (to, from) = (operands.next()?, operands.next()?);
            Some((self.path(from, invocation)?, CreatedBy { by, what: self.path(to, invocation)? }))
        };
        invocations.filter_map(link).collect()
    }
}

fn operands(invocation: &Invocation) -> impl Iterator<Item = &Word> {
    invocation.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}

/// The commands that feed one, by its input or in its words.
pub(crate) fn direct_sources(invocation: &Invocation) -> Vec<usize> {
    let targets = invocation.redirects.iter().map(|redirect| &redirect.target);
    let values = invocation.assignments.iter().map(|(_, value)| value);
    let words = invocation.words.iter().chain(targets).chain(values);
    words.flat_map(Word::sources).chain(input_of(invocation).iter().copied()).collect()
}

/// The commands that print its input.
pub(crate) fn input_of(invocation: &Invocation) -> &[usize] {
    match &invocation.input {
        Input::Inherited => &[],
        Input::Text { from, .. } | Input::Pipe { from } => from,
    }
}
