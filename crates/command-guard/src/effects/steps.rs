//! Applies the steps of a program to its arguments.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use shell_analysis::{Arguments, Piece, RedirectKind, Word};

use super::names::{TEXT_PRINTERS, after_at, base_name, is_remote};
use super::scripts;
use super::table::{Step, find};
use crate::effect::{Effect, FileAction};
use crate::git_call::GitCall;
use crate::invocation_view::InvocationView;
use crate::listing::found;
use crate::place::{Place, place};

/// Collects the effects of one command.
struct Run<'v, 'a> {
    view: &'v InvocationView<'a>,
    arguments: Arguments,
    folder: Option<Cow<'a, Path>>,
    effects: Vec<Effect>,
}

/// All effects of a command on files that its words show.
pub(crate) fn of(view: &InvocationView<'_>) -> Vec<Effect> {
    let (programs, mut words) = find(&view.program, view.words);
    let steps: Vec<&Step> = programs.iter().flat_map(|program| &program.steps).collect();
    // The traditional form has no dash: `tar xzf file`.
    if steps.iter().any(|step| step.action == "letters")
        && let Some(first) = words.first()
        && !first.shown().contains(['/', '.', '-'])
    {
        words.to_mut()[0].pieces.insert(0, Piece::Text("-".to_owned()));
    }
    let valued: Vec<&str> = steps.iter().flat_map(|step| step.options.iter().copied()).collect();
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
    if !TEXT_PRINTERS.contains(&view.program.as_ref()) {
        run.steps(&steps);
    }
    run.effects
}

impl Run<'_, '_> {
    fn steps(&mut self, steps: &[&Step]) {
        if let Some(call) = GitCall::of(self.view).filter(|call| call.folder.is_some()) {
            let named = |word: &Word| Some(PathBuf::from(&*word.text()?));
            let folder = call.place(self.view).or_else(|| call.folder.as_ref().and_then(named));
            self.folder = folder.map(Cow::Owned);
        }
        for Step { action, selectors, options, conditions } in steps {
            if conditions.iter().all(|(wanted, names)| self.hold(names) == *wanted) {
                let words = selectors.iter().flat_map(|name| self.select(name));
                let words = words.chain(self.arguments.values(options).cloned());
                words.collect::<Vec<_>>().iter().for_each(|word| self.apply(action, word));
            }
        }
    }

    /// Whether an option is given, a word `name=value`, or as many operands as `2+` says.
    fn hold(&self, names: &[&'static str]) -> bool {
        names.iter().any(|name| match name.strip_suffix('+').map(str::parse::<usize>) {
            Some(Ok(least)) => self.arguments.operands.len() >= least,
            _ if name.ends_with('=') => self.after(name).next().is_some(),
            _ => self.arguments.has(&[name]),
        })
    }

    fn apply(&mut self, action: &str, word: &Word) {
        let folder = |of: fn(&Path) -> Option<&Path>| {
            self.place(word).path().and_then(of).map(|path| path.to_owned().into())
        };
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
            "in" => self.folder = folder(|path| Some(path)),
            "near" => self.folder = folder(Path::parent),
            _ => FileAction::named(action).into_iter().for_each(|action| self.add(action, word)),
        }
    }

    fn place(&self, word: &Word) -> Place {
        place(word, self.folder.as_deref(), self.view.analysis, self.view.context)
    }

    fn add(&mut self, action: FileAction, word: &Word) {
        if !matches!(&*word.shown(), "-" | ":memory:") {
            self.effects.push(Effect { action, place: self.place(word) });
        }
    }

    fn select(&self, selector: &'static str) -> Vec<Word> {
        let operands = &self.arguments.operands;
        let is_here = |word: &&Word| !matches!(selector, "SOURCES" | "TARGET") || !is_remote(word);
        if let Some(range) = self.range(selector) {
            return operands[range].iter().filter(is_here).cloned().collect();
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
            _ => self.after(selector).collect(),
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
    fn after(&self, name: &'static str) -> impl Iterator<Item = Word> {
        let sign = name.trim_start_matches('*');
        self.view.words.iter().filter_map(move |word| {
            let at = word.known_start().find(sign).filter(|at| *at == 0 || sign != name)?;
            Some(word.without_start(at + sign.len()))
        })
    }
}
