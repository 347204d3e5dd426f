//! `ralph-loop completions`, `man` and `containerfile`: print files that users or packages install.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{CommandResult, print};
use crate::cli::Cli;

const CONTAINERFILE: &str = include_str!("../../../../deploy/Containerfile");

pub(super) fn containerfile() -> CommandResult {
    print(CONTAINERFILE);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn completions(shell: Shell) -> CommandResult {
    print(&script(shell));
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    // For bash, clap_complete writes the hyphen of the program's name in one way where it sets the command, and in
    // another where it looks for it.
    script.replace("ralph__subcmd__loop__subcmd__", "ralph__loop__subcmd__")
}

/// One page on standard output, or one page per command in a folder.
pub(super) fn man(dir: Option<&Path>) -> CommandResult {
    let command = Cli::command();
    let Some(dir) = dir else {
        let mut page = Vec::new();
        let rendered = Man::new(command.disable_help_subcommand(true)).render(&mut page);
        rendered.context("cannot render the manual page")?;
        print(&String::from_utf8_lossy(&page));
        return Ok(ExitCode::SUCCESS);
    };
    fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(command, dir))
        .with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use assert_fs::TempDir;

    use super::*;

    const SHELLS: [(Shell, &str); 3] =
        [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")];

    /// Sources the script and prints the completions of the last word.
    const BASH: &str = r#"
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _ralph__loop ralph-loop "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    /// zsh completes only on a terminal, so the script opens one.
    const ZSH: &str = r#"
        zmodload zsh/zpty
        zpty shell "zsh -f -i"
        zpty -w shell "autoload -Uz compinit && compinit -u -D; source $1; PROMPT=REA''DY"
        zpty -r shell out '*READY*'
        shift
        zpty -n -w shell "$*"$'\t\x15'
        zpty -w shell "print THE E''ND"
        zpty -r shell out '*THE END*'
        print -r -- "$out""#;
    const FISH: &str = r#"source $argv[1]; complete --do-complete "$argv[2..]""#;

    fn is_installed(program: &str) -> bool {
        let found = assert_cmd::Command::new(program).arg("--version").output().is_ok();
        if !found {
            // Bypasses the capture of the test runner, so that the skip is visible.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {program} is not installed here");
        }
        found
    }

    fn offered(shell: Shell, program: &str, line: &[&str]) -> String {
        let dir = TempDir::new().unwrap();
        let file = dir.path().join("script");
        std::fs::write(&file, script(shell)).unwrap();
        let code = match shell {
            Shell::Zsh => ZSH,
            Shell::Fish => FISH,
            _ => BASH,
        };
        let mut call = assert_cmd::Command::new(program);
        call.current_dir(dir.path()).env("HOME", dir.path()).env("TERM", "xterm");
        call.timeout(std::time::Duration::from_secs(60)).arg("-c").arg(code);
        if shell != Shell::Fish {
            call.arg(program);
        }
        let output = call.arg(&file).args(line).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn every_command_and_flag_is_in_every_script() {
        for (shell, _) in SHELLS {
            let script = script(shell);
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
                let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
                for flag in shown.filter_map(clap::Arg::get_long) {
                    assert!(script.contains(flag), "{shell}: --{flag}");
                }
            }
        }
    }

    #[test]
    fn each_shell_offers_commands_and_the_flags_and_values_of_a_command() {
        for (shell, program) in SHELLS {
            if !is_installed(program) {
                continue;
            }
            for (line, expected) in [
                (&["ralph-loop", "val"][..], "validate"),
                (&["ralph-loop", "report", "--for"], "--format"),
                (&["ralph-loop", "report", "--format", "mark"], "markdown"),
                (&["ralph-loop", "run", "--max-att"], "--max-attempts"),
                (&["ralph-loop", "resume", "--project"], "--project-dir"),
            ] {
                let candidates = offered(shell, program, line);
                assert!(candidates.contains(expected), "{program} {line:?}: {candidates}");
            }
        }
    }

    #[test]
    fn each_command_has_a_page_and_the_first_lists_them_all() {
        let dir = assert_fs::TempDir::new().unwrap();
        let pages = dir.path().join("share/man1");
        man(Some(&pages)).unwrap();
        let first = fs::read_to_string(pages.join("ralph-loop.1")).unwrap();
        assert!(first.contains(".TH ralph-loop 1"), "{first}");
        assert!(first.contains("Exit codes: 0 complete"), "{first}");
        let mut expected = vec!["ralph-loop.1".to_owned()];
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let page = format!("ralph\\-loop\\-{}(1)", name.replace('-', "\\-"));
            assert!(first.contains(&page), "{page}: {first}");
            expected.push(format!("ralph-loop-{name}.1"));
        }
        expected.sort();
        let mut written: Vec<String> = fs::read_dir(&pages)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        written.sort();
        assert_eq!(written, expected);
        let init = fs::read_to_string(pages.join("ralph-loop-init.1")).unwrap();
        assert!(init.contains("\\-\\-guardrail") && init.contains("Examples:"), "{init}");
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_an_error() {
        let file = assert_fs::NamedTempFile::new("file").unwrap();
        fs::write(file.path(), "").unwrap();
        let error = man(Some(&file.path().join("man1"))).unwrap_err();
        assert!(error.to_string().starts_with("cannot write manual pages to "), "{error}");
    }
}
