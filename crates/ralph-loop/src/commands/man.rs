//! `ralph-loop man`.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use super::{CommandResult, print};
use crate::cli::{Cli, ManArgs};

pub(crate) fn man(args: &ManArgs) -> CommandResult {
    let command = Cli::command();
    let Some(dir) = &args.dir else {
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
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn each_command_has_a_page_and_the_first_lists_them_all() {
        let dir = assert_fs::TempDir::new().unwrap();
        let pages = dir.path().join("share/man1");
        man(&ManArgs { dir: Some(pages.clone()) }).unwrap();
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
        let error = man(&ManArgs { dir: Some(file.path().join("man1")) }).unwrap_err();
        assert!(error.to_string().starts_with("cannot write manual pages to "), "{error}");
    }
}
