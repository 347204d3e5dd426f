//! Shells that are started with a text, a script or piped input.

use super::command_output::{CommandOutput, Printed};
use crate::arguments::Arguments;
use crate::invocation::{Input, Launcher, Redirect, RedirectKind};
use crate::shell::Shell;
use crate::word::Word;

const VALUED: &[&str] = &["o", "O", "C", "rcfile", "init-file", "init-command", "command"];

impl Shell<'_> {
    pub(super) fn child_shell(&mut self, arguments: &[Word], at: usize) -> Printed {
        let is_option = |word: &&Word| !word.known_start().starts_with('+');
        let arguments: Vec<Word> = arguments.iter().filter(is_option).cloned().collect();
        let (options, rest) = Arguments::leading(&arguments, VALUED);
        let rest = &rest[usize::from(rest.first().is_some_and(|word| word.is("-")))..];
        if options.has(&["n"]) {
            return Ok(CommandOutput::unknown(at));
        }
        let set =
            ["BASH_ENV", "ENV"].into_iter().filter_map(|name| self.known_variable(name).cloned());
        let startup = set.chain(options.values(&["rcfile", "init-file"]).cloned());
        for file in startup.filter(|word| !word.is_empty()).collect::<Vec<_>>() {
            self.in_subshell(|shell| shell.script(&file, &[], at))?;
        }
        for text in options.values(&["C", "init-command", "command"]) {
            self.text_in_subshell(text)?;
        }
        match rest.split_first() {
            Some((text, rest)) if options.has(&["c"]) => self.in_subshell(|shell| {
                let zero = rest.first().cloned().unwrap_or_else(|| shell.zero());
                shell.set_positional(zero, rest.get(1..).unwrap_or_default());
                shell.launched_by(Launcher::ShellText, |shell| shell.text(text))
            }),
            Some((script, rest)) if !options.has(&["s"]) => {
                self.in_subshell(|shell| shell.script(script, rest, at))
            }
            _ => self.shell_input(rest, at),
        }
    }

    /// A shell that reads commands from its input.
    pub(super) fn shell_input(&mut self, arguments: &[Word], at: usize) -> Printed {
        let invocations = &self.analysis.invocations;
        let file = match self.context.input.clone() {
            Input::Text { text, from } => {
                let by = if from.is_empty() { Launcher::ShellText } else { Launcher::PipedText };
                return self.in_subshell(|shell| {
                    shell.set_positional(shell.zero(), arguments);
                    shell.context.input = Input::Inherited;
                    shell.launched_by(by, |shell| shell.text(&text))
                });
            }
            Input::Pipe { from } => {
                let source = from.first().filter(|_| from.len() == 1);
                match source.and_then(|at| invocations.get(*at)).map(|cat| &*cat.words) {
                    Some([cat, file]) if cat.is("cat") => Some(file.clone()),
                    _ => None,
                }
            }
            Input::Inherited => invocations.get(at).and_then(|own| {
                let reads = |redirect: &&Redirect| redirect.kind == RedirectKind::Read;
                own.redirects.iter().rfind(reads).map(|redirect| redirect.target.clone())
            }),
        };
        let Some(file) = file else { return Ok(CommandOutput::unknown(at)) };
        self.in_subshell(|shell| shell.script(&file, arguments, at))
    }

    /// Runs a script in the current shell. One that already existed gets at most half of the remaining fuel. Beyond
    /// that, or after a syntax error, it counts as any other program, and the analysis of the calling text continues.
    pub(super) fn script(&mut self, name: &Word, arguments: &[Word], at: usize) -> Printed {
        let is_own = self.written(name)?.is_some();
        let content = self.content(name)?.filter(|text| !text.known_start().contains('\0'));
        let Some(content) = content else { return Ok(CommandOutput::unknown(at)) };
        let by = self.path(name).map_or(Launcher::PipedText, Launcher::Script);
        let outer = self.scope.positional.clone();
        self.set_positional(name.clone(), arguments);
        let (unanalyzed, fuel) = (self.analysis.unanalyzed.len(), self.fuel);
        self.fuel = if is_own { fuel } else { fuel / 2 };
        let printed = self.calling(content.clone(), &name.shown(), |shell| {
            shell.launched_by(by, |shell| shell.text(&content))
        });
        self.scope.positional = outer;
        if is_own {
            return printed;
        }
        self.fuel += fuel - fuel / 2;
        self.analysis.unanalyzed.truncate(unanalyzed);
        Ok(printed.unwrap_or_else(|_| CommandOutput::unknown(at)))
    }

    /// `./FILE`: analyzed if it is a shell script.
    pub(super) fn executable(&mut self, name: &Word, arguments: &[Word], at: usize) -> Printed {
        match self.content(name)? {
            Some(content) if is_shell_script(&content) => {
                self.in_subshell(|shell| shell.script(name, arguments, at))
            }
            _ => Ok(CommandOutput::unknown(at)),
        }
    }
}

pub(super) fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "pdksh" | "oksh" | "ash")
        || matches!(name, "fish" | "rbash" | "csh" | "tcsh" | "yash" | "osh")
}

/// Text without a shebang of another program.
fn is_shell_script(content: &Word) -> bool {
    let start = content.known_start();
    let shebang = start.strip_prefix("#!").and_then(|rest| rest.lines().next());
    let names_shell = |line: &str| line.split([' ', '\t', '/']).any(is_shell);
    !start.contains(['\0', char::REPLACEMENT_CHARACTER]) && shebang.is_none_or(names_shell)
}
