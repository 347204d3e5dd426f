//! Reads the command line: the forms that clap does not know, and hints for words that belong elsewhere.

use std::ffi::{OsStr, OsString};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, FromArgMatches};

use super::{Cli, Command, help, sandbox_args};
use crate::run_report::quoted;

/// `ralph-loop 5` is `ralph-loop run 5`, and `--sandbox docker` is `--sandbox=docker`.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, Error> {
    let mut words = with_sandbox_joined(args);
    let parsed = read(&words).or_else(|error| {
        if !is_number(&error) {
            return Err(error);
        }
        words.insert(1, "run".into());
        read(&words)
    });
    let mut cli = parsed.map_err(|error| with_tip(error, &words))?;
    if let Some(Command::Run(run)) = cli.command {
        let conflict = |what| Cli::command().error(ErrorKind::ArgumentConflict, what);
        cli.run = run.into_options().map_err(conflict)?;
        cli.command = None;
    }
    Ok(cli)
}

fn read(words: &[OsString]) -> Result<Cli, Error> {
    let wants_short_help = words.iter().any(|word| word == "-h");
    let mut command = help::command(wants_short_help);
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// An optional value of clap would also take the word after a `--sandbox` that stands alone: a prompt file.
fn with_sandbox_joined(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    for word in args {
        let is_kind = word.to_str().is_some_and(|word| sandbox_args::kind(word).is_some());
        match words.last_mut() {
            Some(last) if is_kind && last == "--sandbox" => {
                last.push("=");
                last.push(word);
            }
            _ => words.push(word),
        }
    }
    words
}

/// Whether a number stands where a command is expected.
fn is_number(error: &Error) -> bool {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return false;
    };
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn with_tip(mut error: Error, words: &[OsString]) -> Error {
    if let Some(tip) = tip(&error, words) {
        for suggested in [ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
            error.remove(suggested);
        }
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

fn tip(error: &Error, words: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else { return None };
    let command = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let is_run = command == "run" || command.starts_with('-');
    match (error.kind(), wrong.as_str()) {
        (ErrorKind::UnknownArgument, "-p" | "--prompt" | "-f" | "--prompt-file") if is_run => {
            Some("to loop over a prompt: ralph-loop prompt -p 'Fix every warning'".into())
        }
        (ErrorKind::UnknownArgument, word) if command == "plan" && !word.starts_with('-') => {
            Some(draft(words))
        }
        (ErrorKind::ValueValidation, "[N]") if command == "plan" => Some(draft(words)),
        _ => None,
    }
}

/// `plan` works from specifications; an idea is for `draft`.
fn draft(words: &[OsString]) -> String {
    let idea: Vec<_> = words[2..].iter().map(|word| OsStr::to_string_lossy(word)).collect();
    format!("to plan from an idea: ralph-loop draft {}", quoted(&idea.join(" ")))
}

#[cfg(test)]
mod tests {
    use run_options::IsolationRequest;

    use super::*;
    use crate::cli::RunArgs;

    fn parsed(args: &[&str]) -> Result<Cli, Error> {
        parse(["ralph-loop"].iter().chain(args).map(OsString::from))
    }

    fn run(args: &[&str]) -> RunArgs {
        let cli = parsed(args).unwrap();
        assert!(cli.command.is_none(), "{args:?}");
        cli.run
    }

    fn refused(args: &[&str]) -> String {
        parsed(args).unwrap_err().to_string()
    }

    #[test]
    fn a_number_alone_is_the_iterations_and_another_word_the_story() {
        for args in [&["5"][..], &["run", "5"], &["--skip-review", "5"], &["5", "--skip-review"]] {
            assert_eq!(run(args).max_iterations, Some(5), "{args:?}");
        }
        let story = |args: &[&str]| {
            let RunArgs { story, max_attempts, max_iterations, .. } = run(args);
            (story.map(|story| story.to_string()), max_attempts, max_iterations)
        };
        let id = || Some("US-001".to_owned());
        assert_eq!(story(&["run", "US-001"]), (id(), None, None));
        assert_eq!(story(&["run", "US-001", "3"]), (id(), Some(3), None));
        assert_eq!(story(&["--story", "US-001", "4"]), (id(), None, Some(4)));
        assert_eq!(story(&["run", "--story", "7"]), (Some("7".into()), None, None));
    }

    #[test]
    fn what_is_given_twice_is_refused_and_so_is_a_mistyped_command() {
        assert!(refused(&["5", "-n", "7"]).contains("the number of iterations is given twice"));
        assert!(refused(&["run", "A", "--story", "B"]).contains("the story is given twice"));
        assert!(refused(&["run", "5", "3"]).contains("a number of attempts follows a story"));
        assert!(parsed(&["run", "A", "3", "--max-attempts", "4"]).is_err());
        assert!(refused(&["stauts"]).contains("status"));
        assert!(parsed(&["status", "5"]).is_err());
        assert!(refused(&["-n", "0"]).contains("expected at least 1 iteration"));
        assert!(refused(&["run", "a story"]).contains("a story"));
    }

    #[test]
    fn the_sandbox_may_follow_after_a_space() {
        let kind = |args: &[&str]| run(args).common.isolation.sandbox;
        assert_eq!(kind(&["--sandbox", "docker"]), Some(IsolationRequest::Docker));
        assert_eq!(kind(&["run", "--sandbox", "os", "5"]), Some(IsolationRequest::Os));
        assert_eq!(kind(&["run", "--sandbox", "US-001"]), Some(IsolationRequest::Required));
        assert!(run(&["--docker-sandbox"]).common.isolation.docker_sandbox);
        assert!(parsed(&["--docker-sandbox", "--no-sandbox"]).is_err());
        let Some(Command::Prompt(prompt)) =
            parsed(&["prompt", "--sandbox", "notes.md"]).unwrap().command
        else {
            panic!("prompt is a command");
        };
        assert_eq!(prompt.file.unwrap().to_str(), Some("notes.md"));
    }

    #[test]
    fn words_that_belong_to_another_command_come_with_a_tip() {
        for args in [&["run", "-p", "x"][..], &["-p", "x"], &["run", "--prompt", "x"]] {
            let message = refused(args);
            assert!(message.contains("ralph-loop prompt -p"), "{message}");
            assert!(!message.contains("similar argument"), "{message}");
        }
        for args in [&["plan", "a filter"][..], &["plan", "a", "filter"]] {
            let message = refused(args);
            assert!(message.contains("ralph-loop draft 'a filter'"), "{message}");
        }
        assert!(!refused(&["plan", "--nonsense"]).contains("draft"));
        assert!(refused(&["plan", "0"]).contains("expected at least 1 iteration"));
    }

    #[test]
    fn iterations_are_n_everywhere_and_former_names_still_work() {
        for args in [
            &["prompt", "-p", "x", "-n", "4"][..],
            &["prompt", "-p", "x", "-m", "4"],
            &["prompt", "-p", "x", "--maximum-iterations", "4"],
        ] {
            let Some(Command::Prompt(prompt)) = parsed(args).unwrap().command else {
                panic!("prompt is a command");
            };
            let more = prompt.more;
            assert_eq!(more.max_iterations.or(more.former_max_iterations), Some(4), "{args:?}");
        }
        assert!(refused(&["prompt", "-p", "x", "-m", "opus"]).contains("--model opus"));
        assert!(parsed(&["plan", "4", "-m", "5"]).is_err());
        for name in ["resume", "go-on"] {
            assert!(matches!(parsed(&[name]).unwrap().command, Some(Command::Resume(_))), "{name}");
        }
        let Some(Command::Report(report)) = parsed(&["report", "--format", "md"]).unwrap().command
        else {
            panic!("report is a command");
        };
        assert_eq!(report.format, Some(crate::cli::ReportFormat::Markdown));
    }
}
