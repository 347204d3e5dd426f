//! Follows a recorded command to the commands that it runs.

use super::command_output::{CommandOutput, Handled, Printed};
use super::redirects::Redirected;
use super::wrappers::{Inner, inner_commands};
use crate::arguments::Arguments;
use crate::invocation::{Launcher, RedirectKind};
use crate::output;
use crate::shell::{Run, Shell};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// Follows the command with index `at` and these words.
    pub(super) fn dispatch(&mut self, words: &[Word], at: usize) -> Printed {
        let Some((first, arguments)) = words.split_first() else {
            return Ok(CommandOutput::default());
        };
        let Some(program) = first.text() else {
            if self.written(first)?.is_some() {
                return self.in_subshell(|shell| shell.script(first, arguments, at));
            }
            // An unknown word may be empty; then the next word is the program.
            if !first.has_known_part() && !arguments.is_empty() {
                self.in_subshell(|shell| {
                    shell.run(arguments.into(), Vec::new(), &Redirected::default())
                })?;
            }
            return Ok(CommandOutput::unknown(at));
        };
        if let Some(function) = self.scope.functions.get(&*program).copied() {
            let outer = self.scope.positional.clone();
            self.set_positional(self.zero(), arguments);
            let printed = self.call(function);
            self.scope.positional = outer;
            return printed;
        }
        if let Some(script) = self.own_program(&program)? {
            return self.executable(&script, arguments, at);
        }
        let (folder, name) = program.rsplit_once('/').unwrap_or(("/bin", &program));
        if let Some(printed) = self.by_own_rules(name, arguments, at)? {
            return Ok(printed);
        }
        if let Some(printed) = self.wrapper(name, arguments)? {
            return Ok(printed);
        }
        if !matches!(folder, "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin") {
            return self.executable(first, arguments, at);
        }
        match self.with_files(name, arguments, at)? {
            Some(printed) => Ok(printed),
            None => self.output(name, arguments, at),
        }
    }

    /// A file of this name in a folder that the text has put first in PATH.
    fn own_program(&mut self, name: &str) -> Run<Option<Word>> {
        let search = self.known_variable("PATH").filter(|_| !name.contains('/'));
        let search = search.cloned().unwrap_or_default();
        for folder in search.known_start().split(':').filter(|folder| !folder.is_empty()) {
            let file = Word::of(format!("{folder}/{name}"));
            if self.written(&file)?.is_some() {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Runs the commands in the arguments of a wrapper; `None` if it is none.
    fn wrapper(&mut self, name: &str, arguments: &[Word]) -> Handled {
        let mut printed: Option<CommandOutput> = None;
        let inner = inner_commands(name, arguments);
        if inner.is_empty() {
            return self.deeper(|_| Ok(None));
        }
        self.in_subshell(|shell| {
            for command in inner {
                printed.get_or_insert_default().then(match command {
                    Inner::Words(words) => shell.in_subshell(|shell| shell.wrapped(name, words))?,
                    Inner::Text(text) => shell.wrapped_text(name, &text)?,
                    Inner::Folder(folder) => {
                        shell.scope.enter(shell.path(&folder));
                        continue;
                    }
                });
            }
            Ok(printed)
        })
    }

    /// Runs words on behalf of another program, after its `NAME=value` words.
    pub(super) fn wrapped(&mut self, by: &str, words: &[Word]) -> Printed {
        let mut rest = words;
        let mut assignments = Vec::new();
        while let Some((first, after)) = rest.split_first()
            && let Some((name, _)) = first.known_start().split_once('=')
        {
            let value = first.without_start(name.len() + 1);
            // A function in the environment of a shell.
            let function = name.strip_prefix("BASH_FUNC_").and_then(|name| name.strip_suffix("%%"));
            if let Some(function) = function {
                self.text(&Word::joined([&Word::of(function), &value]))?;
            }
            self.scope.set(name, value.clone());
            assignments.push((name.to_owned(), value));
            rest = after;
        }
        if rest.is_empty() {
            return Ok(CommandOutput::default());
        }
        self.launched_by(Launcher::Wrapper(by.to_owned()), |shell| {
            shell.run(rest.into(), assignments, &Redirected::default())
        })
    }

    /// Runs a text in a separate shell.
    pub(super) fn text_in_subshell(&mut self, text: &Word) -> Printed {
        self.in_subshell(|shell| shell.launched_by(Launcher::ShellText, |shell| shell.text(text)))
    }

    /// Runs a text on behalf of another program.
    pub(super) fn wrapped_text(&mut self, by: &str, text: &Word) -> Printed {
        self.launched_by(Launcher::Wrapper(by.to_owned()), |shell| shell.text_in_subshell(text))
    }

    fn output(&mut self, name: &str, arguments: &[Word], at: usize) -> Printed {
        let input = self.context.input.text().cloned();
        let cost: usize = arguments.iter().chain(&input).map(Word::weight).sum();
        self.spend(cost)?;
        let Some((word, succeeds)) = output::of(name, arguments, input.as_ref()) else {
            return Ok(CommandOutput::unknown(at));
        };
        self.spend(word.weight())?;
        let invocations = if word.is_empty() { Vec::new() } else { vec![at] };
        Ok(CommandOutput { word, invocations, succeeds })
    }

    /// Programs whose output or effect depends on files or the working directory.
    fn with_files(&mut self, name: &str, arguments: &[Word], at: usize) -> Handled {
        let valued: &[&str] = match name {
            "install" => &["m", "o", "g", "S"],
            "cat" | "tee" | "cp" | "mv" | "ln" | "sed" | "gsed" => &[],
            _ => return Ok(None),
        };
        let options = Arguments::of(arguments, valued);
        let operands = options.operands.as_slice();
        match (name, operands) {
            ("cat", [_, ..]) => {
                let mut printed = CommandOutput::known(Word::default(), at);
                for operand in operands {
                    match self.written(operand)? {
                        Some(text) => printed.word.append(text),
                        None => return Ok(Some(CommandOutput::unknown(at))),
                    }
                }
                return Ok(Some(printed));
            }
            ("tee", _) => {
                let extends = options.has(&["a", "append"]);
                let kind = if extends { RedirectKind::Append } else { RedirectKind::Write };
                let text = self.context.input.text().cloned();
                let text = text.unwrap_or_else(|| Word::of_unknown(Unknown::Output(vec![at])));
                for operand in operands {
                    self.write(operand, text.clone(), kind)?;
                }
                return Ok(Some(CommandOutput::known(text, at)));
            }
            ("cp" | "mv" | "ln" | "install", [from, to]) => self.copy(from, to)?,
            ("sed" | "gsed", [script, files @ ..]) if options.has(&["i", "in-place"]) => {
                for file in files {
                    let text = self.written(file)?;
                    if let Some(edited) = text.and_then(|text| output::edited(script, &text)) {
                        self.write(file, edited, RedirectKind::Write)?;
                    }
                }
            }
            _ => {}
        }
        Ok(None)
    }
}
