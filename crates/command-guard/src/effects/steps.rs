//! Applies the steps of a program to its arguments.

use std::ops::Range;
use std::path::PathBuf;

use shell_analysis::{Piece, RedirectKind, Word};

use super::names::{TEXT_PRINTERS, after_at, base_name, is_remote};
use super::scripts;
use super::table::{find, selectors};
use crate::arguments::{Arguments, without_start};
use crate::effect::{Effect, FileAction};
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::listing::found;
use crate::place::{Place, place};

/// Collects the effects of one command.
struct Run<'v, 'a> {
    view: &'v InvocationView<'a>,
    arguments: Arguments,
    folder: Option<PathBuf>,
    effects: Vec<Effect>,
}

/// All effects of a command on files that its words show.
pub(crate) fn of(view: &InvocationView<'_>) -> Vec<Effect> {
    let (steps, mut words) = find(&view.program, view.words);
    // The traditional form has no dash: `tar xzf file`.
    if let Some(first) = words.first_mut().filter(|_| steps.contains(&" letters"))
        && !first.shown().contains(['/', '.', '-'])
    {
        first.pieces.insert(0, Piece::Text("-".to_owned()));
    }
    let valued: Vec<&str> = steps.iter().copied().flat_map(selectors).collect();
    let mut arguments = Arguments::of(&words, &valued);
    // `sed -i ''` of BSD
    arguments.operands.retain(|word| !word.shown().is_empty());
    let mut run = Run { view, arguments, folder: view.folder(), effects: Vec::new() };
    for redirect in &view.invocation.redirects {
        let action = match redirect.kind {
            RedirectKind::Read => FileAction::Read,
            RedirectKind::Write | RedirectKind::ReadWrite => FileAction::Write,
            RedirectKind::Append => FileAction::Append,
        };
        run.add(action, &redirect.target);
    }
    if !TEXT_PRINTERS.contains(&view.program.as_str()) {
        run.steps(steps);
    }
    run.effects
}

impl Run<'_, '_> {
    fn steps(&mut self, mut steps: Vec<&'static str>) {
        if let Some(call) = GitCall::of(self.view).filter(|call| call.folder.is_some()) {
            self.folder = call.place(self.view).or_else(|| call.folder?.text().map(Into::into));
        }
        steps.retain(|step| self.applies(step));
        for step in steps {
            let action = step.split_whitespace().next().unwrap_or_default();
            for word in selectors(step).flat_map(|name| self.select(name)).collect::<Vec<_>>() {
                self.apply(action, &word);
            }
        }
    }

    /// Whether for each `if` any of its names holds, and for each `unless` none.
    fn applies(&self, step: &str) -> bool {
        let (mut all, mut any, mut wanted) = (true, true, true);
        for word in step.split_whitespace() {
            if let "if" | "unless" = word {
                all &= any == wanted;
                (any, wanted) = (false, word == "if");
            }
            any = any || self.holds(word);
        }
        all && any == wanted
    }

    /// Whether an option is given, a word `name=value`, or as many operands as `2+` says.
    fn holds(&self, name: &str) -> bool {
        match name.strip_suffix('+').and_then(|least| least.parse::<usize>().ok()) {
            Some(least) => self.arguments.operands.len() >= least,
            None if name.ends_with('=') => self.after(name).next().is_some(),
            None => self.arguments.has(&[name]),
        }
    }

    fn apply(&mut self, action: &str, word: &Word) {
        match action {
            "put" => {
                self.add(FileAction::Write, word);
                for name in self.select("HERE") {
                    let mut pieces = word.pieces.clone();
                    pieces.push(Piece::Text(format!("/{}", name.shown())));
                    self.add(FileAction::Write, &Word { pieces });
                }
            }
            "read-at" => {
                after_at(word).iter().for_each(|file| self.add(FileAction::Read, file));
            }
            // `../x`, which is named as a place beside the project and must not exist yet.
            "write-beside" => match self.place(word) {
                Place::At(path)
                    if word.known_start().starts_with("../")
                        && path.parent() == self.view.context.project.parent() => {}
                _ => self.add(FileAction::Write, word),
            },
            "write-path" if word.shown().contains(['/', '.']) => self.add(FileAction::Write, word),
            "in" | "near" => {
                self.folder = match self.place(word) {
                    Place::At(path) if action == "in" => Some(path),
                    Place::At(path) => path.parent().map(Into::into),
                    Place::Temporary | Place::Unknown => None,
                };
            }
            _ => FileAction::named(action).into_iter().for_each(|action| self.add(action, word)),
        }
    }

    fn place(&self, word: &Word) -> Place {
        place(word, self.folder.as_deref(), self.view.analysis, self.view.context)
    }

    fn add(&mut self, action: FileAction, word: &Word) {
        if !matches!(word.shown().as_str(), "-" | ":memory:") {
            self.effects.push(Effect { action, place: self.place(word) });
        }
    }

    fn select(&self, selector: &str) -> Vec<Word> {
        let operands = &self.arguments.operands;
        let is_here = |word: &Word| !matches!(selector, "SOURCES" | "TARGET") || !is_remote(word);
        if let Some(range) = self.range(selector) {
            return operands[range].iter().filter(|word| is_here(word)).cloned().collect();
        }
        match selector {
            "HERE" => {
                operands.iter().filter_map(|word| base_name(&word.shown()).map(Word::of)).collect()
            }
            "SCRIPT" => scripts::written(self.view),
            "PATCH" => scripts::patched(self.view),
            "FOUND" => found(self.view.invocation),
            _ if selector.starts_with(['.', '/']) => vec![Word::of(selector)],
            _ if selector.starts_with('~') => {
                let file = self.view.home().map(|home| home.join(&selector[2..]));
                file.iter().map(|file| Word::of(file.to_string_lossy())).collect()
            }
            _ if selector.ends_with('=') => self.after(selector).collect(),
            _ => self.arguments.values(&[selector]).cloned().collect(),
        }
    }

    /// The positions of these operands.
    fn range(&self, selector: &str) -> Option<Range<usize>> {
        let count = self.arguments.operands.len();
        let into = self.arguments.value(&["t", "target-directory"]).is_some();
        let target = count - usize::from(count > 1 && !into);
        Some(match selector {
            "ALL" => 0..count,
            "FIRST" => 0..count.min(1),
            "SECOND" => count.min(1)..count.min(2),
            "REST" => count.min(1)..count,
            "LAST" => count.saturating_sub(1)..count,
            "SOURCES" => 0..target,
            "TARGET" => target..count,
            _ => return None,
        })
    }

    /// The text after `name=` at the start of a word, or after `*name=` anywhere in it.
    fn after(&self, name: &str) -> impl Iterator<Item = Word> {
        let sign = name.trim_start_matches('*');
        self.view.words.iter().filter_map(move |word| {
            let at = word.known_start().find(sign).filter(|at| *at == 0 || sign != name)?;
            Some(without_start(word, at + sign.len()))
        })
    }
}
