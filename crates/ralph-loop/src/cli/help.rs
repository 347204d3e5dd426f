//! The help of the program: commands in groups, and a short form with the most used options.

use clap::{Command, CommandFactory};

use super::Cli;

/// Commands by purpose, and what the short help says about them in one line.
const COMMANDS: [(&str, &[&str], &str); 14] = [
    (WORK, &["run"], "Run the loop over ralph/tasks.json (the default command)"),
    (WORK, &["prompt", "review"], "Run a loop over any prompt, review a branch"),
    (WORK, &["plan", "build"], "Specifications to a plan, a plan to code"),
    (WATCH, &["status", "questions", "proof"], "State, questions, tests that prove a story"),
    (WATCH, &["report", "pr", "runs", "stats"], "Results of a run, as a pull request, of all runs"),
    (WATCH, &["sync"], "Feedback on the pull request to its stories"),
    (WATCH, &["watch", "serve"], "Live dashboard in the terminal, in the browser"),
    (WATCH, &["steer", "answer", "pause", "resume", "skip", "stop"], "Control a running loop"),
    (PLAN, &["draft", "validate"], "Let an agent write the stories, check them"),
    (PROJECT, &["init", "doctor", "demo"], "Set up a project, check it, see a demo"),
    (PROJECT, &["settings"], "Effective settings and where each value comes from"),
    (PROJECT, &["archive", "lanes"], "Archive a finished loop, list and remove clones"),
    (PROJECT, &["notify", "completions", "man"], "Test notification, shell completion, manual"),
    (
        PROJECT,
        &["containerfile", "worker", "relay"],
        "Containerfile for --sandbox=container, session on a node",
    ),
];

const WORK: &str = "Work";
const WATCH: &str = "Watch and control";
const PLAN: &str = "Plan";
const PROJECT: &str = "Project";

/// Options of the short help of commands that have many.
const MOST_USED: [&str; 16] = [
    "name",
    "verify",
    "from_issue",
    "yes",
    "max_iterations",
    "jobs",
    "agent",
    "model",
    "skip_review",
    "review_agent",
    "max_cost_usd",
    "run_timeout",
    "sandbox",
    "resume",
    "dry_run",
    "help",
];

/// A command with more options than this has a short help.
const MANY: usize = 19;

const MORE: &str = "All options: --help. Documentation: docs/index.md.";

/// The command line with its help: `-h` in the short form, `--help` in full.
pub(super) fn command(is_short: bool) -> Command {
    let command = Cli::command();
    let groups = if is_short { short_groups() } else { long_groups(&command) };
    // `{all-args}` would list the commands again.
    let command = command.mut_subcommands(|subcommand| subcommand.hide(true));
    let command = command.override_usage("ralph-loop [OPTIONS] [COMMAND]").help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\n{{all-args}}{{after-help}}"
    ));
    if !is_short {
        return command;
    }
    let command = command.mut_subcommands(shortened);
    shortened(command)
}

fn shortened(command: Command) -> Command {
    let visible = command.get_arguments().filter(|arg| !arg.is_hide_set()).count();
    if visible <= MANY {
        return command;
    }
    let after = command.get_after_help().map(|text| format!("{text}\n")).unwrap_or_default();
    let command = command.after_help(format!("{after}{MORE}"));
    command.mut_args(|arg| {
        if !arg.is_positional() && !MOST_USED.contains(&arg.get_id().as_str()) {
            return arg.hide_short_help(true);
        }
        // Without headings: they would be as many lines as the options.
        let takes_value = arg.get_action().takes_values();
        arg.help_heading(None).hide_possible_values(takes_value)
    })
}

/// Each group under its heading; `line` describes the commands of one entry.
fn groups(line: impl Fn(&[&str], &str) -> String) -> Vec<String> {
    let groups = COMMANDS.chunk_by(|(group, ..), (next, ..)| group == next);
    let text = |group: &[(&str, &[&str], &str)]| {
        let lines: String = group.iter().map(|(_, names, what)| line(names, what)).collect();
        format!("{}:\n{lines}", group[0].0)
    };
    groups.map(text).collect()
}

fn short_groups() -> String {
    groups(|names, what| format!("  {:<41} {what}\n", names.join(", "))).concat()
}

fn long_groups(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<13} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    groups(|names, _| names.iter().map(line).collect()).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(command: &mut Command) -> Vec<String> {
        let help = command.render_help().to_string();
        help.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_short_help_fits_on_a_screen() {
        let mut command = command(true).term_width(100);
        command.build();
        let all = lines(&mut command);
        assert!(all.len() <= 45, "{} lines\n{}", all.len(), all.join("\n"));
        for subcommand in command.get_subcommands_mut() {
            let all = lines(subcommand);
            assert!(all.len() <= 45, "{} lines\n{}", all.len(), all.join("\n"));
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut grouped: Vec<&str> =
            COMMANDS.iter().flat_map(|(_, names, _)| *names).copied().collect();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn the_full_help_has_every_option_in_its_group() {
        let mut full = command(false).term_width(100);
        let help = full.render_long_help().to_string();
        for arg in full.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let long = arg.get_long().unwrap();
            assert!(help.contains(&format!("--{long}")), "{long}");
        }
        for heading in [
            "Agent:",
            "Review:",
            "Lanes:",
            "Limits:",
            "Time:",
            "Isolation:",
            "Output:",
            "Exit codes:",
        ] {
            assert!(help.contains(heading), "{heading}\n{help}");
        }
        assert!(help.contains("steer         Add an instruction"), "{help}");
    }
}
