//! Walks the syntax as a shell would, and records every command that would run.

mod assignments;
mod builtins;
mod command_output;
mod compound;
mod context;
mod dispatch;
mod files;
mod items;
mod list;
mod read;
mod redirects;
mod shells;
mod simple;
mod wrappers;

use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use command_output::{CommandOutput, ExitStatus};
pub(crate) use context::{Choice, InvocationContext};

use crate::analysis::{Analysis, InitialState, Recursion, Unanalyzed};
use crate::invocation::{Folder, Input, Launcher};
use crate::limits::{ACTS, COPY_COST, FUEL, RUN_DEPTH};
use crate::parse::parse;
use crate::scope::{Positional, Scope, Value};
use crate::syntax::Command;
use crate::text::Text;
use crate::word::Word;

/// A limit was reached: the analysis ends.
#[derive(Debug)]
pub(crate) struct LimitReached;

pub(crate) type Run<T> = Result<T, LimitReached>;

/// What a command prints.
type Printed = Run<CommandOutput>;

pub(crate) struct Shell<'s> {
    start: &'s InitialState<'s>,
    analysis: Analysis,
    fuel: usize,
    most_acts: usize,
    depth: usize,
    pub(crate) scope: Scope,
    context: InvocationContext,
    pub(crate) choice: Choice,
    /// All functions in the text, called or not.
    definitions: Vec<Definition>,
    /// The active calls, innermost last.
    calls: Vec<Call>,
    files: files::Files,
}

struct Definition {
    name: String,
    body: Rc<Command>,
    called: bool,
}

/// An active function or script.
struct Call {
    called: Callee,
    /// The number of its arguments.
    arguments: usize,
    /// The number of pipes and background jobs around it.
    multiplying: usize,
}

#[derive(PartialEq, Eq)]
enum Callee {
    /// Identified by its body, because another function may have the same name.
    Function(*const Command),
    /// Identified by its content, because the file may have been rewritten.
    Script(Word),
}

impl<'s> Shell<'s> {
    pub(crate) fn new(start: &'s InitialState<'s>) -> Self {
        let mut scope = Scope {
            variables: Rc::default(),
            functions: Rc::default(),
            aliases: Rc::default(),
            positional: Positional::Known(Rc::default()),
            zero: Word::of("bash"),
            folders: vec![Folder::Known(start.folder.clone())],
            has_branches: false,
            copied: Rc::default(),
        };
        for (name, value) in &start.variables {
            scope.set(name, Value::Text(Word::of(value)));
        }
        Self {
            start,
            analysis: Analysis::default(),
            fuel: FUEL,
            most_acts: ACTS,
            depth: 0,
            scope,
            context: InvocationContext::default(),
            choice: Choice::default(),
            definitions: Vec::new(),
            calls: Vec::new(),
            files: files::Files::default(),
        }
    }

    pub(crate) fn finish(mut self, script: &str) -> Analysis {
        // When a limit is reached, `unanalyzed` already reports it.
        let _ = self.text(&Word::of(script)).and_then(|_| self.analyze_uncalled_functions());
        for (name, text) in self.files.contents {
            match name.text() {
                // Later commands may run it.
                Some(path) => _ = self.analysis.files.insert(path.into(), text.shown()),
                None => self.analysis.streams.push((name, text)),
            }
        }
        self.analysis
    }

    /// Parses and runs a text in the current shell.
    fn text(&mut self, word: &Word) -> Printed {
        self.spend(word.weight())?;
        let parsed = parse(&Text::of_word(word));
        if let Some(trouble) = parsed.trouble {
            let bound = !matches!(trouble, Unanalyzed::Broken { .. });
            self.analysis.unanalyzed.push(trouble);
            if bound {
                return Err(LimitReached);
            }
        }
        self.with_own_choice(|shell| shell.list(&parsed.list))
    }

    /// Analyzes functions that the text does not call, because later commands may call them.
    fn analyze_uncalled_functions(&mut self) -> Run<()> {
        for at in 0.. {
            let Some(definition) = self.definitions.get(at) else { break };
            if !definition.called {
                self.scope.positional = Positional::Unknown;
                self.call(at)?;
            }
        }
        Ok(())
    }

    /// Runs the body of a function; its arguments are already set.
    fn call(&mut self, at: usize) -> Printed {
        let Some(definition) = self.definitions.get_mut(at) else {
            return Ok(CommandOutput::default());
        };
        definition.called = true;
        let (name, body) = (definition.name.clone(), Rc::clone(&definition.body));
        self.calling(Callee::Function(Rc::as_ptr(&body)), &name.clone(), |shell| {
            shell.launched_by(Launcher::Function(name), |shell| {
                shell.with_own_choice(|shell| shell.command(&body))
            })
        })
    }

    /// Runs a function or script, unless it is already active: then it only records the recursion.
    fn calling(
        &mut self,
        called: Callee,
        name: &str,
        inner: impl FnOnce(&mut Self) -> Printed,
    ) -> Printed {
        let multiplying = self.context.multiplying;
        let arguments = match &self.scope.positional {
            Positional::Known(words) => words.len(),
            Positional::Unknown => 0,
        };
        let is_function = matches!(called, Callee::Function(_));
        if let Some(call) = self.calls.iter().rev().find(|call| call.called == called)
            // A recursion with ever fewer arguments ends.
            && !(is_function && arguments < call.arguments)
        {
            let multiplies = multiplying > call.multiplying;
            let recursion = Recursion { function: name.to_owned(), multiplies };
            if !self.analysis.recursions.contains(&recursion) {
                self.analysis.recursions.push(recursion);
            }
            return Ok(CommandOutput::default());
        }
        self.calls.push(Call { called, arguments, multiplying });
        let printed = inner(self);
        self.calls.pop();
        printed
    }

    /// Runs `inner` one level deeper, on behalf of another command.
    fn launched_by<T>(&mut self, by: Launcher, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.context.launchers.push(by);
        let result = self.deeper(inner);
        self.context.launchers.pop();
        result
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        if self.depth >= RUN_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Runs commands with their own iteration over the values of variables.
    fn with_own_choice<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let outer = std::mem::take(&mut self.choice);
        let result = inner(self);
        self.choice = outer;
        result
    }

    /// Runs `inner` with its own input, if it has one.
    fn with_input(
        &mut self,
        own: Option<Input>,
        inner: impl FnOnce(&mut Self) -> Printed,
    ) -> Printed {
        let Some(own) = own else { return inner(self) };
        let outer = std::mem::replace(&mut self.context.input, own);
        let printed = inner(self);
        self.context.input = outer;
        printed
    }

    /// Runs `inner` in a subshell: its changes to the shell are discarded.
    fn in_subshell<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let scope = self.scope.clone();
        let context = self.context.clone();
        let result = self.deeper(inner);
        self.scope = scope;
        self.context = context;
        result
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

    pub(crate) fn too_deep(&mut self) -> LimitReached {
        self.analysis.unanalyzed.push(Unanalyzed::TooDeep);
        LimitReached
    }

    pub(crate) fn folder(&mut self) -> Folder {
        let at = self.choice.pick(self.scope.folders.len());
        self.scope.folders.get(at).cloned().unwrap_or(Folder::Unknown)
    }

    /// The path that a word names, seen from the working directory, without `.` and `..`.
    fn path(&mut self, word: &Word) -> Option<PathBuf> {
        files::resolve(&self.folder(), &word.text()?)
    }

    fn folder_at(&mut self, word: &Word) -> Folder {
        self.path(word).map_or(Folder::Unknown, Folder::Known)
    }
}
