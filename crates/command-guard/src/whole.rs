//! What is found out once about a whole text: programs under other names, links, files from the network.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell_analysis::{Act, Folder, Reading, Word};

use crate::CommandContext;
use crate::place::{Place, place};
use crate::rules::Saved;
use crate::view::{View, direct_sources, is_known_program, program_of};

/// A text as it was read, and where.
pub(crate) struct Whole<'a> {
    pub(crate) reading: &'a Reading,
    pub(crate) context: &'a CommandContext,
    /// Files that came from the network, and by which act first.
    pub(crate) saved: OnceCell<Saved>,
    /// Whether an endless loop has its pace from elsewhere.
    pub(crate) paced: OnceCell<bool>,
    /// Places that are the loop's own.
    pub(crate) own_places: OnceCell<Vec<PathBuf>>,
    /// Remotes of git that the text makes up, by their addresses.
    pub(crate) new_remotes: OnceCell<Vec<String>>,
    disguises: OnceCell<Disguises>,
    links: OnceCell<BTreeMap<PathBuf, Made<PathBuf>>>,
}

/// Programs that the text itself has given other names.
#[derive(Default)]
struct Disguises {
    files: BTreeMap<PathBuf, Made<String>>,
    names: BTreeMap<String, Made<String>>,
}

/// What an act has made: it holds for those that come after it.
struct Made<T> {
    by: usize,
    what: T,
}

/// Acts that are fed by each other, one behind the other: more than anybody writes.
const LONGEST_CHAIN: usize = 64;

/// How much looking up what feeds what may cost, in steps.
const MOST_STEPS: usize = 4_000_000;

impl<'a> Whole<'a> {
    pub(crate) fn new(reading: &'a Reading, context: &'a CommandContext) -> Self {
        Self {
            reading,
            context,
            saved: OnceCell::new(),
            paced: OnceCell::new(),
            own_places: OnceCell::new(),
            new_remotes: OnceCell::new(),
            disguises: OnceCell::new(),
            links: OnceCell::new(),
        }
    }

    /// Whether more acts feed each other than can be looked at in time.
    pub(crate) fn is_tangled(&self) -> bool {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.reading.acts.len());
        let (mut fed, mut edges) = (0_usize, 0_usize);
        for act in &self.reading.acts {
            let sources = direct_sources(act);
            fed += usize::from(!sources.is_empty());
            edges += sources.len();
            let longest = sources.iter().filter_map(|&source| lengths.get(source)).max();
            lengths.push(longest.map_or(0, |length| length + 1));
        }
        lengths.into_iter().any(|length| length > LONGEST_CHAIN)
            || fed.saturating_mul(edges) > MOST_STEPS
    }

    /// The program that really stands behind the name of this one.
    pub(crate) fn disguised(&self, view: &View<'_>) -> Option<&str> {
        let disguises = self.disguises.get_or_init(|| self.find_disguises());
        let found = if disguises.files.is_empty() && disguises.names.is_empty() {
            None
        } else {
            let word = view.act.words.first()?;
            match view.place(word) {
                Place::At(path) if word.known_start().contains('/') => disguises.files.get(&path),
                _ => disguises.names.get(&view.program),
            }
        };
        found.filter(|made| made.by < view.index).map(|made| made.what.as_str())
    }

    fn find_disguises(&self) -> Disguises {
        let mut disguises = Disguises::default();
        for (by, act) in self.reading.acts.iter().enumerate() {
            let operands: Vec<&Word> = operands(act).take(3).collect();
            match (act.program().as_deref(), operands.as_slice()) {
                (Some("hash"), [path, name, ..]) => {
                    disguises.names.insert(name.shown(), Made { by, what: program_of(path) });
                }
                (Some("cp" | "ln" | "mv" | "install"), [source, target]) => {
                    if let (Some(what), Some(file)) =
                        (self.program_at(source), self.path(target, act))
                    {
                        disguises.files.insert(file, Made { by, what });
                    }
                }
                _ => {}
            }
        }
        disguises
    }

    /// Which program a path names: in a folder of programs, or as `command -v` tells.
    fn program_at(&self, word: &Word) -> Option<String> {
        if let Some(text) = word.text() {
            // `command -v` is read as the name alone.
            let Some((folder, name)) = text.rsplit_once('/') else {
                return is_known_program(&text).then_some(text);
            };
            return folder.ends_with("bin").then(|| name.to_owned());
        }
        let source = self.reading.acts.get(word.sources().next()?)?;
        let tells = matches!(source.program()?.as_str(), "command" | "which" | "type" | "whereis");
        source.arguments().last().filter(|_| tells).map(program_of)
    }

    fn path(&self, word: &Word, act: &Act) -> Option<PathBuf> {
        let Folder::Known(folder) = &act.folder else { return None };
        match place(word, Some(folder), self.reading, self.context) {
            Place::At(path) => Some(path),
            _ => None,
        }
    }

    /// What an act does behind a link that the text itself has made, it does where the link leads.
    pub(crate) fn follow_links(&self, view: &mut View<'_>) {
        let links = self.links.get_or_init(|| self.find_links());
        if links.is_empty() || view.is(&["ln"]) {
            return;
        }
        for effect in &mut view.effects {
            let Place::At(path) = &effect.place else { continue };
            let mut above = path.ancestors().filter_map(|folder| links.get_key_value(folder));
            let Some((from, link)) = above.find(|(_, link)| link.by < view.index) else { continue };
            let rest = path.strip_prefix(from).unwrap_or(Path::new(""));
            // The link itself can be taken away without harm to what it leads to.
            if !rest.as_os_str().is_empty() || effect.deed.writes_through() {
                effect.place = Place::At(link.what.join(rest));
            }
        }
    }

    fn find_links(&self) -> BTreeMap<PathBuf, Made<PathBuf>> {
        let acts = self.reading.acts.iter().enumerate();
        let links = acts.filter(|(_, act)| act.program().as_deref() == Some("ln"));
        let link = |(by, act): (usize, &Act)| {
            let mut operands = operands(act);
            let (to, from) = (operands.next()?, operands.next()?);
            Some((self.path(from, act)?, Made { by, what: self.path(to, act)? }))
        };
        links.filter_map(link).collect()
    }
}

fn operands(act: &Act) -> impl Iterator<Item = &Word> {
    act.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}
