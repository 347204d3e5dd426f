//! The skills are short and match the program and its templates.

use std::collections::BTreeSet;

use crate::skill_test::{SKILLS, skill_file};
use crate::staged_plugin::{built, repository};

const MOST_LINES: usize = 120;

fn skills() -> Vec<String> {
    let read = |name| std::fs::read_to_string(repository().join(skill_file(name))).unwrap();
    SKILLS.map(read).into()
}

#[test]
fn every_skill_is_short() {
    for skill in skills() {
        let lines = skill.lines().count();
        assert!(lines <= MOST_LINES, "{lines} lines: {skill}");
    }
}

/// If a command fails while a skill is loaded, the model gets nothing of the skill.
#[test]
fn no_command_that_comes_with_a_skill_can_fail() {
    let skills = skills();
    let commands = skills.iter().flat_map(|skill| skill.split("!`").skip(1));
    let commands: Vec<_> = commands.filter_map(|rest| rest.split('`').next()).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        assert!(command.ends_with(" 2>&1 || true"), "{command}");
    }
}

#[test]
fn the_sections_of_a_prd_are_those_of_the_template() {
    let template = std::fs::read_to_string(repository().join("templates/prd.md")).unwrap();
    let [plan, ..] = &skills()[..] else { panic!("no skills") };
    let plan = plan.split_whitespace().collect::<Vec<_>>().join(" ");
    let sections: Vec<_> = template.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(sections.len(), 10);
    assert!(plan.contains(&sections.join(" · ")), "{sections:?}");
}

/// The fixed words after every `ralph-loop` in a code span or a permission.
fn commands(text: &str) -> BTreeSet<Vec<String>> {
    let is_fixed =
        |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase() || first == '-');
    let spans = text.split(['`', '(', ')']).filter_map(|span| span.strip_prefix("ralph-loop "));
    spans.map(|rest| rest.split(' ').take_while(is_fixed).map(str::to_owned).collect()).collect()
}

#[test]
fn every_command_in_a_skill_exists() {
    let named: BTreeSet<_> = skills().iter().flat_map(|skill| commands(skill)).collect();
    assert!(named.contains(&["validate".to_owned(), "--json".to_owned()][..]), "{named:?}");
    for words in named {
        let (flags, command): (Vec<_>, Vec<_>) =
            words.iter().partition(|word| word.starts_with('-'));
        let mut help = assert_cmd::Command::new(built("ralph-loop"));
        let help = help.args(command).arg("--help").assert().success();
        let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
        for flag in flags {
            assert!(help.contains(flag), "{words:?}: {help}");
        }
    }
}
