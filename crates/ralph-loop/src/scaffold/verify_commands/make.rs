//! make and just: targets named like checks, unless they only run a command that is already detected.

use super::Detection;
use crate::scaffold::root_files::RootFiles;

const TARGETS: [&str; 3] = ["test", "check", "lint"];

/// In the search order of each program.
const FILES: [(&str, &[&str]); 2] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
];

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    for (program, names) in FILES {
        if let Some((name, text)) = names.iter().find_map(|name| Some((name, files.text(name)?))) {
            targets(program, name, text, found);
        }
    }
}

fn targets(program: &str, name: &str, text: &str, found: &mut Detection) {
    let known: Vec<String> =
        found.commands.iter().map(|found| base_command(&found.command)).collect();
    for target in TARGETS {
        let Some(recipe) = recipe(text, target) else { continue };
        match known.iter().find(|command| recipe.contains(command.as_str())) {
            Some(command) => found.note(format!(
                "{program} {target} was skipped: it runs {command}, which is already a check"
            )),
            None => found.add(format!("{program} {target}"), format!("{name}, target {target}")),
        }
    }
}

/// The command without options and targets: `go test`, `uv run pytest`.
fn base_command(command: &str) -> String {
    let words = command.split(' ').take_while(|word| !word.starts_with(['-', '.']));
    words.collect::<Vec<_>>().join(" ")
}

/// The indented lines below a rule for `target`; `None` if there is no such rule.
fn recipe(text: &str, target: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !is_rule(line, target));
    let rule = lines.next()?;
    let inline = rule.split_once(';').map_or("", |(_, recipe)| recipe);
    let below = lines.take_while(|line| line.starts_with(['\t', ' ']) || line.trim().is_empty());
    Some([inline].into_iter().chain(below).collect::<Vec<_>>().join("\n"))
}

fn is_rule(line: &str, target: &str) -> bool {
    if line.starts_with([' ', '\t', '#']) {
        return false;
    }
    let Some((targets, rest)) = line.split_once(':') else { return false };
    // `test := x` and `test ::= x` set a variable.
    let assigns = rest.trim_start_matches(':').starts_with('=');
    // just: `@test` is quiet, and `*args` is optional.
    !assigns && targets.split_whitespace().any(|name| name.trim_start_matches('@') == target)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{commands, notes};

    #[test]
    fn targets_that_check_are_found() {
        let text = ".PHONY: test lint\nall: build\n\nbuild test: deps\n\t./run\nlint:; ./lint\n";
        assert_eq!(commands(&[("Makefile", text)]), ["make test", "make lint"]);
        assert_eq!(commands(&[("makefile", "check::\n\t./check\r\n")]), ["make check"]);
    }

    #[test]
    fn recipes_of_just_are_found_like_targets() {
        let text =
            "set shell := [\"bash\"]\n\n@test *args:\n    ./run {{args}}\n\nlint:\n  ./lint\n";
        assert_eq!(commands(&[("justfile", text)]), ["just test", "just lint"]);
        let known = [("go.mod", "module x"), ("Justfile", "test:\n    go test ./...\n")];
        assert_eq!(commands(&known), ["go test ./...", "go vet ./..."]);
    }

    #[test]
    fn variables_comments_and_recipes_are_no_targets() {
        let text = "test := 1\nlint ::= 2\n# check: no\nall:\n\ttest: x\n.PHONY: test\ntests:\n";
        assert_eq!(commands(&[("Makefile", text)]), [""; 0]);
    }

    #[test]
    fn a_target_that_runs_a_detected_check_is_skipped() {
        let files = [
            ("go.mod", "module x"),
            ("Makefile", "test:\n\tgo test -race ./...\nlint:\n\tgolangci-lint run\n"),
        ];
        assert_eq!(commands(&files), ["go test ./...", "go vet ./...", "make lint"]);
        assert_eq!(
            notes(&files),
            ["make test was skipped: it runs go test, which is already a check"]
        );
    }
}
