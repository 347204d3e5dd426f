//! `ralph-loop completions`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Done, print};
use crate::cli::{Cli, CompletionsArgs};

pub(crate) fn completions(args: &CompletionsArgs) -> Done {
    print(&script(args.shell));
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const SHELLS: [(Shell, &str, &str); 3] =
        [(Shell::Bash, "bash", "-n"), (Shell::Zsh, "zsh", "-n"), (Shell::Fish, "fish", "-n")];

    #[test]
    fn every_command_and_flag_is_in_every_script() {
        for (shell, ..) in SHELLS {
            let script = script(shell);
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
                for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                    assert!(script.contains(flag), "{shell}: --{flag}");
                }
            }
        }
    }

    #[test]
    fn every_shell_can_read_its_script() {
        let dir = assert_fs::TempDir::new().unwrap();
        for (shell, program, read_only) in SHELLS {
            if assert_cmd::Command::new(program).arg("--version").output().is_err() {
                // Past the capture of the test runner: nobody shall believe that it was looked at.
                let _ = writeln!(std::io::stderr(), "SKIPPED: {program} is not installed here");
                continue;
            }
            let file = dir.path().join(program);
            std::fs::write(&file, script(shell)).unwrap();
            assert_cmd::Command::new(program)
                .arg(read_only)
                .arg(&file)
                .assert()
                .success()
                .stderr("");
        }
    }
}
