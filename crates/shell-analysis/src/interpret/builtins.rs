//! Shell builtins, and programs that are not in the table of wrappers.

use std::rc::Rc;

use super::command_output::{CommandOutput, Handled, Printed};
use super::shells::is_shell;
use crate::arguments::Arguments;
use crate::invocation::Launcher;
use crate::shell::{Run, Shell};
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// Runs a builtin, or another program that is not in the table of wrappers; `None` for any other.
    pub(super) fn by_own_rules(&mut self, name: &str, arguments: &[Word], at: usize) -> Handled {
        let printed = match (name, arguments) {
            ("eval", _) => {
                let dashes = arguments.first().is_some_and(|word| word.is("--"));
                let text = Word::joined(&arguments[usize::from(dashes)..]);
                self.launched_by(Launcher::ShellText, |shell| shell.text(&text))
            }
            ("source" | ".", [script, rest @ ..]) => self.script(script, rest, at),
            ("trap", [first, ..]) if !first.is("-") => {
                let text = arguments.iter().find(|word| !word.known_start().starts_with('-'));
                self.text_in_subshell(text.unwrap_or(&Word::default()))
            }
            ("read", _) => self.read_line(arguments),
            ("command" | "builtin" | "exec", _) => self.without_function(name, arguments, at),
            ("find" | "gfind" | "fd" | "fdfind" | "bfs", _) => self.find_exec(name, arguments, at),
            ("xargs" | "gxargs" | "parallel" | "env_parallel", _)
            | ("sem" | "rush" | "gargs" | "rust-parallel", _) => {
                self.in_subshell(|shell| shell.xargs(name, arguments))
            }
            ("at" | "batch", _) => self.shell_input(&[], at),
            _ if is_shell(name) => self.child_shell(arguments, at),
            _ => return self.state_builtin(name, arguments),
        };
        printed.map(Some)
    }

    /// Builtins that only change the state of the shell.
    fn state_builtin(&mut self, name: &str, arguments: &[Word]) -> Handled {
        match (name, arguments) {
            ("cd" | "chdir" | "pushd" | "popd", _) => self.change_folder(name, arguments),
            // Without a name, they print all variables.
            ("export" | "declare" | "typeset" | "local" | "readonly" | "alias", _)
                if !arguments.iter().all(|word| word.known_start().starts_with('-')) =>
            {
                self.declare(name, arguments)?;
            }
            ("unset", _) => {
                for name in Arguments::of(arguments, &[]).operands.iter().filter_map(Word::text) {
                    self.scope.undefine(&name);
                    self.scope.set_items(&name, Vec::new());
                }
            }
            ("printf", [flag, name, format @ ..]) if flag.is("-v") => {
                let output = crate::output::of("printf", format, None);
                let word = output.map_or(Word::of_unknown(Unknown::Value), |(word, _)| word);
                self.scope.set(&name.shown(), word);
            }
            ("mapfile" | "readarray", _) => {
                self.read_lines(arguments)?;
                // A wrapper: it runs a command for the lines.
                if arguments.iter().any(|word| word.is("-C")) {
                    return Ok(None);
                }
            }
            ("set", [first, ..]) => {
                let dashes = arguments.iter().position(|word| word.is("--"));
                let plain = Some(0).filter(|_| !first.known_start().starts_with(['-', '+']));
                if let Some(from) = dashes.map(|at| at + 1).or(plain) {
                    self.set_positional(self.zero(), &arguments[from..]);
                }
            }
            ("shift", _) => {
                let count = arguments.first().and_then(Word::text);
                let count = count.and_then(|text| text.parse().ok()).unwrap_or(1);
                if let Some(words) = self.scope.positional.clone() {
                    let rest = words.get(1..).and_then(|words| words.get(count..));
                    self.set_positional(self.zero(), rest.unwrap_or_default());
                }
            }
            ("trap" | "source" | ".", _) => {}
            _ => return Ok(None),
        }
        Ok(Some(CommandOutput::nothing()))
    }

    /// `command`, `builtin` and `exec` ignore functions.
    fn without_function(&mut self, by: &str, arguments: &[Word], at: usize) -> Printed {
        let (options, words) = Arguments::leading(arguments, &["a"]);
        let name = words.first().and_then(Word::text).unwrap_or_default();
        if options.has(&["v", "V"]) {
            // The name stands for its path.
            let found = CommandOutput::known(Word::of(name + "\n"), at);
            return Ok(CommandOutput { succeeds: None, ..found });
        }
        let functions = Rc::clone(&self.scope.functions);
        if functions.contains_key(&*name) {
            self.scope.undefine(&name);
        }
        let printed = self.wrapped(by, words);
        self.scope.functions = functions;
        printed
    }

    /// `export NAME=value`, `alias NAME=text`; the values are already expanded.
    fn declare(&mut self, by: &str, arguments: &[Word]) -> Run<()> {
        for word in arguments.iter().filter(|word| !word.known_start().starts_with('-')) {
            let start = word.known_start();
            let Some((name, _)) = start.split_once('=') else {
                if by == "local" {
                    self.scope.set_items(&start, Vec::new());
                }
                continue;
            };
            let value = word.without_start(name.len() + 1);
            let name = name.trim_end_matches('+');
            if by == "alias" {
                self.set_alias(name, &value)?;
            // Expansion has already set an array.
            } else if self
                .items_of(name)
                .is_none_or(|items| matches!(items, [(key, _)] if key == "0"))
            {
                self.scope.set(name, value);
            }
        }
        Ok(())
    }

    /// An alias is like a function that ends with its arguments.
    pub(super) fn set_alias(&mut self, name: &str, value: &Word) -> Run<()> {
        // Its own text does not expand it again.
        let text = value.known_start();
        let by = if text.split_whitespace().next() == Some(name) { "command " } else { "" };
        let mut text = Word::of(format!("{name}() {{ {by}"));
        text.append(value.clone());
        text.push_text(" \"$@\"\n}");
        self.text(&text)?;
        // It only matters where it is used.
        self.definitions.last_mut().into_iter().for_each(|alias| alias.called = true);
        Ok(())
    }

    /// `cd` and similar builtins: the working directory afterwards, if known.
    fn change_folder(&mut self, name: &str, arguments: &[Word]) {
        let is_target = |word: &&Word| !word.known_start().starts_with(['-', '+']) || word.is("-");
        let target = match arguments.iter().find(is_target) {
            Some(word) if word.is("-") => self.known_variable("OLDPWD").cloned(),
            Some(word) => Some(word.clone()),
            None if name.starts_with('c') => self.known_variable("HOME").cloned(),
            None => None,
        };
        let target = target.filter(|word| name != "popd" && !word.has_glob());
        let Some(mut target) = target else { return self.scope.enter(None) };
        // The folders that `CDPATH` may lead to are stricter than the local one.
        let is_local = target.known_start().starts_with(['/', '.']);
        if let Some(search) = self.known_variable("CDPATH").filter(|_| !is_local) {
            let folders = search.known_start();
            let mut path = Word::of(folders.rsplit(':').next().unwrap_or_default());
            path.push_text("/");
            path.append(target);
            target = path;
        }
        self.scope.enter(self.path(&target));
    }
}
