//! Programs that run another program named in their arguments.

use super::options::{Options, without_start};
use super::{CommandOutput, Run, Shell, wrapper_table};
use crate::invocation::{Folder, Launcher};
use crate::scope::Value;
use crate::word::Word;

impl Shell<'_> {
    /// Follows a wrapper to its program; `None` if it is not a wrapper.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        arguments: &[Word],
        at: usize,
    ) -> Run<Option<CommandOutput>> {
        if let Some(printed) = self.texts_of(name, arguments)? {
            return Ok(Some(printed));
        }
        if let Some(rest) = wrapper_table::after_subcommand(name, arguments) {
            return self.in_subshell(|shell| shell.wrapped(name, rest)).map(Some);
        }
        let Some(wrapper) = wrapper_table::find(name) else {
            return Ok(None);
        };
        if name == "command" && looks_up(arguments) {
            return Ok(Some(found(arguments, at)));
        }
        let options = wrapper.options.count(arguments);
        if name == "env"
            && let Some(words) = split_string(arguments)
        {
            return self.environment(name, &words, at).map(Some);
        }
        let rest = arguments.get(options + wrapper.operands..).unwrap_or_default();
        if let "env" | "sudo" | "doas" | "cross-env" | "env-cmd" = name {
            return self
                .in_subshell(|shell| {
                    shell.wrapper_folder(wrapper.options, arguments);
                    shell.environment(name, rest, at)
                })
                .map(Some);
        }
        if rest.is_empty() {
            let silent = name == "exec";
            return Ok(Some(if silent {
                CommandOutput::default()
            } else {
                CommandOutput::unknown(at)
            }));
        }
        if let "command" | "builtin" = name {
            return self.without_function(name, rest).map(Some);
        }
        if let "exec" | "noglob" | "nocorrect" = name {
            return self.wrapped(name, rest).map(Some);
        }
        self.in_subshell(|shell| {
            if name == "chroot" {
                shell.scope.folders = vec![Folder::Unknown];
            }
            shell.wrapped(name, rest)
        })
        .map(Some)
    }

    /// `command` and `builtin` ignore functions.
    fn without_function(&mut self, by: &str, words: &[Word]) -> Run<CommandOutput> {
        let name = words.first().and_then(Word::text).unwrap_or_default();
        let Some(function) = self.scope.functions.get(name.as_str()).copied() else {
            return self.wrapped(by, words);
        };
        self.scope.undefine(&name);
        let printed = self.wrapped(by, words);
        self.scope.define(&name, function);
        printed
    }

    /// `env -C DIR`, `sudo -D DIR`.
    fn wrapper_folder(&mut self, options: Options, arguments: &[Word]) {
        let letter = if options.letters.contains('D') { 'D' } else { 'C' };
        if !options.names.contains(&"chdir") {
            return;
        }
        if let Some(folder) = options.value(arguments, letter, "chdir") {
            let path = folder.text().and_then(|name| self.path(&name));
            self.scope.folders = vec![path.map_or(Folder::Unknown, Folder::Known)];
        }
    }

    /// `NAME=value` words, then the program.
    fn environment(&mut self, by: &str, words: &[Word], at: usize) -> Run<CommandOutput> {
        let mut rest = words;
        let mut assignments = Vec::new();
        while let Some((first, after)) = rest.split_first() {
            let start = first.known_start();
            let Some((name, _)) = start.split_once('=') else { break };
            let value = without_start(first, name.len() + 1);
            assignments.push((name.to_owned(), value.clone()));
            // A function in the environment of a shell.
            let function = name.strip_prefix("BASH_FUNC_").and_then(|name| name.strip_suffix("%%"));
            if let Some(function) = function {
                let mut definition = Word::of(function);
                definition.append(value.clone());
                self.text(&definition)?;
            }
            self.scope.set(name, Value::Text(value));
            rest = after;
        }
        if rest.is_empty() {
            return Ok(CommandOutput::unknown(at));
        }
        self.launched_by(Launcher::Wrapper(by.to_owned()), |shell| {
            shell.run_program(rest.to_vec(), assignments, &super::redirects::Redirected::default())
        })
    }

    /// Programs that pass a text to a shell.
    fn texts_of(&mut self, name: &str, arguments: &[Word]) -> Run<Option<CommandOutput>> {
        let (letters, long): (&'static str, &'static [&'static str]) = match name {
            "su" | "runuser" => ("cgGsuw", &["command", "group", "shell", "session-command"]),
            "script" => ("cIOBETmo", &["command", "log-in", "log-out", "log-io"]),
            "flock" => ("cwE", &["command", "wait", "timeout", "conflict-exit-code"]),
            "npx" | "npm" | "pnpm" => ("cpw", &["call", "package", "workspace"]),
            "nix-shell" => ("pAI", &["run", "command", "packages"]),
            "watch" => return self.watch(arguments).map(Some),
            _ => return Ok(None),
        };
        let options = Options { letters, names: long };
        let wrapper = |name: &str| Launcher::Wrapper(name.to_owned());
        let mut from = 0;
        // Their options may also follow other words.
        while from < arguments.len() {
            let here = &arguments[from..];
            let text = options.value(here, 'c', "command");
            let text = text.or_else(|| options.value(here, '\0', "call"));
            let text = text.or_else(|| options.value(here, '\0', "run"));
            if let Some(text) = text {
                return self
                    .in_subshell(|shell| {
                        shell.launched_by(wrapper(name), |shell| {
                            shell.text_in_subshell(&text, Launcher::ShellText)
                        })
                    })
                    .map(Some);
            }
            from += options.count(here).max(1);
            if from == 1 && name == "npm" {
                continue;
            }
        }
        if name != "flock" {
            return Ok(None);
        }
        let rest = options.count(arguments) + 1;
        let rest = arguments.get(rest..).unwrap_or_default();
        self.in_subshell(|shell| shell.wrapped(name, rest)).map(Some)
    }

    /// Joins its words for a shell.
    fn watch(&mut self, arguments: &[Word]) -> Run<CommandOutput> {
        let options = Options { letters: "nqs", names: &["interval", "equexit"] };
        let rest = arguments.get(options.count(arguments)..).unwrap_or_default();
        let text = joined(rest);
        self.in_subshell(|shell| {
            shell.launched_by(Launcher::Wrapper("watch".to_owned()), |shell| {
                shell.text_in_subshell(&text, Launcher::ShellText)
            })
        })
    }
}

pub(super) fn joined(words: &[Word]) -> Word {
    let mut text = Word::default();
    for (at, word) in words.iter().enumerate() {
        text.push_text(if at > 0 { " " } else { "" });
        text.append(word.clone());
    }
    text
}

/// `command -v`
fn looks_up(arguments: &[Word]) -> bool {
    arguments
        .first()
        .and_then(Word::text)
        .is_some_and(|flag| flag.starts_with('-') && flag.contains(['v', 'V']))
}

/// Prints the program name in place of its path.
fn found(arguments: &[Word], at: usize) -> CommandOutput {
    match arguments.last().and_then(Word::text) {
        Some(name) => CommandOutput {
            status: super::ExitStatus::Unknown,
            ..CommandOutput::known(name + "\n", at)
        },
        None => CommandOutput::unknown(at),
    }
}

/// `env -S 'program arguments'` with further arguments.
fn split_string(arguments: &[Word]) -> Option<Vec<Word>> {
    let options = Options { letters: "uCaPS", names: &["unset", "chdir", "split-string"] };
    let text = options.value(arguments, 'S', "split-string")?;
    let at = arguments.iter().position(|word| {
        let start = word.known_start();
        start.starts_with("--split-string") || start.starts_with('-') && start.contains('S')
    })?;
    let own_word =
        arguments[at].text().is_some_and(|word| word.ends_with('S') || word == "--split-string");
    let rest = arguments.get(at + if own_word { 2 } else { 1 }..).unwrap_or_default();
    let parsed = crate::parse::parse(&crate::text::Text::of_word(&text));
    let first = parsed.list.first()?.first.stages.first()?;
    let crate::syntax::Form::Simple(simple) = &first.form else { return None };
    let mut words = Vec::new();
    for assignment in &simple.assignments {
        let value: String = assignment.value.parts.iter().map(literal).collect();
        words.push(Word::of(format!("{}={value}", assignment.name)));
    }
    for raw in &simple.words {
        words.push(Word::of(raw.parts.iter().map(literal).collect::<String>()));
    }
    words.extend_from_slice(rest);
    Some(words)
}

fn literal(part: &crate::syntax::WordPart) -> String {
    match part {
        crate::syntax::WordPart::Plain(text) | crate::syntax::WordPart::Quoted(text) => {
            text.clone()
        }
        crate::syntax::WordPart::Double(parts) => parts.iter().map(literal).collect(),
        _ => String::new(),
    }
}
