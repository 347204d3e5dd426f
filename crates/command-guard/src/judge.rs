//! From a command to the reasons to refuse it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::GuardScope;
use shell_analysis::{Multiplies, Start, Unread, read};

use crate::code::conduct;
use crate::own_rules::{allowed, denied};
use crate::place::Place;
use crate::rules::{self, CodeToRead};
use crate::view::{View, shown};
use crate::whole::Whole;
use crate::{Category, CommandContext, Refusal};

/// Code inside code inside commands: deeper than this nobody writes by chance.
const DEEPEST: usize = 8;

/// Far longer than any command takes, and far shorter than Claude Code waits for a hook before it goes
/// on without its answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Commands inside code that are looked at, in all.
const MOST_TEXTS: usize = 400;

/// Why the command is refused: each reason once, the most serious first. Empty if it may run.
pub fn judge_command(
    command: &str,
    context: &CommandContext,
    file: &dyn Fn(&Path) -> Option<String>,
) -> Vec<Refusal> {
    let mut judge = Judge {
        context,
        file,
        written: BTreeMap::new(),
        by_code: BTreeMap::new(),
        refusals: Vec::new(),
        texts: 0,
        until: Instant::now() + PATIENCE,
        gave_up: None,
    };
    judge.text(command, &context.folder, 0);
    if let Some((text, why)) = judge.gave_up.take() {
        judge.unread(&text, &[why]);
    }
    let mut refusals = judge.refusals;
    refusals.retain(|refusal| applies(refusal.category, context));
    refusals.sort_by_key(|refusal| refusal.category);
    refusals.dedup_by(|one, other| {
        one.category == other.category && (one.what == other.what || one.why == other.why)
    });
    refusals
}

/// What a wall holds is not looked after a second time, and a category can be switched off.
pub(crate) fn applies(category: Category, context: &CommandContext) -> bool {
    use Category::{
        CloudDestruction, Exfiltration, GitHistory, LoopTampering, OwnRule, PackagePublishing,
    };
    let in_scope = match context.rules.scope {
        GuardScope::Everything => true,
        GuardScope::BeyondTheWall => {
            matches!(
                category,
                GitHistory
                    | Exfiltration
                    | PackagePublishing
                    | CloudDestruction
                    | LoopTampering
                    | OwnRule
            )
        }
    };
    let is_off = || context.rules.allow.iter().any(|rule| rule.trim() == category.name());
    in_scope && (matches!(category, LoopTampering | OwnRule) || !is_off())
}

struct Judge<'a> {
    context: &'a CommandContext,
    file: &'a dyn Fn(&Path) -> Option<String>,
    /// What the texts themselves have put into files.
    written: BTreeMap<PathBuf, String>,
    /// What code of other languages may have put into files.
    by_code: BTreeMap<PathBuf, String>,
    refusals: Vec<Refusal>,
    texts: usize,
    until: Instant,
    /// The text at which there was too much to look at, and why.
    gave_up: Option<(String, Unread)>,
}

impl Judge<'_> {
    fn text(&mut self, text: &str, folder: &Path, depth: usize) {
        self.texts += 1;
        if depth > DEEPEST || self.texts > MOST_TEXTS {
            self.give_up(text, Unread::TooDeep);
        }
        if self.gave_up.is_some() {
            return;
        }
        let reading = read(text, &start(self.context, folder, &self.known_files()));
        self.written.extend(reading.files.clone());
        let is_bound = |unread: &&Unread| !matches!(unread, Unread::Broken { .. });
        match reading.unread.iter().find(is_bound) {
            // It is refused for that, so nobody has to look at the rest.
            Some(bound) if applies(Category::HiddenCode, self.context) => {
                return self.give_up(text, bound.clone());
            }
            _ => self.unread(text, &reading.unread),
        }
        if rules::has_huge_range(text) {
            self.exhausts(
                cut(text, 120),
                "the shell would write out more words than fit into memory",
            );
        }
        for recursion in &reading.recursions {
            if recursion.multiplies == Multiplies::Yes {
                self.exhausts(
                    format!("{}()", recursion.function),
                    "the function starts ever more of itself",
                );
            }
        }
        let whole = Whole::new(&reading, self.context);
        if whole.is_tangled() {
            return self.give_up(text, Unread::TooMuch);
        }
        for index in 0..reading.acts.len() {
            if Instant::now() > self.until {
                self.give_up(text, Unread::TooMuch);
            }
            if self.gave_up.is_some() {
                return;
            }
            self.act(&whole, index, depth);
        }
    }

    /// The first time counts.
    fn give_up(&mut self, text: &str, why: Unread) {
        self.gave_up.get_or_insert_with(|| (cut(text, 120), why));
    }

    /// What a file holds, after what the texts have written.
    fn known_files(&self) -> impl Fn(&Path) -> Option<String> + '_ {
        |path| self.written.get(path).cloned().or_else(|| (self.file)(path))
    }

    fn exhausts(&mut self, what: String, why: &str) {
        let category = Category::ResourceExhaustion;
        self.refusals.push(Refusal {
            category,
            what,
            why: why.into(),
            instead: "Give it an end".into(),
        });
    }

    fn unread(&mut self, text: &str, unread: &[Unread]) {
        let Some(first) = unread.first() else { return };
        let why = match first {
            Unread::TooLong { bytes } => format!("it has {bytes} bytes, more than are looked at"),
            Unread::TooMuch => "it does more than is looked at".into(),
            Unread::TooDeep => "it is nested deeper than is looked at".into(),
            Unread::Broken { near } => {
                format!("nobody can read it from here on: {}", cut(near, 60))
            }
        };
        self.refusals.push(Refusal {
            category: Category::HiddenCode,
            what: cut(text, 120),
            why,
            instead: "Write it shorter and plainer, or as a script in the project".into(),
        });
    }

    fn act(&mut self, whole: &Whole<'_>, index: usize, depth: usize) {
        let Some(view) = View::of(index, whole) else { return };
        if let Some(rule) = denied(view.act, self.context) {
            self.refusals.push(Refusal {
                category: Category::OwnRule,
                what: shown(view.act),
                why: format!("the user's settings refuse `{rule}`"),
                instead: "Find a way that does not need it".into(),
            });
        }
        let mut found: Vec<Refusal> = rules::ALL.iter().filter_map(|rule| rule(&view)).collect();
        let CodeToRead { code, commands, harms } = rules::code_of(&view, &self.known_files());
        found.extend(harms.into_iter().filter_map(|(category, why)| {
            view.refuse(category, why, "Give the services no more than they have by default")
        }));
        for code in &code {
            self.code(code, index, whole, depth, &mut found);
        }
        let is_allowed = !found.is_empty() && allowed(&view, self.context);
        found.retain(|refusal| !is_allowed || refusal.category == Category::LoopTampering);
        self.refusals.extend(found);
        let folder = view.folder().unwrap_or_else(|| self.context.folder.clone());
        self.scripts_by_code(&view, &folder, depth);
        for command in commands {
            self.text(&command, &folder, depth + 1);
        }
    }

    fn code(
        &mut self,
        code: &str,
        index: usize,
        whole: &Whole<'_>,
        depth: usize,
        found: &mut Vec<Refusal>,
    ) {
        let Some(mut view) = View::of(index, whole) else { return };
        let conduct = conduct(code, &view);
        view.effects = conduct.effects;
        self.by_code.extend(conduct.written);
        let folder = view.folder().unwrap_or_else(|| self.context.folder.clone());
        found.extend(rules::OF_FILES.iter().filter_map(|rule| rule(&view)));
        found.extend(conduct.harms.into_iter().filter_map(|(category, why)| {
            view.refuse(
                category,
                why,
                "Write what the code does as plain commands inside the project",
            )
        }));
        for command in conduct.commands {
            self.string(&command, &folder, depth);
        }
    }

    /// What code of another language has written, and the act runs.
    fn scripts_by_code(&mut self, view: &View<'_>, folder: &Path, depth: usize) {
        if self.by_code.is_empty() {
            return;
        }
        for script in rules::run_files(view) {
            let Place::At(path) = &script else { continue };
            let text = self.by_code.get(path).cloned().unwrap_or_default();
            text.lines().for_each(|line| self.string(line, folder, depth));
        }
    }

    /// A string of some code: one that is no command at all is only a string.
    fn string(&mut self, text: &str, folder: &Path, depth: usize) {
        let before = self.refusals.len();
        self.text(text, folder, depth + 1);
        let is_noise = |refusal: &Refusal| refusal.category == Category::HiddenCode;
        let new = self.refusals.split_off(before);
        self.refusals.extend(new.into_iter().filter(|refusal| !is_noise(refusal)));
    }
}

fn start<'a>(
    context: &CommandContext,
    folder: &Path,
    file: &'a dyn Fn(&Path) -> Option<String>,
) -> Start<'a> {
    let mut variables = BTreeMap::new();
    let mut set = |name: &str, path: &Path| {
        variables.insert(name.to_owned(), path.to_string_lossy().into_owned());
    };
    for name in ["CLAUDE_PROJECT_DIR", "RALPH_PROJECT_DIR"] {
        set(name, &context.project);
    }
    if let Some(home) = &context.home {
        set("HOME", home);
    }
    if let Some(temporary) = &context.temporary {
        set("TMPDIR", temporary);
    }
    Start { folder: folder.to_owned(), variables, file }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
