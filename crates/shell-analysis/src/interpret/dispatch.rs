//! Follows a recorded command to the commands that it runs.

use super::redirects::Redirected;
use super::wrappers::{Inner, inner_commands, joined};
use super::{CommandOutput, Run, Shell, files, wrappers};
use crate::invocation::{Folder, Input, Launcher, RedirectKind};
use crate::output;
use crate::scope::{Positional, Value};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// Follows the command with index `at` and these words.
    pub(super) fn dispatch(&mut self, words: &[Word], at: usize) -> Run<CommandOutput> {
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
                    shell.run_program(arguments.to_vec(), Vec::new(), &Redirected::default())
                })?;
            }
            return Ok(CommandOutput::unknown(at));
        };
        if let Some(function) = self.scope.functions.get(program.as_str()).copied() {
            return self.called(function, arguments);
        }
        if let Some(script) = self.own_program(&program)? {
            return self.executable_script(&script, arguments, at);
        }
        let name = program.rsplit('/').next().unwrap_or_default();
        if let Some(printed) = self.builtin(name, arguments, at)? {
            return Ok(printed);
        }
        if is_shell(name) {
            return self.child_shell(arguments, at);
        }
        if let Some(printed) = self.wrapper(name, arguments)? {
            return Ok(printed);
        }
        if let Some(printed) = self.run_with_items(name, arguments, at)? {
            return Ok(printed);
        }
        if program.contains('/') && !is_of_the_system(&program) {
            return self.executable_script(first, arguments, at);
        }
        self.output(name, arguments, at)
    }

    /// A file of this name in a folder that the text has put first in PATH.
    fn own_program(&mut self, name: &str) -> Run<Option<Word>> {
        if name.contains('/') || !self.scope.variables.contains_key("PATH") {
            return Ok(None);
        }
        let search = self.known_variable("PATH").unwrap_or_default().known_start();
        for folder in search.split(':').filter(|folder| !folder.is_empty()) {
            let file = Word::of(format!("{folder}/{name}"));
            if self.written(&file)?.is_some() {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// `sed -i SCRIPT FILE`, for a file that the text has written.
    fn edit_in_place(&mut self, arguments: &[Word]) -> Run<()> {
        let (flags, operands): (Vec<&Word>, Vec<&Word>) =
            arguments.iter().partition(|word| word.known_start().starts_with('-'));
        let in_place = flags.iter().any(|flag| flag.known_start().starts_with("-i"));
        let [script, files @ ..] = operands.as_slice() else { return Ok(()) };
        for file in files.iter().filter(|_| in_place) {
            let Some(text) = self.written(file)? else { continue };
            if let Some(edited) = output::edited(script, &text) {
                self.write(file, edited, RedirectKind::Write)?;
            }
        }
        Ok(())
    }

    fn called(&mut self, function: usize, arguments: &[Word]) -> Run<CommandOutput> {
        let arguments = Positional::Known(std::rc::Rc::new(arguments.to_vec()));
        let outer = std::mem::replace(&mut self.scope.positional, arguments);
        let printed = self.call(function);
        self.scope.positional = outer;
        printed
    }

    /// Runs the commands in the arguments of a wrapper; `None` if it is none.
    fn wrapper(&mut self, name: &str, arguments: &[Word]) -> Run<Option<CommandOutput>> {
        let mut printed: Option<CommandOutput> = None;
        for Inner { command, folder } in inner_commands(name, arguments) {
            let next = self.in_subshell(|shell| {
                if let Some(folder) = folder {
                    let path = folder.text().and_then(|name| shell.path(&name));
                    shell.scope.folders = vec![path.map_or(Folder::Unknown, Folder::Known)];
                }
                match command {
                    wrappers::Command::Words(words) => shell.wrapped(name, &words),
                    wrappers::Command::Text(text) => shell.wrapped_text(name, &text),
                }
            })?;
            printed.get_or_insert_default().then(next);
        }
        Ok(printed)
    }

    /// Runs words on behalf of another program, after its `NAME=value` words.
    pub(super) fn wrapped(&mut self, by: &str, words: &[Word]) -> Run<CommandOutput> {
        let mut rest = words;
        let mut assignments = Vec::new();
        while let Some((first, after)) = rest.split_first()
            && let Some((name, _)) = first.known_start().split_once('=')
        {
            let value = first.without_start(name.len() + 1);
            assignments.push((name.to_owned(), value.clone()));
            // A function in the environment of a shell.
            let function = name.strip_prefix("BASH_FUNC_").and_then(|name| name.strip_suffix("%%"));
            if let Some(function) = function {
                let definition = joined(&[Word::of(function), value.clone()]);
                self.text(&definition)?;
            }
            self.scope.set(name, Value::Text(value));
            rest = after;
        }
        if rest.is_empty() {
            return Ok(CommandOutput::default());
        }
        self.launched_by(Launcher::Wrapper(by.to_owned()), |shell| {
            shell.run_program(rest.to_vec(), assignments, &Redirected::default())
        })
    }

    /// Runs a text in a separate shell.
    pub(super) fn text_in_subshell(&mut self, text: &Word, by: Launcher) -> Run<CommandOutput> {
        self.in_subshell(|shell| shell.launched_by(by, |shell| shell.text(text)))
    }

    /// Runs a text on behalf of another program.
    pub(super) fn wrapped_text(&mut self, by: &str, text: &Word) -> Run<CommandOutput> {
        self.launched_by(Launcher::Wrapper(by.to_owned()), |shell| {
            shell.text_in_subshell(text, Launcher::ShellText)
        })
    }

    fn output(&mut self, name: &str, arguments: &[Word], at: usize) -> Run<CommandOutput> {
        if let Some(printed) = self.of_files(name, arguments, at)? {
            return Ok(printed);
        }
        let input = match &self.context.input {
            Input::Text { text, .. } => Some(text.clone()),
            Input::Inherited | Input::Pipe { .. } => None,
        };
        let cost: usize = arguments.iter().map(Word::weight).sum();
        self.spend(cost + input.as_ref().map_or(0, Word::weight))?;
        match output::of(name, arguments, input.as_ref()) {
            Some(output) => {
                self.spend(output.word.weight())?;
                let invocations = if output.word.is_empty() { Vec::new() } else { vec![at] };
                Ok(CommandOutput { word: output.word, invocations, status: output.status })
            }
            None => Ok(CommandOutput::unknown(at)),
        }
    }

    /// Programs whose output or effect depends on files or the working directory.
    fn of_files(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        let is_value = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| arguments.get(at)).and_then(Word::text);
            name == "install" && matches!(before.as_deref(), Some("-m" | "-o" | "-g" | "-S"))
        };
        let operands: Vec<&Word> = arguments
            .iter()
            .enumerate()
            .filter(|(at, word)| !word.known_start().starts_with('-') && !is_value(*at))
            .map(|(_, word)| word)
            .collect();
        Ok(match name {
            "cat" if !operands.is_empty() => {
                let mut printed = CommandOutput::known("", at);
                for operand in operands {
                    match self.written(operand)? {
                        Some(text) => printed.word.append(text),
                        None => return Ok(Some(CommandOutput::unknown(at))),
                    }
                }
                Some(printed)
            }
            "tee" => {
                let (text, from) = match self.context.input.clone() {
                    Input::Text { text, .. } => (text, vec![at]),
                    Input::Pipe { .. } | Input::Inherited => {
                        (Word::of_unknown(Unknown::Output(vec![at])), vec![at])
                    }
                };
                let extends = arguments.iter().any(|word| {
                    matches!(word.text().as_deref(), Some("-a" | "--append" | "-ai" | "-ia"))
                });
                let kind = if extends { RedirectKind::Append } else { RedirectKind::Write };
                for operand in operands {
                    self.write(operand, text.clone(), kind)?;
                }
                Some(CommandOutput {
                    word: text,
                    invocations: from,
                    status: super::ExitStatus::Success,
                })
            }
            "cp" | "mv" | "ln" | "install" => {
                if let [from, to] = operands.as_slice() {
                    match (from.text().as_deref(), self.context.input.clone()) {
                        (Some("/dev/stdin"), Input::Text { text, .. }) => {
                            self.write(to, text, RedirectKind::Write)?;
                        }
                        _ => self.copy(from, to),
                    }
                }
                None
            }
            "sed" | "gsed" => {
                self.edit_in_place(arguments)?;
                None
            }
            "dd" => {
                let target = operands.iter().find(|word| word.known_start().starts_with("of="));
                if let (Some(target), Input::Text { text, .. }) =
                    (target, self.context.input.clone())
                {
                    self.write(&target.without_start(3), text, RedirectKind::Write)?;
                }
                None
            }
            "pwd" => match self.folder() {
                Folder::Known(path) => {
                    Some(CommandOutput::known(format!("{}\n", path.display()), at))
                }
                Folder::Unknown => None,
            },
            "realpath" | "readlink" => match operands.as_slice() {
                [only] => only
                    .text()
                    .and_then(|name| files::resolve(&self.folder(), &name))
                    .map(|path| CommandOutput::known(format!("{}\n", path.display()), at)),
                _ => None,
            },
            _ => None,
        })
    }
}

fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "pdksh"
            | "ash"
            | "fish"
            | "rbash"
            | "csh"
            | "tcsh"
    )
}

fn is_of_the_system(program: &str) -> bool {
    let folders = ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"];
    folders
        .iter()
        .any(|folder| program.strip_prefix(folder).is_some_and(|name| !name.contains('/')))
}
