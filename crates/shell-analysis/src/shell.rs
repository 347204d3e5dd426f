//! The shell under analysis: its state, its context and the limits of the analysis.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use crate::analysis::{Analysis, InitialState, Unanalyzed};
use crate::invocation::{Input, Launcher, Mode, Repetition};
use crate::limits::{COPY_COST, FUEL, PATH_BYTES, RUN_DEPTH};
use crate::scope::Scope;
use crate::syntax::Command;
use crate::word::{Unknown, Word};

/// A limit was reached: the analysis ends.
pub(crate) struct LimitReached;

pub(crate) type Run<T> = Result<T, LimitReached>;

pub(crate) struct Shell<'s> {
    pub(crate) start: &'s InitialState<'s>,
    pub(crate) analysis: Analysis,
    pub(crate) fuel: usize,
    depth: usize,
    pub(crate) scope: Scope,
    pub(crate) context: Context,
    /// All functions in the text, called or not.
    pub(crate) definitions: Vec<Definition>,
    /// The active calls, innermost last.
    pub(crate) calls: Vec<Call>,
    /// By path, or by a name that is only known at run time, such as that of `<(…)`; descriptors as `/dev/fd/3`.
    pub(crate) files: BTreeMap<Word, Word>,
}

/// The context of the current command.
#[derive(Clone, Default)]
pub(crate) struct Context {
    pub(crate) launchers: Vec<Launcher>,
    pub(crate) mode: Mode,
    pub(crate) repetition: Repetition,
    pub(crate) input: Input,
    /// The number of pipes and background jobs around it.
    pub(crate) multiplying: usize,
}

pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) body: Rc<Command>,
    pub(crate) called: bool,
}

/// An active function or script.
pub(crate) struct Call {
    /// The index of a function, or the content of a script, because the file may have been rewritten.
    pub(crate) called: Word,
    /// The number of its arguments.
    pub(crate) arguments: usize,
    /// The number of pipes and background jobs around it.
    pub(crate) multiplying: usize,
}

impl<'s> Shell<'s> {
    pub(crate) fn new(start: &'s InitialState<'s>) -> Self {
        let mut scope = Scope {
            variables: Rc::default(),
            functions: Rc::default(),
            positional: Some(Rc::new(vec![Word::of("bash")])),
            folder: None,
            copied: Rc::default(),
        };
        scope.enter(Some(start.folder.clone()));
        for name in ["BASH", "SHELL"] {
            scope.set(name, Word::of("/bin/bash"));
        }
        for (name, value) in &start.variables {
            scope.set(name, Word::of(value));
        }
        Self {
            start,
            analysis: Analysis::default(),
            fuel: FUEL,
            depth: 0,
            scope,
            context: Context::default(),
            definitions: Vec::new(),
            calls: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// Runs `inner` one level deeper, on behalf of another command.
    pub(crate) fn launched_by<T>(
        &mut self,
        by: Launcher,
        inner: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        self.context.launchers.push(by);
        let result = self.deeper(inner);
        self.context.launchers.pop();
        result
    }

    pub(crate) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        if self.depth >= RUN_DEPTH {
            self.analysis.unanalyzed.push(Unanalyzed::TooDeep);
            return Err(LimitReached);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Runs `inner` with its own input, if it has one.
    pub(crate) fn with_input<T>(
        &mut self,
        own: Option<Input>,
        inner: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let Some(own) = own else { return inner(self) };
        let outer = std::mem::replace(&mut self.context.input, own);
        let result = inner(self);
        self.context.input = outer;
        result
    }

    /// Runs `inner` in a subshell: its changes to the shell are discarded.
    pub(crate) fn in_subshell<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let (scope, context) = (self.scope.clone(), self.context.clone());
        let result = self.deeper(inner);
        (self.scope, self.context) = (scope, context);
        result
    }

    pub(crate) fn in_background<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.in_subshell(|shell| {
            shell.context.mode = Mode::Background;
            shell.context.multiplying += 1;
            inner(shell)
        })
    }

    pub(crate) fn spend(&mut self, amount: usize) -> Run<()> {
        let copied = self.scope.copied.take() * COPY_COST;
        let left = self.fuel.checked_sub(amount + copied);
        self.fuel = left.unwrap_or(0);
        left.map(|_| ()).ok_or_else(|| self.too_much())
    }

    pub(crate) fn too_much(&mut self) -> LimitReached {
        self.analysis.unanalyzed.push(Unanalyzed::TooMuch);
        LimitReached
    }

    /// `$0`
    pub(crate) fn zero(&self) -> Word {
        let words = self.scope.positional.as_ref();
        words.and_then(|words| words.first().cloned()).unwrap_or_default()
    }

    pub(crate) fn set_positional(&mut self, zero: Word, words: &[Word]) {
        self.scope.positional = Some(Rc::new([&[zero], words].concat()));
    }

    /// The value of a plain variable, if it is known.
    pub(crate) fn known_variable(&self, name: &str) -> Option<&Word> {
        self.scope.variables.get(name)?.first().map(|(_, word)| word)
    }

    /// The path that a word names, seen from the working directory, without `.` and `..`; does not follow links.
    pub(crate) fn path(&self, word: &Word) -> Option<PathBuf> {
        let name = word.text()?;
        let folder = self.scope.folder.as_deref();
        let folder = folder.or_else(|| name.starts_with('/').then_some(Path::new("/")))?;
        Some(normal(&folder.join(&*name))).filter(|path| path.as_os_str().len() <= PATH_BYTES)
    }

    /// One item of an input that is only known at run time.
    pub(crate) fn unknown_input(&self) -> Word {
        Word::of_unknown(Unknown::Item(match &self.context.input {
            Input::Pipe { from } => from.clone(),
            Input::Inherited | Input::Text { .. } => Vec::new(),
        }))
    }
}

/// Removes `.` and `..`; `..` at the root stays at the root.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            other => normal.push(other),
        }
    }
    normal
}
