//! Shells that are started with a text, a script or piped input.

use std::rc::Rc;

use super::{Callee, CommandOutput, Run, Shell};
use crate::analysis::Unanalyzed;
use crate::invocation::{Input, Launcher, RedirectKind};
use crate::limits::SCRIPT_BYTES;
use crate::scope::Positional;
use crate::word::Word;

/// What a shell runs.
enum ShellSource {
    Text,
    Script,
    Input,
    /// `-n`: only checks the syntax.
    Nothing,
}

impl Shell<'_> {
    pub(super) fn child_shell(&mut self, arguments: &[Word], at: usize) -> Run<CommandOutput> {
        let (source, rest) = source(arguments);
        if let ShellSource::Nothing = source {
            return Ok(CommandOutput::unknown(at));
        }
        self.startup_files(arguments, at)?;
        match (source, rest.split_first()) {
            (ShellSource::Text, Some((text, rest))) => self.in_subshell(|shell| {
                if let Some((zero, positional)) = rest.split_first() {
                    shell.scope.zero = zero.clone();
                    shell.scope.positional = Positional::Known(Rc::new(positional.to_vec()));
                } else {
                    shell.scope.positional = Positional::Known(Rc::default());
                }
                shell.launched_by(Launcher::ShellText, |shell| shell.text(text))
            }),
            (ShellSource::Script, Some((script, rest))) => {
                let name = script.text();
                if let Some("/dev/stdin" | "/dev/fd/0") = name.as_deref() {
                    return self.shell_input(rest, at);
                }
                self.in_subshell(|shell| shell.script(script, rest, at))
            }
            (_, _) => self.shell_input(rest, at),
        }
    }

    /// The startup files of a shell.
    fn startup_files(&mut self, arguments: &[Word], at: usize) -> Run<()> {
        let names_file = |pair: &&[Word]| {
            pair[0].text().is_some_and(|flag| flag == "--rcfile" || flag == "--init-file")
        };
        let named = arguments.windows(2).filter(names_file).map(|pair| pair[1].clone());
        let variables = ["BASH_ENV", "ENV"];
        let set = variables.iter().filter_map(|name| self.known_variable(name));
        let files: Vec<Word> = set.chain(named).filter(|word| !word.is_empty()).collect();
        for file in files {
            self.in_subshell(|shell| shell.script(&file, &[], at))?;
        }
        Ok(())
    }

    /// A shell that reads commands from its input.
    fn shell_input(&mut self, arguments: &[Word], at: usize) -> Run<CommandOutput> {
        let redirect = self.analysis.invocations.get(at).and_then(|invocation| {
            invocation
                .redirects
                .iter()
                .rev()
                .find(|redirect| redirect.kind == RedirectKind::Read)
                .cloned()
        });
        let (text, by) = match self.context.input.clone() {
            Input::Text { text, from } if from.is_empty() => (text, Launcher::ShellText),
            Input::Text { text, .. } => (text, Launcher::PipedText),
            Input::Pipe { from } => match self.printed_file(&from)? {
                Some(text) => (text, Launcher::PipedText),
                None => return Ok(CommandOutput::unknown(at)),
            },
            Input::Inherited => match redirect {
                Some(redirect) => {
                    return self.in_subshell(|shell| shell.script(&redirect.target, arguments, at));
                }
                None => return Ok(CommandOutput::unknown(at)),
            },
        };
        self.in_subshell(|shell| {
            shell.scope.positional = Positional::Known(Rc::new(arguments.to_vec()));
            shell.context.input = Input::Inherited;
            shell.launched_by(by, |shell| shell.text(&text))
        })
    }

    /// The output of `cat FILE`, if the file's content is known.
    fn printed_file(&mut self, from: &[usize]) -> Run<Option<Word>> {
        let [only] = from else { return Ok(None) };
        let Some(invocation) = self.analysis.invocations.get(*only) else { return Ok(None) };
        let ("cat", [file]) =
            (invocation.program().unwrap_or_default().as_str(), invocation.arguments())
        else {
            return Ok(None);
        };
        let path = file.text().and_then(|name| super::files::resolve(&invocation.folder, &name));
        match path {
            Some(path) => self.content(&path),
            None => Ok(None),
        }
    }

    /// Runs a script in the current shell.
    pub(super) fn script(
        &mut self,
        name: &Word,
        arguments: &[Word],
        at: usize,
    ) -> Run<CommandOutput> {
        let path = name.text().and_then(|name| self.path(&name));
        let written = self.written(name)?;
        let by_itself = written.is_some();
        let content = match (written, &path) {
            (Some(text), _) => Some(text),
            (None, Some(path)) => self.content(path)?,
            (None, None) => None,
        };
        let Some(content) = content.filter(|content| !is_binary(content)) else {
            return Ok(CommandOutput::unknown(at));
        };
        if content.weight() > SCRIPT_BYTES {
            self.analysis.unanalyzed.push(Unanalyzed::TooLong { bytes: content.weight() });
            return Ok(CommandOutput::unknown(at));
        }
        let by = path.map_or(Launcher::PipedText, Launcher::Script);
        let shown = name.shown();
        let called = Callee::Script(content.clone());
        if self.is_recursive(&called, &shown) {
            return Ok(CommandOutput::unknown(at));
        }
        self.begin(called);
        let outer_zero = std::mem::replace(&mut self.scope.zero, name.clone());
        let outer = self.scope.positional.clone();
        self.scope.positional = Positional::Known(Rc::new(arguments.to_vec()));
        let printed = match by_itself {
            true => self.launched_by(by, |shell| shell.text(&content)),
            false => self.with_half_the_fuel(at, |shell| {
                shell.launched_by(by, |shell| shell.text(&content))
            }),
        };
        self.scope.positional = outer;
        self.scope.zero = outer_zero;
        self.calls.pop();
        printed
    }

    /// Analyzes a script that already existed, with at most half of the remaining fuel. Beyond that, or after a
    /// syntax error, it counts as any other program, and the analysis of the calling text continues.
    fn with_half_the_fuel(
        &mut self,
        at: usize,
        inner: impl FnOnce(&mut Self) -> Run<CommandOutput>,
    ) -> Run<CommandOutput> {
        let (calls, context, choice) =
            (self.calls.len(), self.context.clone(), self.choice.clone());
        let (unanalyzed, fuel) = (self.analysis.unanalyzed.len(), self.fuel);
        let noted = self.analysis.invocations.len();
        let most_acts = self.most_acts;
        self.most_acts = noted + most_acts.saturating_sub(noted) / 2;
        self.fuel = fuel / 2;
        let result = inner(self);
        self.fuel += fuel - fuel / 2;
        self.most_acts = most_acts;
        self.analysis.unanalyzed.truncate(unanalyzed);
        self.calls.truncate(calls);
        (self.context, self.choice) = (context, choice);
        Ok(result.unwrap_or_else(|_| CommandOutput::unknown(at)))
    }

    /// `./FILE`: analyzed if it is a shell script.
    pub(super) fn executable_script(
        &mut self,
        name: &Word,
        arguments: &[Word],
        at: usize,
    ) -> Run<CommandOutput> {
        let Some(path) = name.text().and_then(|name| self.path(&name)) else {
            return Ok(CommandOutput::unknown(at));
        };
        match self.content(&path)? {
            Some(content) if is_shell_script(&content) => {
                self.in_subshell(|shell| shell.script(name, arguments, at))
            }
            _ => Ok(CommandOutput::unknown(at)),
        }
    }
}

fn source(arguments: &[Word]) -> (ShellSource, &[Word]) {
    let mut at = 0;
    let mut source = ShellSource::Script;
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
            "-command" => source = ShellSource::Text,
            long if long.starts_with('-') => {}
            letters => {
                if letters.contains('n') && sign == '-' {
                    return (ShellSource::Nothing, &[]);
                }
                if letters.contains('c') && sign == '-' {
                    source = ShellSource::Text;
                } else if letters.contains('s') && sign == '-' {
                    source = ShellSource::Input;
                }
                at += letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
            }
        }
    }
    let rest = arguments.get(at..).unwrap_or_default();
    if rest.is_empty() { (ShellSource::Input, rest) } else { (source, rest) }
}

fn is_binary(content: &Word) -> bool {
    content.known_start().contains('\0')
}

/// Text without a shebang of another program.
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
