//! Shells that are started with a text, a script or something on their input.

use std::rc::Rc;

use super::{Callee, Printed, Run, Shell};
use crate::act::{Input, RedirectKind, Through};
use crate::limits::SCRIPT_BYTES;
use crate::reading::Unread;
use crate::scope::Positional;
use crate::word::Word;

/// What a shell is told to read.
enum Told {
    Text,
    Script,
    Input,
    /// `-n`: to look whether it can be read, and run nothing.
    Nothing,
}

impl Shell<'_> {
    pub(super) fn child_shell(&mut self, arguments: &[Word], at: usize) -> Run<Printed> {
        let (told, rest) = told(arguments);
        if let Told::Nothing = told {
            return Ok(Printed::unknown(at));
        }
        self.startup_files(arguments, at)?;
        match (told, rest.split_first()) {
            (Told::Text, Some((text, rest))) => self.apart(|shell| {
                if let Some((zero, positional)) = rest.split_first() {
                    shell.scope.zero = zero.clone();
                    shell.scope.positional = Positional::Known(Rc::new(positional.to_vec()));
                } else {
                    shell.scope.positional = Positional::Known(Rc::default());
                }
                shell.through(Through::ShellText, |shell| shell.text(text))
            }),
            (Told::Script, Some((script, rest))) => {
                let name = script.text();
                if let Some("/dev/stdin" | "/dev/fd/0") = name.as_deref() {
                    return self.shell_input(rest, at);
                }
                self.apart(|shell| shell.script(script, rest, at))
            }
            (_, _) => self.shell_input(rest, at),
        }
    }

    /// What a shell reads before anything else.
    fn startup_files(&mut self, arguments: &[Word], at: usize) -> Run<()> {
        let names_file = |pair: &&[Word]| {
            pair[0].text().is_some_and(|flag| flag == "--rcfile" || flag == "--init-file")
        };
        let named = arguments.windows(2).filter(names_file).map(|pair| pair[1].clone());
        let variables = ["BASH_ENV", "ENV"];
        let set = variables.iter().filter_map(|name| self.known_variable(name));
        let files: Vec<Word> = set.chain(named).filter(|word| !word.is_empty()).collect();
        for file in files {
            self.apart(|shell| shell.script(&file, &[], at))?;
        }
        Ok(())
    }

    /// A shell that reads what comes in.
    fn shell_input(&mut self, arguments: &[Word], at: usize) -> Run<Printed> {
        let redirect = self.reading.acts.get(at).and_then(|act| {
            act.redirects.iter().rev().find(|redirect| redirect.kind == RedirectKind::Read).cloned()
        });
        let (text, by) = match self.around.input.clone() {
            Input::Text { text, from } if from.is_empty() => (text, Through::ShellText),
            Input::Text { text, .. } => (text, Through::PipedText),
            Input::Pipe { from } => match self.printed_file(&from)? {
                Some(text) => (text, Through::PipedText),
                None => return Ok(Printed::unknown(at)),
            },
            Input::Inherited => match redirect {
                Some(redirect) => {
                    return self.apart(|shell| shell.script(&redirect.target, arguments, at));
                }
                None => return Ok(Printed::unknown(at)),
            },
        };
        self.apart(|shell| {
            shell.scope.positional = Positional::Known(Rc::new(arguments.to_vec()));
            shell.around.input = Input::Inherited;
            shell.through(by, |shell| shell.text(&text))
        })
    }

    /// What `cat FILE` prints, where the file is at hand.
    fn printed_file(&mut self, from: &[usize]) -> Run<Option<Word>> {
        let [only] = from else { return Ok(None) };
        let Some(act) = self.reading.acts.get(*only) else { return Ok(None) };
        let ("cat", [file]) = (act.program().unwrap_or_default().as_str(), act.arguments()) else {
            return Ok(None);
        };
        let path = file.text().and_then(|name| super::files::resolve(&act.folder, &name));
        match path {
            Some(path) => self.content(&path),
            None => Ok(None),
        }
    }

    /// Reads a script as the shell that is running now.
    pub(super) fn script(&mut self, name: &Word, arguments: &[Word], at: usize) -> Run<Printed> {
        let path = name.text().and_then(|name| self.path(&name));
        let written = self.written(name)?;
        let by_itself = written.is_some();
        let content = match (written, &path) {
            (Some(text), _) => Some(text),
            (None, Some(path)) => self.content(path)?,
            (None, None) => None,
        };
        let Some(content) = content.filter(|content| !is_binary(content)) else {
            return Ok(Printed::unknown(at));
        };
        if content.weight() > SCRIPT_BYTES {
            self.reading.unread.push(Unread::TooLong { bytes: content.weight() });
            return Ok(Printed::unknown(at));
        }
        let by = path.map_or(Through::PipedText, Through::Script);
        let shown = name.shown();
        let called = Callee::Script(content.clone());
        if self.recurs(&called, &shown) {
            return Ok(Printed::unknown(at));
        }
        self.begin(called);
        let outer_zero = std::mem::replace(&mut self.scope.zero, name.clone());
        let outer = self.scope.positional.clone();
        self.scope.positional = Positional::Known(Rc::new(arguments.to_vec()));
        let printed = match by_itself {
            true => self.through(by, |shell| shell.text(&content)),
            false => self.share(at, |shell| shell.through(by, |shell| shell.text(&content))),
        };
        self.scope.positional = outer;
        self.scope.zero = outer_zero;
        self.calls.pop();
        printed
    }

    /// Reads a script that lay on disk before: as much of it as half of what is left allows. What it
    /// does beyond that, or in words that nobody understands, is like any program's; the text that runs
    /// it is read to its end all the same.
    fn share(&mut self, at: usize, inner: impl FnOnce(&mut Self) -> Run<Printed>) -> Run<Printed> {
        let (calls, around, choice) = (self.calls.len(), self.around.clone(), self.choice.clone());
        let (unread, fuel) = (self.reading.unread.len(), self.fuel);
        let noted = self.reading.acts.len();
        let most_acts = self.most_acts;
        self.most_acts = noted + most_acts.saturating_sub(noted) / 2;
        self.fuel = fuel / 2;
        let result = inner(self);
        self.fuel += fuel - fuel / 2;
        self.most_acts = most_acts;
        self.reading.unread.truncate(unread);
        self.calls.truncate(calls);
        (self.around, self.choice) = (around, choice);
        Ok(result.unwrap_or_else(|_| Printed::unknown(at)))
    }

    /// `./FILE`: read if it is a script for a shell.
    pub(super) fn direct_script(
        &mut self,
        name: &Word,
        arguments: &[Word],
        at: usize,
    ) -> Run<Printed> {
        let Some(path) = name.text().and_then(|name| self.path(&name)) else {
            return Ok(Printed::unknown(at));
        };
        match self.content(&path)? {
            Some(content) if is_shell_script(&content) => {
                self.apart(|shell| shell.script(name, arguments, at))
            }
            _ => Ok(Printed::unknown(at)),
        }
    }
}

fn told(arguments: &[Word]) -> (Told, &[Word]) {
    let mut at = 0;
    let mut told = Told::Script;
    while let Some(word) = arguments.get(at) {
        let text = word.known_start();
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        let (letters, sign) = match text.strip_prefix('-') {
            Some(letters) => (letters, '-'),
            None => match text.strip_prefix('+') {
                Some(letters) => (letters, '+'),
                None => break,
            },
        };
        at += 1;
        match letters {
            "-rcfile" | "-init-file" | "-init-command" | "C" => at += 1,
            "-command" => told = Told::Text,
            long if long.starts_with('-') => {}
            letters => {
                if letters.contains('n') && sign == '-' {
                    return (Told::Nothing, &[]);
                }
                if letters.contains('c') && sign == '-' {
                    told = Told::Text;
                } else if letters.contains('s') && sign == '-' {
                    told = Told::Input;
                }
                at += letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
            }
        }
    }
    let rest = arguments.get(at..).unwrap_or_default();
    if rest.is_empty() { (Told::Input, rest) } else { (told, rest) }
}

fn is_binary(content: &Word) -> bool {
    content.known_start().contains('\0')
}

/// Without a first line that names another program, and nothing but text.
fn is_shell_script(content: &Word) -> bool {
    let start = content.known_start();
    if start.contains('\0') || start.contains(char::REPLACEMENT_CHARACTER) {
        return false;
    }
    let Some(line) = start.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        return true;
    };
    line.split([' ', '\t', '/']).any(|part| part.ends_with("sh") && !part.ends_with("csh"))
}
