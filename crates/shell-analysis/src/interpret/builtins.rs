//! Shell builtins, and programs that are not in the table of wrappers.

use std::rc::Rc;

use super::shells::is_shell;
use super::wrappers::joined;
use super::{CommandOutput, ExitStatus, Printed, Run, Shell};
use crate::arguments::Arguments;
use crate::invocation::{Folder, Launcher};
use crate::limits::CANDIDATES;
use crate::scope::{Positional, Value};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// Runs a builtin, or another program that is not in the table of wrappers; `None` for any other.
    pub(super) fn by_own_rules(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        let printed = match (name, arguments) {
            ("eval", _) => {
                let dashes = arguments.first().is_some_and(|word| word.is("--"));
                let text = joined(&arguments[usize::from(dashes)..]);
                self.launched_by(Launcher::ShellText, |shell| shell.text(&text))
            }
            ("source" | ".", [script, rest @ ..]) => self.script(script, rest, at),
            ("trap", [first, ..]) if !first.is("-") => {
                let text = arguments.iter().find(|word| !word.known_start().starts_with('-'));
                self.text_in_subshell(text.unwrap_or(&Word::default()))
            }
            ("read", _) => self.read_line(arguments),
            ("command" | "builtin" | "exec", _) => self.without_function(name, arguments, at),
            ("xargs" | "gxargs", _) => self.in_subshell(|shell| shell.xargs(name, arguments)),
            ("find" | "gfind" | "fd" | "fdfind" | "bfs", _) => {
                self.run_on_found_files(name, arguments, at)
            }
            ("parallel" | "env_parallel" | "sem" | "rush" | "gargs" | "rust-parallel", _) => {
                self.in_subshell(|shell| shell.parallel(name, arguments))
            }
            ("at" | "batch", _) => match self.context.input.text().cloned() {
                Some(text) => self.wrapped_text(name, &text),
                None => return Ok(None),
            },
            _ if is_shell(name) => self.child_shell(arguments, at),
            _ => return self.state_builtin(name, arguments),
        };
        printed.map(Some)
    }

    /// Builtins that only change the state of the shell.
    fn state_builtin(&mut self, name: &str, arguments: &[Word]) -> Run<Option<CommandOutput>> {
        match (name, arguments) {
            ("cd" | "chdir" | "pushd" | "popd", _) => self.change_folder(name, arguments),
            // They print all variables.
            ("set" | "export" | "declare" | "typeset", []) => return Ok(None),
            ("export" | "declare" | "typeset", [flag]) if flag.is("-p") || flag.is("-x") => {
                return Ok(None);
            }
            ("export" | "declare" | "typeset" | "local" | "readonly" | "alias", _) => {
                self.declare(name, arguments);
            }
            ("unset", _) => {
                for name in Arguments::of(arguments, &[]).operands.iter().filter_map(Word::text) {
                    self.scope.undefine(&name);
                    self.scope.set(&name, Value::Unset);
                }
            }
            ("mapfile" | "readarray", _) => self.read_lines(arguments)?,
            ("printf", [flag, name, format @ ..]) if flag.is("-v") => {
                let output = crate::output::of("printf", format, None);
                let word = output.map_or(Word::of_unknown(Unknown::Value), |output| output.word);
                self.scope.set(&name.shown(), Value::Text(word));
            }
            ("set", [first, ..]) => {
                let dashes = arguments.iter().position(|word| word.is("--"));
                let plain = Some(0).filter(|_| !first.known_start().starts_with(['-', '+']));
                if let Some(from) = dashes.map(|at| at + 1).or(plain) {
                    self.set_positional(&arguments[from..]);
                }
            }
            ("shift", _) => {
                let count = arguments.first().and_then(Word::text);
                let count = count.and_then(|text| text.parse().ok()).unwrap_or(1);
                if let Positional::Known(words) = self.scope.positional.clone() {
                    self.set_positional(words.get(count..).unwrap_or_default());
                }
            }
            ("unalias", _) => self.scope.aliases = Rc::default(),
            ("trap" | "source" | ".", _) => {}
            _ => return Ok(None),
        }
        Ok(Some(CommandOutput::default()))
    }

    /// `command`, `builtin` and `exec` ignore functions.
    fn without_function(&mut self, by: &str, arguments: &[Word], at: usize) -> Printed {
        let (options, words) = Arguments::leading(arguments, &["a"]);
        let name = words.first().and_then(Word::text).unwrap_or_default();
        if options.has(&["v", "V"]) {
            // The name stands for its path.
            let found = CommandOutput::known(name + "\n", at);
            return Ok(CommandOutput { status: ExitStatus::Unknown, ..found });
        }
        let function = self.scope.functions.get(name.as_str()).copied();
        if function.is_some() {
            self.scope.undefine(&name);
        }
        let printed = self.wrapped(by, words);
        if let Some(function) = function {
            self.scope.define(&name, function);
        }
        printed
    }

    /// `export NAME=value`, `alias NAME=text`; the values are already expanded.
    fn declare(&mut self, by: &str, arguments: &[Word]) {
        for word in arguments.iter().filter(|word| !word.known_start().starts_with('-')) {
            let start = word.known_start();
            let Some((name, _)) = start.split_once('=') else {
                if by == "local" {
                    self.scope.set(&start, Value::Unset);
                }
                continue;
            };
            let value = word.without_start(name.len() + 1);
            let name = name.trim_end_matches('+');
            let known = self.scope.variables.get(name).map(|values| values.as_slice());
            match known {
                _ if by == "alias" => self.scope.set_alias(name, value),
                // Expansion has already set an array.
                Some([Value::List(_)]) => {}
                _ => self.scope.set(name, Value::Text(value)),
            }
        }
    }

    /// `cd` and similar builtins: the working directory afterwards, if known.
    fn change_folder(&mut self, name: &str, arguments: &[Word]) {
        let is_target = |word: &&Word| !word.known_start().starts_with('-') || word.is("-");
        let target = match arguments.iter().find(is_target) {
            Some(word) if word.is("-") => self.known_variable("OLDPWD"),
            Some(word) => Some(word.clone()),
            None if name.starts_with('c') => self.known_variable("HOME"),
            None => None,
        };
        let is_entry = |word: &Word| name == "pushd" && word.known_start().starts_with('+');
        let known = target.filter(|word| name != "popd" && !word.has_glob() && !is_entry(word));
        let mut folders = vec![known.as_ref().map_or(Folder::Unknown, |word| self.folder_at(word))];
        let known = known.and_then(|word| word.text()).filter(|name| !name.starts_with(['/', '.']));
        // The folders that `CDPATH` may lead to, besides the local one.
        let search = self.known_variable("CDPATH").unwrap_or_default().known_start();
        for entry in search.split(':').filter(|entry| !entry.is_empty()).take(CANDIDATES - 1) {
            let folder = known.as_ref().map(|name| Word::of(format!("{entry}/{name}")));
            folders.extend(folder.map(|folder| self.folder_at(&folder)));
        }
        self.scope.has_branches |= folders.len() > 1;
        if let Folder::Known(before) = self.folder() {
            self.scope.set("OLDPWD", Value::Text(Word::of(before.to_string_lossy())));
        }
        self.scope.folders = folders;
    }
}
