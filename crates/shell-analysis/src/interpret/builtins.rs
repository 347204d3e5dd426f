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
    /// Runs a builtin or a program with its own rules; `None` for any other, or if it has no relevant effect.
    pub(super) fn by_own_rules(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        let first = arguments.first();
        match name {
            "cd" | "chdir" | "pushd" | "popd" => self.change_folder(name, arguments),
            "export" | "declare" | "typeset" | "local" | "readonly" | "alias" => {
                self.declare(name, arguments);
            }
            "unset" => {
                for name in Arguments::of(arguments, &[]).operands.iter().filter_map(Word::text) {
                    self.scope.undefine(&name);
                    self.scope.set(&name, Value::Unset);
                }
            }
            "read" => return self.read_line(arguments).map(Some),
            "mapfile" | "readarray" => self.read_lines(arguments)?,
            "printf" if first.is_some_and(|word| word.is("-v")) => {
                let output = crate::output::of(name, arguments.get(2..).unwrap_or_default(), None);
                let word = output.map_or(Word::of_unknown(Unknown::Value), |output| output.word);
                if let Some(name) = arguments.get(1).and_then(Word::text) {
                    self.scope.set(&name, Value::Text(word));
                }
            }
            "set" => {
                let dashes = arguments.iter().position(|word| word.is("--"));
                let is_plain = |word: &Word| !word.known_start().starts_with(['-', '+']);
                let plain = first.filter(|word| is_plain(word)).map(|_| 0);
                if let Some(from) = dashes.map(|at| at + 1).or(plain) {
                    self.set_positional(&arguments[from..]);
                }
            }
            "shift" => {
                let count = first.and_then(Word::text).and_then(|text| text.parse().ok());
                if let Positional::Known(words) = self.scope.positional.clone() {
                    self.set_positional(words.get(count.unwrap_or(1)..).unwrap_or_default());
                }
            }
            "unalias" => self.scope.aliases = Rc::default(),
            "eval" => {
                let dashes = first.is_some_and(|word| word.is("--"));
                let text = joined(&arguments[usize::from(dashes)..]);
                return self.launched_by(Launcher::ShellText, |shell| shell.text(&text)).map(Some);
            }
            "source" | "." => {
                if let Some((script, rest)) = arguments.split_first() {
                    return self.script(script, rest, at).map(Some);
                }
            }
            "trap" => {
                let text = arguments.iter().find(|word| !word.known_start().starts_with('-'));
                if let Some(text) = text.filter(|_| !first.is_some_and(|word| word.is("-"))) {
                    self.text_in_subshell(text)?;
                }
            }
            "command" | "builtin" | "exec" => {
                return self.without_function(name, arguments, at).map(Some);
            }
            "xargs" | "gxargs" => {
                return self.in_subshell(|shell| shell.xargs(name, arguments)).map(Some);
            }
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => {
                return self.run_on_found_files(name, arguments, at).map(Some);
            }
            "parallel" | "env_parallel" | "sem" | "rush" | "gargs" | "rust-parallel" => {
                return self.in_subshell(|shell| shell.parallel(name, arguments)).map(Some);
            }
            "at" | "batch" => {
                let Some(text) = self.context.input.text().cloned() else { return Ok(None) };
                return self.wrapped_text(name, &text).map(Some);
            }
            name if is_shell(name) => return self.child_shell(arguments, at).map(Some),
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
