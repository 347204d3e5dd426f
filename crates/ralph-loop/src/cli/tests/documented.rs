//! Tests that what the documentation tells users to type and to write is what this program takes.

use std::fs;

use clap::CommandFactory;
use settings::Flags;

use crate::cli::{Cli, parse};

const README: &str = include_str!("../../../../../README.md");
const TROUBLESHOOTING: &str = include_str!("../../../../../docs/troubleshooting.md");

/// Lines of code blocks, and code within text.
fn code(page: &str) -> Vec<&str> {
    let mut code = Vec::new();
    for (at, part) in page.split("```").enumerate() {
        match at % 2 {
            0 => code.extend(part.split('`').skip(1).step_by(2)),
            _ => code.extend(part.lines().skip(1)),
        }
    }
    code
}

fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(language)).collect()
}

#[test]
fn every_command_line_that_users_are_shown_is_one() {
    let mut seen = 0;
    for line in code(README).into_iter().chain(code(TROUBLESHOOTING)) {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let Some(words) = shlex::split(line) else { continue };
        if words.first().is_some_and(|program| program == "ralph-loop") {
            // The version is an error too, though one that goes to stdout.
            let words = words.into_iter().map(Into::into);
            let refused = parse(words).err().filter(clap::Error::use_stderr);
            assert!(refused.is_none(), "{line}: {refused:?}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn the_settings_of_the_readme_hold() {
    let folder = tempfile::tempdir().unwrap();
    let (base, local) = (folder.path().join("a.json"), folder.path().join("b.json"));
    fs::write(&base, blocks(README, "json")[1]).unwrap();
    let loaded = settings::load(&base, &local, &Flags::new()).unwrap();
    assert_eq!(loaded.settings.agent.model.as_deref(), Some("opus"));
}

#[test]
fn the_story_of_the_readme_is_one() {
    let story = blocks(README, "json")[0];
    let list = format!(
        r#"{{ "project": "p", "branchName": "b", "description": "", "verifyCommands": [],
             "userStories": [{story}] }}"#
    );
    let inspected = tasks::inspect(list.as_bytes());
    assert!(inspected.problems.is_empty(), "{:?}", inspected.problems);
}

#[test]
fn every_page_that_the_readme_leads_to_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let links: Vec<&str> =
        README.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for link in links.iter().filter(|link| !link.contains("://")) {
        let file = link.split('#').next().unwrap();
        assert!(fs::exists(format!("{root}/{file}")).unwrap(), "{link}");
    }
}

/// Options that help itself describes.
const SELF_EXPLANATORY: [&str; 2] = ["help", "version"];

#[test]
fn every_option_of_every_command_is_on_a_page() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let pages = fs::read_dir(docs).unwrap().map(|page| fs::read_to_string(page.unwrap().path()));
    let pages: String = pages.map(|page| page.unwrap_or_default()).collect();
    let mut missing = Vec::new();
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
        for long in visible.filter_map(|arg| arg.get_long()) {
            let option = format!("--{long}");
            let ends = |at: usize| {
                let next = pages[at + option.len()..].chars().next();
                next.is_none_or(|next| !next.is_alphanumeric() && next != '-')
            };
            let is_documented = pages.match_indices(&option).any(|(at, _)| ends(at));
            if !is_documented && !SELF_EXPLANATORY.contains(&long) {
                missing.push(format!("{} {option}", command.get_name()));
            }
        }
        commands.extend(command.get_subcommands().cloned());
    }
    assert_eq!(missing, Vec::<String>::new());
}
