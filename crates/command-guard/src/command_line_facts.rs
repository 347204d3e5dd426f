//! Facts about a whole command line, computed once: renamed programs, links, downloaded files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Folder, Invocation, Word};

use crate::CommandContext;
use crate::invocation_view::{InvocationView, direct_sources, is_known_program, program_of};
use crate::place::{Place, place};
use crate::protected_places::ProtectedPlaces;
use crate::rules::Downloads;

/// An analyzed command line with its context.
pub(crate) struct CommandLineFacts<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) context: &'a CommandContext,
    /// Downloaded files, with the first command that wrote each.
    pub(crate) saved: OnceCell<Downloads>,
    /// Whether an endless loop has a bounded speed.
    pub(crate) paced: OnceCell<bool>,
    protected: &'a OnceCell<ProtectedPlaces>,
    /// URLs of git remotes that the command line adds.
    pub(crate) new_remotes: OnceCell<Vec<String>>,
    disguises: OnceCell<RenamedPrograms>,
    links: OnceCell<BTreeMap<PathBuf, CreatedBy<PathBuf>>>,
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

/// The longest chain of commands that feed each other.
const LONGEST_CHAIN: usize = 64;

/// Limits the steps of the search for what feeds what.
const MOST_STEPS: usize = 4_000_000;

impl<'a> CommandLineFacts<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        context: &'a CommandContext,
        protected: &'a OnceCell<ProtectedPlaces>,
    ) -> Self {
        Self {
            analysis,
            context,
            saved: OnceCell::new(),
            paced: OnceCell::new(),
            protected,
            new_remotes: OnceCell::new(),
            disguises: OnceCell::new(),
            links: OnceCell::new(),
        }
    }

    pub(crate) fn protected(&self) -> &ProtectedPlaces {
        self.protected.get_or_init(|| ProtectedPlaces::of(self.context))
    }

    /// Whether the chains are too long to be checked in time.
    pub(crate) fn is_tangled(&self) -> bool {
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

    /// The real program behind this name.
    pub(crate) fn real_program(&self, view: &InvocationView<'_>) -> Option<&str> {
        let disguises = self.disguises.get_or_init(|| self.find_renamed_programs());
        let found = if disguises.files.is_empty() && disguises.names.is_empty() {
            None
        } else {
            let word = view.invocation.words.first()?;
            match view.place(word) {
                Place::At(path) if word.known_start().contains('/') => disguises.files.get(&path),
                _ => disguises.names.get(&view.program),
            }
        };
        found.filter(|made| made.by < view.index).map(|made| made.what.as_str())
    }

    fn find_renamed_programs(&self) -> RenamedPrograms {
        let mut disguises = RenamedPrograms::default();
        for (by, invocation) in self.analysis.invocations.iter().enumerate() {
            let operands: Vec<&Word> = operands(invocation).take(3).collect();
            match (invocation.program().as_deref(), operands.as_slice()) {
                (Some("hash"), [path, name, ..]) => {
                    disguises.names.insert(name.shown(), CreatedBy { by, what: program_of(path) });
                }
                (Some("cp" | "ln" | "mv" | "install"), [source, target]) => {
                    if let (Some(what), Some(file)) =
                        (self.program_at(source), self.path(target, invocation))
                    {
                        disguises.files.insert(file, CreatedBy { by, what });
                    }
                }
                _ => {}
            }
        }
        disguises
    }

    /// The program that a path names: in a program folder, or printed by `command -v`.
    fn program_at(&self, word: &Word) -> Option<String> {
        if let Some(text) = word.text() {
            // `command -v` is parsed as the name alone.
            let Some((folder, name)) = text.rsplit_once('/') else {
                return is_known_program(&text).then_some(text);
            };
            return folder.ends_with("bin").then(|| name.to_owned());
        }
        let source = self.analysis.invocations.get(word.sources().next()?)?;
        let prints_path =
            matches!(source.program()?.as_str(), "command" | "which" | "type" | "whereis");
        source.arguments().last().filter(|_| prints_path).map(program_of)
    }

    fn path(&self, word: &Word, invocation: &Invocation) -> Option<PathBuf> {
        let Folder::Known(folder) = &invocation.folder else {
            return None;
        };
        match place(word, Some(folder), self.analysis, self.context) {
            Place::At(path) => Some(path),
            _ => None,
        }
    }

    /// Moves effects behind a link that the command line created to the link's target.
    pub(crate) fn follow_links(&self, view: &mut InvocationView<'_>) {
        let links = self.links.get_or_init(|| self.find_links());
        if links.is_empty() || view.is(&["ln"]) {
            return;
        }
        for effect in &mut view.effects {
            let Place::At(path) = &effect.place else {
                continue;
            };
            let mut above = path.ancestors().filter_map(|folder| links.get_key_value(folder));
            let Some((from, link)) = above.find(|(_, link)| link.by < view.index) else {
                continue;
            };
            let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
            // Removing the link itself does not affect its target.
            if !rest.as_os_str().is_empty() || effect.action.writes_through() {
                effect.place = Place::At(link.what.join(rest));
            }
        }
    }

    fn find_links(&self) -> BTreeMap<PathBuf, CreatedBy<PathBuf>> {
        let invocations = self.analysis.invocations.iter().enumerate();
        let links =
            invocations.filter(|(_, invocation)| invocation.program().as_deref() == Some("ln"));
        let link = |(by, invocation): (usize, &Invocation)| {
            let mut operands = operands(invocation);
            let (to, from) = (operands.next()?, operands.next()?);
            Some((self.path(from, invocation)?, CreatedBy { by, what: self.path(to, invocation)? }))
        };
        links.filter_map(link).collect()
    }
}

fn operands(invocation: &Invocation) -> impl Iterator<Item = &Word> {
    invocation.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}
