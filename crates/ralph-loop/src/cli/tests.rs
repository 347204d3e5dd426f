//! The definition of the command line: help texts, defaults and contradictions.

mod documented;

use super::*;
use clap::CommandFactory;

#[test]
fn the_definition_is_consistent() {
    Cli::command().debug_assert();
}

/// Completion, manual and help are made of these texts.
#[test]
fn every_command_and_argument_has_a_help_text() {
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "{} {}", command.get_name(), argument.get_id());
        }
        commands.extend(command.get_subcommands().cloned());
    }
}

/// clap wraps the text below the options, so a line that is wrapped already comes out ragged.
#[test]
fn the_text_below_the_options_fits_any_width() {
    let mut commands = vec![Cli::command()];
    let mut seen = 0;
    while let Some(command) = commands.pop() {
        let texts = [command.get_after_help(), command.get_after_long_help()];
        let text: String = texts.iter().flatten().map(|text| format!("{text}\n\n")).collect();
        let lines: Vec<&str> = text.lines().collect();
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        for pair in lines.windows(2) {
            assert!(!(is_prose(pair[0]) && is_prose(pair[1])), "wrapped by hand: {pair:?}");
        }
        for line in lines.iter().filter(|line| !is_prose(line)) {
            assert!(line.len() <= 80, "{line}");
        }
        seen += usize::from(!lines.is_empty());
        commands.extend(command.get_subcommands().cloned());
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn run_is_the_default_command() {
    let alone = Cli::parse_from(["ralph-loop", "-n", "3", "--skip-review"]);
    assert!(alone.command.is_none());
    assert_eq!((alone.run.max_iterations, alone.run.skip_review), (Some(3), true));
    let Some(Command::Run(RunCommandArgs { args: named, .. })) =
        Cli::parse_from(["ralph-loop", "run", "-n", "3"]).command
    else {
        panic!("run is a command");
    };
    assert_eq!((named.max_iterations, named.skip_review), (Some(3), false));
}

#[test]
fn contradictions_are_refused() {
    for args in [
        &["ralph-loop", "--resume", "--fresh"][..],
        &["ralph-loop", "--skip-review", "--review-cap", "3"],
        &["ralph-loop", "-n", "0"],
        &["ralph-loop", "--review-cap", "0"],
        &["ralph-loop", "--skip-review", "--at-review-cap", "fail"],
        &["ralph-loop", "--at-review-cap", "maybe"],
        &["ralph-loop", "--max-attempts", "0"],
        &["ralph-loop", "--timeout-multiplier", "0"],
        &["ralph-loop", "--timeout-multiplier", "1001"],
        &["ralph-loop", "--timeout-multiplier", "NaN"],
        &["ralph-loop", "--max-cost-usd", "-1"],
        &["ralph-loop", "--max-quota", "120"],
        &["ralph-loop", "-n", "3", "status"],
    ] {
        assert!(Cli::try_parse_from(args).is_err(), "{args:?}");
    }
}
