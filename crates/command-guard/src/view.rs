//! One act among the others, and what rules ask of it. Not here: what is refused.

use std::path::{Path, PathBuf};

use shell_analysis::{Act, Input, Piece, Reading, Through, Unknown, Word};

use crate::arguments::{Arguments, without_start};
use crate::effects::Effect;
use crate::pattern;
use crate::place::{Place, Whose, place, whose};
use crate::whole::Whole;
use crate::{Category, CommandContext, Refusal};

/// An act as a rule sees it.
pub(crate) struct View<'a> {
    pub(crate) whole: &'a Whole<'a>,
    pub(crate) act: &'a Act,
    pub(crate) index: usize,
    pub(crate) reading: &'a Reading,
    pub(crate) context: &'a CommandContext,
    /// Without its folder; empty where it is unknown.
    pub(crate) program: String,
    /// What follows the program.
    pub(crate) words: &'a [Word],
    pub(crate) effects: Vec<Effect>,
}

/// Programs that start the one that their first word names.
fn is_loader(program: &str) -> bool {
    matches!(program, "busybox" | "toybox")
        || program.starts_with("ld-linux")
        || program.starts_with("ld-musl")
}

/// What a program's name given as a pattern is taken for, if it fits.
const TAKEN_FOR: &[&str] = &[
    "rm",
    "dd",
    "cat",
    "sh",
    "bash",
    "nc",
    "curl",
    "wget",
    "chmod",
    "chown",
    "mkfs",
    "cp",
    "mv",
    "base64",
    "sudo",
    "find",
    "shred",
    "tee",
    "head",
    "tail",
    "python3",
    "perl",
    "ln",
    "kill",
    "scp",
    "git",
    "mkfs.ext4",
];

impl<'a> View<'a> {
    pub(crate) fn of(index: usize, whole: &'a Whole<'a>) -> Option<Self> {
        let (reading, context) = (whole.reading, whole.context);
        let act = reading.acts.get(index)?;
        let mut words = act.arguments();
        let mut program = act.words.first().map(program_of).unwrap_or_default();
        if is_loader(&program)
            && let Some((inner, rest)) = words.split_first()
        {
            program = program_of(inner);
            words = rest;
        }
        let mut view =
            Self { whole, act, index, reading, context, program, words, effects: Vec::new() };
        if let Some(real) = whole.disguised(&view) {
            view.program = real.to_owned();
        }
        view.effects = crate::effects::of(&view);
        whole.follow_links(&mut view);
        Some(view)
    }

    pub(crate) fn is(&self, programs: &[&str]) -> bool {
        programs.contains(&self.program.as_str())
    }

    pub(crate) fn arguments(&self, valued: &[&str]) -> Arguments {
        Arguments::of(self.words, valued)
    }

    /// The arguments as texts; unknown ones as people see them.
    pub(crate) fn shown_words(&self) -> Vec<String> {
        self.words.iter().map(Word::shown).collect()
    }

    /// The first operand: what a program of many commands is to do.
    pub(crate) fn subcommand(&self) -> Option<String> {
        self.words.iter().map(Word::shown).find(|word| !word.starts_with('-'))
    }

    /// The command as people see it.
    pub(crate) fn shown(&self) -> String {
        shown(self.act)
    }

    pub(crate) fn refuse(&self, category: Category, why: &str, instead: &str) -> Option<Refusal> {
        Some(Refusal {
            category,
            what: self.shown(),
            why: why.to_owned(),
            instead: instead.to_owned(),
        })
    }

    /// Whether one of these has it run.
    pub(crate) fn runs_through(&self, wrappers: &[&str]) -> bool {
        let is_one = |through: &Through| matches!(through, Through::Wrapper(name) if wrappers.contains(&name.as_str()));
        self.act.through.iter().any(is_one)
    }

    /// Where it runs.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        crate::listing::folder_of(self.index, self.reading, self.context)
    }

    /// Where a word leads from where it runs.
    pub(crate) fn place(&self, word: &Word) -> Place {
        place(word, self.folder().as_deref(), self.reading, self.context)
    }

    /// Everything that has a part in what it reads or is given.
    pub(crate) fn sources(&self) -> Vec<usize> {
        all_sources(direct_sources(self.act), self.reading)
    }

    /// What its input is made by.
    pub(crate) fn input_sources(&self) -> Vec<usize> {
        all_sources(input_of(self.act).to_vec(), self.reading)
    }

    /// What these words are made by.
    pub(crate) fn word_sources<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> Vec<usize> {
        let first = words.into_iter().flat_map(|word| word.sources().collect::<Vec<_>>()).collect();
        all_sources(first, self.reading)
    }

    /// Other acts, as rules see them, but without what they do.
    pub(crate) fn other(&self, index: usize) -> Option<(String, &'a [Word])> {
        let act = self.reading.acts.get(index)?;
        Some((act.words.first().map(program_of)?, act.arguments()))
    }

    /// Whether any of these words holds a variable that the text does not set.
    pub(crate) fn variables<'w>(words: impl IntoIterator<Item = &'w Word>) -> Vec<String> {
        let mut names = Vec::new();
        for word in words {
            for piece in &word.pieces {
                if let Piece::Unknown(Unknown::Variable(name)) = piece {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// Whether the text has given it a home of its own, in the project or among temporary files.
    pub(crate) fn has_own_home(&self) -> bool {
        let acts = self.reading.acts.iter().take(self.index).rev();
        let mut homes = std::iter::once(self.act).chain(acts).filter_map(set_home);
        homes.next().is_some_and(|home| match self.place(&home) {
            Place::At(path) => {
                matches!(whose(&path, self.context), Whose::Project | Whose::Temporary)
            }
            Place::Temporary => true,
            Place::Unknown => false,
        })
    }

    pub(crate) fn home(&self) -> Option<&'a Path> {
        self.context.home.as_deref()
    }
}

/// What an act sets the home to.
fn set_home(act: &Act) -> Option<Word> {
    const HOMES: &[&str] = &["HOME", "GIT_CONFIG_GLOBAL"];
    let assigned = act.assignments.iter().find(|(name, _)| HOMES.contains(&name.as_str()));
    let exports = act.words.first().is_some_and(|word| word.shown() == "export");
    let exported = act.arguments().iter().filter(|_| exports).find_map(|word| {
        let start = word.known_start();
        let (name, _) = start.split_once('=')?;
        HOMES.contains(&name).then(|| without_start(word, name.len() + 1))
    });
    assigned.map(|(_, value)| value.clone()).or(exported)
}

pub(crate) fn shown(act: &Act) -> String {
    const MOST: usize = 200;
    let assignments =
        act.assignments.iter().map(|(name, value)| format!("{name}={}", value.shown()));
    let words = act.words.iter().map(Word::shown);
    let redirects = act.redirects.iter().map(|redirect| {
        let sign = match redirect.kind {
            shell_analysis::RedirectKind::Read => "<",
            shell_analysis::RedirectKind::Write => ">",
            shell_analysis::RedirectKind::Append => ">>",
            shell_analysis::RedirectKind::ReadWrite => "<>",
        };
        format!("{sign} {}", redirect.target.shown())
    });
    let all: Vec<String> = assignments.chain(words).chain(redirects).collect();
    let text = all.join(" ");
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The program's name; a pattern counts as the first dangerous program that it fits.
pub(crate) fn program_of(word: &Word) -> String {
    let text = match word.text() {
        Some(text) => text,
        // Behind a folder that is unknown the name may still be known.
        None => match word.pieces.last() {
            Some(Piece::Text(text)) if text.contains('/') => text.clone(),
            _ => return String::new(),
        },
    };
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // One of several builds of the same program, and zsh's way to name where a program lies.
    let builds = [".traditional", ".openbsd", ".tiny", ".basic", ".nox"];
    let name = builds.iter().find_map(|build| name.strip_suffix(build)).unwrap_or(name);
    let name = name.strip_prefix('=').unwrap_or(name);
    if word.has_glob() {
        let taken = TAKEN_FOR.iter().find(|program| pattern::names(name, program));
        return taken.map_or_else(|| name.to_owned(), |program| (*program).to_owned());
    }
    name.to_owned()
}

pub(crate) fn is_known_program(name: &str) -> bool {
    TAKEN_FOR.contains(&name)
}

fn input_of(act: &Act) -> &[usize] {
    match &act.input {
        Input::Inherited => &[],
        Input::Text { from, .. } | Input::Pipe { from } => from,
    }
}

/// Everything that these acts' output is made of, they themselves included.
fn all_sources(first: Vec<usize>, reading: &Reading) -> Vec<usize> {
    let mut seen = vec![false; reading.acts.len()];
    let mut waiting = first;
    let mut all = Vec::new();
    while let Some(index) = waiting.pop() {
        let Some(act) = reading.acts.get(index) else { continue };
        if !std::mem::replace(&mut seen[index], true) {
            all.push(index);
            waiting.extend(direct_sources(act));
        }
    }
    all
}

/// The acts that feed one: by its input or in its words.
pub(crate) fn direct_sources(act: &Act) -> Vec<usize> {
    let words = act.words.iter().chain(act.redirects.iter().map(|redirect| &redirect.target));
    let words = words.chain(act.assignments.iter().map(|(_, value)| value));
    words.flat_map(Word::sources).chain(input_of(act).iter().copied()).collect()
}
