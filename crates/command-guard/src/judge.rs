//! Judges a command: collects the reasons to refuse it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::GuardScope;
use shell_analysis::{InitialState, Unanalyzed, analyze};

use crate::code::{CodeToRead, code_effects, code_of};
use crate::command_line_facts::CommandLineFacts;
use crate::effects;
use crate::invocation_view::{InvocationView, shown};
use crate::own_rules::{allowed, denied};
use crate::place::Place;
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
    let mut judge = Judge {
        context,
        file,
        written: BTreeMap::new(),
        by_code: BTreeMap::new(),
        refusals: Vec::new(),
        protected: std::rc::Rc::default(),
        texts: 0,
        until: Instant::now() + TIMEOUT,
        gave_up: None,
    };
    judge.text(command, &context.folder, 0);
    if let Some((text, why)) = judge.gave_up.take() {
        judge.unanalyzed(&text, &[why]);
    }
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
    use Category::{
        CloudDestruction, Exfiltration, GitHistory, LoopTampering, OwnRule, PackagePublishing,
    };
    let in_scope = match context.rules.scope {
        GuardScope::Everything => true,
        GuardScope::Sandboxed => {
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
    /// Files that the command line itself wrote.
    written: BTreeMap<PathBuf, String>,
    /// Files that code of other languages may have written.
    by_code: BTreeMap<PathBuf, String>,
    refusals: Vec<Refusal>,
    protected: std::rc::Rc<std::cell::OnceCell<crate::protected_places::ProtectedPlaces>>,
    texts: usize,
    until: Instant,
    /// The text at which the analysis stopped, and why.
    gave_up: Option<(String, Unanalyzed)>,
}

impl Judge<'_> {
    fn text(&mut self, text: &str, folder: &Path, depth: usize) {
        self.texts += 1;
        if depth > DEEPEST || self.texts > MOST_TEXTS {
            self.give_up(text, Unanalyzed::TooDeep);
        }
        if self.gave_up.is_some() {
            return;
        }
        let analysis = analyze(text, &start(self.context, folder, &self.known_files()));
        self.written.extend(analysis.files.clone());
        let is_bound = |unanalyzed: &&Unanalyzed| !matches!(unanalyzed, Unanalyzed::Broken { .. });
        match analysis.unanalyzed.iter().find(is_bound) {
            // The command is refused in any case, so the rest needs no check.
            Some(bound) if applies(Category::HiddenCode, self.context) => {
                return self.give_up(text, bound.clone());
            }
            _ => self.unanalyzed(text, &analysis.unanalyzed),
        }
        if rules::has_huge_range(text) {
            self.exhausts(
                cut(text, 120),
                "the shell would expand it to more words than fit into memory",
            );
        }
        for recursion in &analysis.recursions {
            if recursion.multiplies {
                self.exhausts(
                    format!("{}()", recursion.function),
                    "the function calls itself without end",
                );
            }
        }
        let protected = std::rc::Rc::clone(&self.protected);
        let whole = CommandLineFacts::new(&analysis, self.context, &protected);
        if whole.is_tangled() {
            return self.give_up(text, Unanalyzed::TooMuch);
        }
        for index in 0..analysis.invocations.len() {
            if Instant::now() > self.until {
                self.give_up(text, Unanalyzed::TooMuch);
            }
            if self.gave_up.is_some() {
                return;
            }
            self.invocation(&whole, index, depth);
        }
    }

    /// Only the first call counts.
    fn give_up(&mut self, text: &str, why: Unanalyzed) {
        self.gave_up.get_or_insert_with(|| (cut(text, 120), why));
    }

    /// The content of a file, including writes of the command line.
    fn known_files(&self) -> impl Fn(&Path) -> Option<String> + '_ {
        |path| self.written.get(path).cloned().or_else(|| (self.file)(path))
    }

    fn exhausts(&mut self, what: String, why: &str) {
        let category = Category::ResourceExhaustion;
        self.refusals.push(Refusal {
            category,
            what,
            why: why.into(),
            instead: "Add an end condition".into(),
        });
    }

    fn unanalyzed(&mut self, text: &str, unanalyzed: &[Unanalyzed]) {
        let Some(first) = unanalyzed.first() else {
            return;
        };
        let why = match first {
            Unanalyzed::TooLong { bytes } => format!("it has {bytes} bytes, too long to check"),
            Unanalyzed::TooMuch => "it does too much to check".into(),
            Unanalyzed::TooDeep => "it is nested too deep to check".into(),
            Unanalyzed::Broken { near } => {
                format!("it cannot be parsed from here on: {}", cut(near, 60))
            }
        };
        self.refusals.push(Refusal {
            category: Category::HiddenCode,
            what: cut(text, 120),
            why,
            instead: "Write a shorter, simpler command, or a script in the project".into(),
        });
    }

    fn invocation(&mut self, whole: &CommandLineFacts<'_>, index: usize, depth: usize) {
        let Some(view) = effects::observed(index, whole) else {
            return;
        };
        if let Some(rule) = denied(view.invocation, self.context) {
            self.refusals.push(Refusal {
                category: Category::OwnRule,
                what: shown(view.invocation),
                why: format!("the user's settings deny `{rule}`"),
                instead: "Find another way".into(),
            });
        }
        let mut found: Vec<Refusal> = rules::ALL.iter().filter_map(|rule| rule(&view)).collect();
        found.extend(rules::judge_words(&view));
        found.extend(rules::judge_places(&view, &view.effects));
        let CodeToRead { code, commands, harms } = code_of(&view, &self.known_files());
        found.extend(harms.into_iter().filter_map(|(category, why)| {
            view.refuse(category, why, "Give the services only the default permissions")
        }));
        let folder = view.folder().unwrap_or_else(|| self.context.folder.clone());
        for code in &code {
            found.extend(self.code(code, &view, &folder, depth));
        }
        let is_allowed = !found.is_empty() && allowed(&view, self.context);
        found.retain(|refusal| !is_allowed || refusal.category == Category::LoopTampering);
        self.refusals.extend(found);
        self.scripts_by_code(&view, &folder, depth);
        for command in commands {
            self.text(&command, &folder, depth + 1);
        }
    }

    fn code(
        &mut self,
        code: &str,
        view: &InvocationView<'_>,
        folder: &Path,
        depth: usize,
    ) -> Vec<Refusal> {
        let code_effects = code_effects(code, view);
        self.by_code.extend(code_effects.written);
        let mut found = rules::judge_places(view, &code_effects.effects);
        found.extend(code_effects.harms.into_iter().filter_map(|(category, why)| {
            view.refuse(category, why, "Use plain commands inside the project instead of this code")
        }));
        for command in code_effects.commands {
            self.string(&command, folder, depth);
        }
        found
    }

    /// Scripts that code of another language wrote and this command runs.
    fn scripts_by_code(&mut self, view: &InvocationView<'_>, folder: &Path, depth: usize) {
        if self.by_code.is_empty() {
            return;
        }
        for script in rules::run_files(view) {
            let Place::At(path) = &script else { continue };
            let text = self.by_code.get(path).cloned().unwrap_or_default();
            text.lines().for_each(|line| self.string(line, folder, depth));
        }
    }

    /// A string in code, which may be a command or only text.
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
) -> InitialState<'a> {
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
    InitialState { folder: folder.to_owned(), variables, file }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
