//! Goes through the syntax as a shell would, and notes all that would be run.

mod around;
mod assignments;
mod builtins;
mod compound;
mod files;
mod folders;
mod handover;
mod items;
mod list;
mod options;
mod printed;
mod redirects;
mod shells;
mod simple;
mod wrapper_table;
mod wrappers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use around::{Around, Choice};
pub(crate) use printed::{Printed, Status};

use crate::act::{Act, Folder, Through};
use crate::limits::{ACT_COST, ACTS, COPY_COST, FUEL, RUN_DEPTH, SCRIPT_BYTES};
use crate::parse::parse;
use crate::reading::{Multiplies, Reading, Recursion, Start, Unread};
use crate::scope::{Branches, Positional, Scope, Value};
use crate::syntax::Command;
use crate::text::Text;
use crate::word::Word;

/// A bound was reached: nothing more is read.
#[derive(Debug)]
pub(crate) struct Stopped;

pub(crate) type Run<T> = Result<T, Stopped>;

pub(crate) struct Shell<'s> {
    start: &'s Start<'s>,
    reading: Reading,
    fuel: usize,
    most_acts: usize,
    depth: usize,
    pub(crate) scope: Scope,
    around: Around,
    pub(crate) choice: Choice,
    /// All functions that were met, called or not.
    definitions: Vec<Definition>,
    /// What is being run, innermost last.
    calls: Vec<Call>,
    files: files::Files,
}

struct Definition {
    name: String,
    body: Rc<Command>,
    /// As it was where the function was defined.
    scope: Scope,
    around: Around,
    called: Called,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Yes,
    NotYet,
}

/// A function, script or alias that is being run.
struct Call {
    called: Callee,
    arguments: Positional,
    /// How many pipes and background jobs there were around it.
    multiplying: usize,
}

#[derive(PartialEq, Eq)]
enum Callee {
    /// By its body: another one may have the same name.
    Function(*const Command),
    /// By what it holds: it may have been written anew.
    Script(Word),
    Alias(String),
}

impl<'s> Shell<'s> {
    pub(crate) fn new(start: &'s Start<'s>) -> Self {
        let known = start.variables.iter();
        let variables: BTreeMap<_, _> = known
            .map(|(name, value)| {
                (Rc::from(name.as_str()), Rc::new(vec![Value::Text(Word::of(value))]))
            })
            .collect();
        let scope = Scope {
            variables: Rc::new(variables),
            functions: Rc::default(),
            aliases: Rc::default(),
            positional: Positional::Known(Rc::default()),
            zero: Word::of("bash"),
            folders: vec![Folder::Known(start.folder.clone())],
            branches: Branches::None,
            copied: Rc::default(),
        };
        Self {
            start,
            reading: Reading::default(),
            fuel: FUEL,
            most_acts: ACTS,
            depth: 0,
            scope,
            around: Around::default(),
            choice: Choice::default(),
            definitions: Vec::new(),
            calls: Vec::new(),
            files: files::Files::default(),
        }
    }

    pub(crate) fn finish(mut self, script: &str) -> Reading {
        // When a bound is reached, `unread` says so already.
        let _ = self.text(&Word::of(script)).and_then(|_| self.uncalled());
        let _ = self.note_files();
        self.reading
    }

    /// Reads a text as this shell itself would.
    fn text(&mut self, word: &Word) -> Run<Printed> {
        let weight = word.weight();
        if weight > SCRIPT_BYTES * 2 {
            self.reading.unread.push(Unread::TooLong { bytes: weight });
            return Ok(Printed::default());
        }
        self.spend(weight)?;
        let parsed = parse(&Text::of_word(word));
        if let Some(trouble) = parsed.trouble {
            let bound = !matches!(trouble, Unread::Broken { .. });
            self.reading.unread.push(trouble);
            if bound {
                return Err(Stopped);
            }
        }
        self.anew(|shell| shell.list(&parsed.list))
    }

    /// Functions that nobody has called so far: somebody may later.
    fn uncalled(&mut self) -> Run<()> {
        let mut at = 0;
        while let Some(definition) = self.definitions.get(at) {
            if definition.called == Called::NotYet {
                self.scope = definition.scope.clone();
                self.around = definition.around.clone();
                self.scope.positional = Positional::Unknown;
                self.call(at)?;
            }
            at += 1;
        }
        Ok(())
    }

    /// Runs the body of a function; its arguments are in place.
    fn call(&mut self, at: usize) -> Run<Printed> {
        let Some(definition) = self.definitions.get_mut(at) else { return Ok(Printed::default()) };
        definition.called = Called::Yes;
        let (name, body) = (definition.name.clone(), Rc::clone(&definition.body));
        let called = Callee::Function(Rc::as_ptr(&body));
        if self.recurs(&called, &name) {
            return Ok(Printed::default());
        }
        self.begin(called);
        let printed =
            self.through(Through::Function(name), |shell| shell.anew(|shell| shell.command(&body)));
        self.calls.pop();
        printed
    }

    fn begin(&mut self, called: Callee) {
        let arguments = self.scope.positional.clone();
        self.calls.push(Call { called, arguments, multiplying: self.around.multiplying });
    }

    /// Whether this is being run already; if so it is noted. With ever fewer arguments it comes to an
    /// end.
    fn recurs(&mut self, called: &Callee, name: &str) -> bool {
        let Some(call) = self.calls.iter().rev().find(|call| call.called == *called) else {
            return false;
        };
        if let (Positional::Known(now), Positional::Known(before)) =
            (&self.scope.positional, &call.arguments)
            && matches!(called, Callee::Function(_))
            && now.len() < before.len()
        {
            return false;
        }
        let more = self.around.multiplying > call.multiplying;
        let multiplies = if more { Multiplies::Yes } else { Multiplies::No };
        let recursion = Recursion { function: name.to_owned(), multiplies };
        if !self.reading.recursions.contains(&recursion) {
            self.reading.recursions.push(recursion);
        }
        true
    }

    /// Runs something one level deeper, on behalf of something else.
    fn through<T>(&mut self, by: Through, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.around.through.push(by);
        let result = self.deeper(inner);
        self.around.through.pop();
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

    /// Runs commands that go through the values of variables by themselves.
    fn anew<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let outer = std::mem::take(&mut self.choice);
        let result = inner(self);
        self.choice = outer;
        result
    }

    /// Runs something whose changes to the shell are lost afterwards.
    fn apart<T>(&mut self, inner: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let scope = self.scope.clone();
        let around = self.around.clone();
        let result = self.deeper(inner);
        self.scope = scope;
        self.around = around;
        result
    }

    pub(crate) fn spend(&mut self, amount: usize) -> Run<()> {
        let copied = self.scope.copied.take() * COPY_COST;
        match self.fuel.checked_sub(amount + copied) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                Err(self.too_much())
            }
        }
    }

    pub(crate) fn too_much(&mut self) -> Stopped {
        self.reading.unread.push(Unread::TooMuch);
        Stopped
    }

    pub(crate) fn too_deep(&mut self) -> Stopped {
        self.reading.unread.push(Unread::TooDeep);
        Stopped
    }

    /// Notes something that would be run, and gives its number.
    fn note(&mut self, act: Act) -> Run<usize> {
        if self.reading.acts.len() >= self.most_acts {
            return Err(self.too_much());
        }
        let folder = match &act.folder {
            Folder::Known(path) => path.as_os_str().len(),
            Folder::Unknown => 0,
        };
        self.spend(ACT_COST + folder + act.through.len() * 16 + act.redirects.len() * 16)?;
        self.reading.acts.push(act);
        Ok(self.reading.acts.len() - 1)
    }

    pub(crate) fn folder(&mut self) -> Folder {
        let at = self.choice.pick(self.scope.folders.len());
        self.scope.folders.get(at).cloned().unwrap_or(Folder::Unknown)
    }

    /// A path as seen from the folder, without `.` and `..`.
    fn path(&mut self, word: &str) -> Option<PathBuf> {
        files::resolve(&self.folder(), word)
    }
}
