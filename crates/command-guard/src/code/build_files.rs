//! The commands in files that define what a build runs, as a shell would read them. Rules of make, just and task are
//! lines below a head; only those for the goals of a command and for what they need are meant.

use shell_analysis::Word;

use crate::arguments::Arguments;
use crate::contents::{Files, text_of};
use crate::invocation_view::InvocationView;

/// The maximum number of goals with what they need.
const MOST_GOALS: usize = 200;

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const VALUED: &[&str] =
    &["C", "directory", "f", "file", "makefile", "justfile", "I", "o", "W", "E", "eval", "t"];

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    match view.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => package_scripts(view, file),
        "make" | "gmake" => rules(view, MAKEFILES, file),
        "just" => rules(view, &["justfile", "Justfile", ".justfile"], file),
        "task" | "go-task" => rules(view, &["Taskfile.yml", "Taskfile.yaml"], file),
        "bats" => {
            let texts = view.words.iter().filter_map(|word| text_of(word, view, file));
            texts.map(|text| text.replace("@test", "true @test").replace(" {\n", "\n{\n")).collect()
        }
        _ => Vec::new(),
    }
}

/// The content of the first of these files that is known.
pub(super) fn content(
    view: &InvocationView<'_>,
    arguments: &Arguments,
    usual: &[&str],
    file: Files<'_>,
) -> Option<String> {
    let folder = arguments.value(&["C", "directory", "prefix", "dir", "cwd"]).map(Word::shown);
    let inside = |name: &str| match &folder {
        Some(folder) if name != "-" => Word::of(format!("{folder}/{name}")),
        _ => Word::of(name),
    };
    let named: Vec<String> =
        arguments.values(&["f", "file", "makefile", "justfile"]).map(Word::shown).collect();
    let names: Vec<&str> = match named.as_slice() {
        [] => usual.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    names.iter().find_map(|name| text_of(&inside(name), view, file))
}

fn rules(view: &InvocationView<'_>, usual: &[&str], file: Files<'_>) -> Vec<String> {
    let arguments = view.arguments(VALUED);
    if arguments.has(&["n", "dry-run", "just-print", "q", "version", "help"]) {
        return Vec::new();
    }
    let texts = arguments.values(&["eval", "E"]).map(Word::shown);
    let texts = texts.chain(content(view, &arguments, usual, file));
    let text = texts.collect::<Vec<_>>().join("\n");
    let (given, goals): (Vec<String>, Vec<String>) =
        arguments.operands.iter().map(Word::shown).partition(|word| word.contains('='));
    if usual != MAKEFILES {
        return recipes(&text, goals);
    }
    let folder = arguments.value(&["C", "directory"]).map(Word::shown);
    let folder = folder.map(|folder| format!("cd '{folder}'\n")).unwrap_or_default();
    let text = text.replace("\\\n", " ");
    let variables = variables(&text, &given);
    let lines = recipes(&converted(&text), goals).into_iter();
    // An empty recipe: the variables alone may run something.
    let lines = std::iter::once(String::new()).chain(lines);
    lines.map(|line| format!("{folder}{variables}{line}")).collect()
}

/// A line without what make and YAML put before a command.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '@', '+', ' '])
}

/// The lines below the heads `name: needs` of the goals and of what they need.
fn recipes(text: &str, mut goals: Vec<String>) -> Vec<String> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let heads = lines.iter().enumerate().filter_map(|(at, line)| {
        let (names, rest) = plain(line).split_once(':')?;
        let names: Vec<&str> = names.split_whitespace().collect();
        (!rest.starts_with('=') && !names.is_empty()).then_some((at, names, rest.trim()))
    });
    let heads: Vec<(usize, Vec<&str>, &str)> = heads.collect();
    let is_head = |name: &str| heads.iter().any(|(_, names, _)| names.contains(&name));
    if goals.is_empty() {
        let is_goal = |name: &str| !name.starts_with(['.', '#']) && !name.contains('%');
        let first = heads.iter().map(|(_, names, _)| names[0]).find(|name| is_goal(name));
        goals = first.into_iter().chain(["default"]).map(str::to_owned).collect();
    }
    let mut commands = Vec::new();
    let mut done = 0;
    while let Some(goal) = goals.get(done).filter(|_| done < MOST_GOALS).cloned() {
        done += 1;
        for (at, _, rest) in heads.iter().filter(|(_, names, _)| names.contains(&goal.as_str())) {
            let (mut needs, own) = rest.split_once(';').unwrap_or((rest, ""));
            // A task on one line.
            if !needs.starts_with('$') && !needs.split_whitespace().all(is_head) {
                commands.push(needs.to_owned());
            }
            let body = lines[at + 1..].iter().take_while(|line| depth(line) > depth(lines[*at]));
            for line in std::iter::once(own).chain(body.copied()).map(plain) {
                if line.starts_with("deps:") || line.starts_with("task:") || is_head(line) {
                    needs = line;
                } else if !line.ends_with(':') {
                    let line = line.strip_prefix("cmd: ").unwrap_or(line);
                    let quoted = |quote| line.strip_prefix(quote)?.strip_suffix(quote);
                    commands.push(quoted('"').or(quoted('\'')).unwrap_or(line).to_owned());
                }
                for need in needs.split([' ', '[', ']', ',']).filter(|need| is_head(need)) {
                    if !goals.iter().any(|goal| goal == need) {
                        goals.push(need.to_owned());
                    }
                }
                needs = "";
            }
        }
    }
    commands
}

/// The assignments in a makefile and in the command line, as a shell makes them.
fn variables(makefile: &str, given: &[String]) -> String {
    let lines = makefile.lines().filter(|line| !line.starts_with('\t'));
    let assigned = lines.chain(given.iter().map(String::as_str)).filter_map(assignment);
    let own = ["CURDIR=\"$PWD\"\nMAKE=make\n".to_owned()];
    // Twice, because a value may name variables of later lines.
    own.into_iter().chain(assigned).collect::<String>().repeat(2)
}

/// An assignment, or another line that calls the shell.
fn assignment(line: &str) -> Option<String> {
    let (name, value) = match line.split_once('=') {
        _ if line.starts_with("$(shell ") => ("_", line),
        Some((name, value)) => (name.trim().trim_end_matches([':', '?', '+', '!']).trim(), value),
        None => return None,
    };
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let value = value.split(" #").next().unwrap_or_default().trim().replace('"', "\\\"");
    shell_name(name).map(|name| format!("{name}=\"{}\"\n", converted(&value)))
}

fn shell_name(name: &str) -> Option<String> {
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c));
    is_name.then(|| name.replace(['.', '-'], "_"))
}

/// Replaces the variables and calls of make by those of a shell. An unset name is empty in make.
fn converted(text: &str) -> String {
    let mut parts = text.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        let inside = part.strip_prefix(['(', '{']).and_then(|rest| rest.split_once([')', '}']));
        match inside.and_then(|(name, rest)| Some((shell_name(name)?, rest))) {
            Some((name, rest)) => out.push_str(&format!("${{{name}-}}{rest}")),
            None if part.is_empty() => {
                out.push('$');
                out.push_str(parts.next().unwrap_or_default());
            }
            None if part.starts_with(['(', '{']) => {
                out.push_str("$(");
                out.push_str(part[1..].trim_start_matches("shell "));
            }
            // `$@`, `$<` and the like name files of the build.
            None => {
                out.push_str("automatic");
                out.push_str(part.get(1..).unwrap_or_default());
            }
        }
    }
    out
}

/// The package scripts that a package manager runs, and the shell that `.npmrc` sets for them.
fn package_scripts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let arguments = view.arguments(&["prefix", "C", "dir", "cwd"]);
    let operands: Vec<String> = arguments.operands.iter().map(Word::shown).collect();
    let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
    let names = match operands.as_slice() {
        ["run" | "run-script" | "rum" | "urn", name, ..] => vec![*name],
        ["t" | "tst", ..] => vec!["test"],
        ["install" | "i" | "ci" | "clean-install"] | [] => {
            vec!["preinstall", "install", "postinstall", "prepare"]
        }
        [name, ..] => vec![*name],
    };
    let package = content(view, &arguments, &["package.json"], file).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap_or_default();
    let around =
        names.iter().flat_map(|name| ["pre", "", "post"].map(|when| format!("{when}{name}")));
    let script = |name: String| package.get("scripts")?.get(name)?.as_str().map(str::to_owned);
    let settings = content(view, &arguments, &[".npmrc"], file).unwrap_or_default();
    let shells = settings.lines().filter_map(|line| line.strip_prefix("script-shell"));
    let shells = shells.map(|shell| shell.trim_start_matches(['=', ' ']).to_owned());
    around.filter_map(script).chain(shells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, goals: &[&str], given: &[&str]) -> (String, Vec<String>) {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        (variables(text, &owned(given)), recipes(&converted(text), owned(goals)))
    }

    #[test]
    fn the_first_rule_is_followed_with_all_that_it_needs() {
        let text = "X := /opt\nall: one\n\techo all\none: two\n\t@-rm $(X)/$$y $@\ntwo: all\n\techo ${HOME}$(N)\nother:\n\techo no; echo one\n";
        let (variables, found) = of(text, &[], &["X=/x"]);
        assert!(variables.ends_with("X=\"/opt\"\nX=\"/x\"\n"), "{variables}");
        assert_eq!(found, ["", "echo all", "", "rm ${X-}/$y automatic", "", "echo ${HOME-}${N-}"]);
        assert_eq!(of(text, &["other"], &[]).1, ["", "echo no; echo one"]);
    }

    #[test]
    fn calls_of_the_shell_are_substitutions() {
        let (variables, _) = of("$(shell rm x)\nA.B = $(shell date)", &[], &[]);
        assert!(variables.ends_with("_=\"$(rm x)\"\nA_B=\"$(date)\"\n"), "{variables}");
    }

    #[test]
    fn any_text_ends() {
        for text in ["$", "$$", "$(", "$(x", ":", "\t", ":\n\t:", "$é", "a: a\n a: b\n  b: a"] {
            of(text, &[], &[]);
            recipes(text, Vec::new());
        }
    }
}
