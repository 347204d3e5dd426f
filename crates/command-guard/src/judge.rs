//! Judges a command: collects the reasons to refuse it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::GuardScope;
use shell_analysis::{InitialState, Unanalyzed, analyze};

use crate::code::{self, Found};
use crate::command_line_facts::CommandLineFacts;
use crate::effects;
use crate::invocation_view::shown;
use crate::own_rules::{allowed, denied};
use crate::protected_places::ProtectedPlaces;
use crate::refusal::cut;
use crate::rules;
use crate::{Category, CommandContext, Refusal};

/// The maximum nesting of code in commands.
const DEEPEST: usize = 8;

/// Longer than any command needs, and shorter than Claude Code's timeout, after which the tool would run.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of commands inside code, in total.
const MOST_TEXTS: usize = 400;

/// The reasons to refuse the command, without repetition, the most serious first. Empty if it may run.
pub fn judge_command(
    command: &str,
    context: &CommandContext,
    file: &dyn Fn(&Path) -> Option<String>,
) -> Vec<Refusal> {
    let (written, refusals, texts, gave_up) = Default::default();
    let (protected, until) = (&ProtectedPlaces::default(), Instant::now() + TIMEOUT);
    let mut judge = Judge { context, file, written, refusals, protected, texts, until, gave_up };
    judge.text(command, &context.folder, 0);
    let mut refusals = judge.refusals;
    refusals.retain(|refusal| applies(refusal.category, context));
    refusals.sort_by_key(|refusal| refusal.category);
    refusals.dedup_by(|one, other| {
        one.category == other.category && (one.what == other.what || one.why == other.why)
    });
    refusals
}

/// A category can be disabled, and a sandbox replaces most of them.
pub(crate) fn applies(category: Category, context: &CommandContext) -> bool {
    use Category::*;
    let in_scope = context.rules.scope == GuardScope::Everything
        || matches!(category, GitHistory | Exfiltration | PackagePublishing | CloudDestruction)
        || matches!(category, LoopTampering | OwnRule);
    let is_off = || context.rules.allow.iter().any(|rule| rule.trim() == category.name());
    in_scope && (matches!(category, LoopTampering | OwnRule) || !is_off())
}

struct Judge<'a> {
    context: &'a CommandContext,
    file: &'a dyn Fn(&Path) -> Option<String>,
    /// Files that the command line itself wrote.
    written: BTreeMap<PathBuf, String>,
    refusals: Vec<Refusal>,
    protected: &'a ProtectedPlaces,
    texts: usize,
    until: Instant,
    /// The command is refused in any case, so the rest needs no check.
    gave_up: bool,
}

impl Judge<'_> {
    fn text(&mut self, text: &str, folder: &Path, depth: usize) {
        self.texts += 1;
        if depth > DEEPEST || self.texts > MOST_TEXTS {
            self.give_up(text, &Unanalyzed::TooDeep);
        }
        if self.gave_up {
            return;
        }
        let analysis = analyze(text, &start(self.context, folder, &self.known_files()));
        self.written.extend(analysis.files.clone());
        let is_bound = |unanalyzed: &&Unanalyzed| !matches!(unanalyzed, Unanalyzed::Broken { .. });
        match analysis.unanalyzed.iter().find(is_bound) {
            Some(bound) if applies(Category::HiddenCode, self.context) => {
                return self.give_up(text, bound);
            }
            _ => analysis.unanalyzed.iter().take(1).for_each(|first| self.unanalyzed(text, first)),
        }
        if rules::has_huge_range(text) {
            let why = "the shell would expand it to more words than fit into memory";
            self.exhausts(text, why);
        }
        if rules::kills_each(text) {
            let (why, instead) = ("it ends all processes of the user", "End your own by their ids");
            self.refusals.push(Refusal::new(Category::ServiceControl, text, why, instead));
        }
        for recursion in analysis.recursions.iter().filter(|recursion| recursion.multiplies) {
            self.exhausts(&recursion.function, "the function calls itself without end");
        }
        let whole = CommandLineFacts::new(&analysis, self.context, self.protected);
        if whole.is_tangled() {
            return self.give_up(text, &Unanalyzed::TooMuch);
        }
        for index in 0..analysis.invocations.len() {
            if Instant::now() > self.until {
                self.give_up(text, &Unanalyzed::TooMuch);
            }
            if self.gave_up {
                return;
            }
            self.invocation(&whole, index, depth);
        }
    }

    /// Only the first call counts.
    fn give_up(&mut self, text: &str, why: &Unanalyzed) {
        if !std::mem::replace(&mut self.gave_up, true) {
            self.unanalyzed(text, why);
        }
    }

    /// The content of a file, including writes of the command line.
    fn known_files(&self) -> impl Fn(&Path) -> Option<String> + '_ {
        |path| self.written.get(path).cloned().or_else(|| (self.file)(path))
    }

    fn exhausts(&mut self, what: &str, why: &str) {
        let category = Category::ResourceExhaustion;
        self.refusals.push(Refusal::new(category, what, why, "Add an end condition"));
    }

    fn unanalyzed(&mut self, text: &str, why: &Unanalyzed) {
        let why = match why {
            Unanalyzed::TooLong { bytes } => format!("it has {bytes} bytes, too long to check"),
            Unanalyzed::TooMuch => "it does too much to check".into(),
            Unanalyzed::TooDeep => "it is nested too deep to check".into(),
            Unanalyzed::Broken { near } => {
                format!("it cannot be parsed from here on: {}", cut(near, 60))
            }
        };
        let instead = "Write a shorter, simpler command, or a script in the project";
        self.refusals.push(Refusal::new(Category::HiddenCode, text, why, instead));
    }

    fn invocation(&mut self, whole: &CommandLineFacts<'_>, index: usize, depth: usize) {
        let Some(view) = effects::observed(index, whole) else {
            return;
        };
        if let Some(rule) = denied(view.invocation, self.context) {
            let why = format!("the user's settings deny `{rule}`");
            let what = shown(view.invocation);
            self.refusals.push(Refusal::new(Category::OwnRule, what, why, "Find another way"));
        }
        let Found { reasons, effects, commands, strings } = code::found(&view, &self.known_files());
        let mut found: Vec<Refusal> = rules::ALL.iter().filter_map(|rule| rule(&view)).collect();
        found.extend(rules::judge_words(&view));
        found.extend(rules::judge_places(&view, &effects));
        found.extend(reasons.into_iter().map(|reason| view.refusal(reason)));
        let is_allowed = !found.is_empty() && allowed(&view, self.context);
        found.retain(|refusal| !is_allowed || refusal.category == Category::LoopTampering);
        self.refusals.extend(found);
        let folder = view.folder().unwrap_or(Cow::Borrowed(&self.context.folder));
        for command in commands {
            self.text(&command, &folder, depth + 1);
        }
        for string in strings {
            self.string(&string, &folder, depth);
        }
    }

    /// A string in code, which may be a command or only text.
    fn string(&mut self, text: &str, folder: &Path, depth: usize) {
        let before = self.refusals.len();
        self.text(text, folder, depth + 1);
        let new = self.refusals.split_off(before);
        let is_noise = |refusal: &Refusal| refusal.category == Category::HiddenCode;
        self.refusals.extend(new.into_iter().filter(|refusal| self.gave_up || !is_noise(refusal)));
    }
}

fn start<'a>(
    context: &CommandContext,
    folder: &Path,
    file: &'a dyn Fn(&Path) -> Option<String>,
) -> InitialState<'a> {
    let places = [
        ("CLAUDE_PROJECT_DIR", Some(&context.project)),
        ("RALPH_PROJECT_DIR", Some(&context.project)),
        ("HOME", context.home.as_ref()),
        ("TMPDIR", context.temporary.as_ref()),
    ];
    let known = places
        .into_iter()
        .filter_map(|(name, path)| Some((name.to_owned(), path?.to_string_lossy().into_owned())));
    InitialState { folder: folder.to_owned(), variables: known.collect(), file }
}
