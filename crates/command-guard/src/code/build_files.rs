//! The commands in files that define what a build runs, as a shell would read them. Rules of make, just and task are
//! lines below a head; only those for the goals of a command and for what they need are meant.

use std::collections::BTreeMap;

use shell_analysis::Word;

use crate::arguments::Arguments;
use crate::contents::{Files, text_of};
use crate::invocation_view::InvocationView;
use crate::words::words;

/// The maximum number of goals with what they need.
const MOST_GOALS: usize = 200;

/// The maximum length of a variable's value, and of a line in which more variables are replaced.
const LONGEST: usize = 1000;

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    match view.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => package_scripts(view, file),
        "make" | "gmake" => rules(view, &["GNUmakefile", "makefile", "Makefile"], file),
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
    let named = arguments.values(&["f", "file", "makefile", "justfile"]).map(Word::shown);
    let mut names: Vec<String> = named.collect();
    if names.is_empty() {
        names.extend(usual.iter().map(|&name| name.to_owned()));
    }
    names.into_iter().find_map(|name| match &folder {
        Some(folder) if name != "-" => text_of(&Word::of(format!("{folder}/{name}")), view, file),
        _ => text_of(&Word::of(name), view, file),
    })
}

fn rules(view: &InvocationView<'_>, usual: &[&str], file: Files<'_>) -> Vec<String> {
    const VALUED: &[&str] = words!("C directory f file makefile justfile I o W E eval t");
    let arguments = view.arguments(VALUED);
    if arguments.has(&["n", "dry-run", "just-print", "q", "version", "help"]) {
        return Vec::new();
    }
    let texts = arguments.values(&["eval", "E"]).map(Word::shown);
    let texts = texts.chain(content(view, &arguments, usual, file));
    let text = texts.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let (given, goals): (Vec<String>, Vec<String>) =
        arguments.operands.iter().map(Word::shown).partition(|word| word.contains('='));
    let commands = match view.program.as_str() {
        "make" | "gmake" => made(&text, &given, goals),
        _ => recipes(&text, goals),
    };
    let folder = arguments.value(&["C", "directory"]).map(Word::shown);
    let folder = folder.map(|folder| format!("cd '{folder}'\n")).unwrap_or_default();
    commands.into_iter().map(|command| folder.clone() + &command).collect()
}

/// The commands of a makefile for these goals, and those of the calls of the shell outside its rules.
fn made(text: &str, given: &[String], goals: Vec<String>) -> Vec<String> {
    let outside = || text.lines().filter(|line| !line.starts_with('\t'));
    let mut values = BTreeMap::from([("MAKE", "make".to_owned()), ("CURDIR", ".".to_owned())]);
    // Twice, because a value may name variables of later lines.
    for line in outside().chain(outside()).chain(given.iter().map(String::as_str)) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = expanded(value.split(" #").next().unwrap_or_default().trim(), &values);
        let name = name.trim_start_matches("export ").trim_matches([' ', ':', '?', '+', '!']);
        if value.len() < LONGEST {
            values.insert(name, value);
        }
    }
    let expanded = |text: &str| expanded(text, &values);
    let calls = outside().filter(|line| line.contains("$(shell "));
    let calls = calls.map(|line| format!(": \"{}\"", expanded(line).replace('"', "\\\"")));
    let text = text.lines().map(expanded).collect::<Vec<_>>().join("\n");
    calls.chain(recipes(&text, goals)).collect()
}

/// Replaces the variables of make by their values, and its calls by those of a shell.
fn expanded(text: &str, values: &BTreeMap<&str, String>) -> String {
    let mut parts = text.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        let inside = part.strip_prefix(['(', '{']);
        let name = inside.and_then(|inside| inside.split_once([')', '}']));
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match (name, inside) {
            (Some((name, rest)), _) if out.len() < LONGEST && values.contains_key(name) => {
                out.extend([values[name].as_str(), rest]);
            }
            (Some((name, rest)), _) if is_name(name) => {
                out.extend(["${", name, "-}", rest]);
            }
            (_, Some(call)) => out.extend(["$(", call.trim_start_matches("shell ")]),
            (_, None) if part.is_empty() => {
                out.extend(["$", parts.next().unwrap_or_default()]);
            }
            // `$@`, `$<` and the like name files of the build.
            (_, None) => out.extend(["automatic", part.get(1..).unwrap_or_default()]),
        }
    }
    out
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
        (!rest.starts_with('=') && !names.is_empty()).then_some((at, names, rest))
    });
    let heads: Vec<(usize, Vec<&str>, &str)> = heads.collect();
    let is_head = |name: &&str| heads.iter().any(|(_, names, _)| names.contains(name));
    if goals.is_empty() {
        let is_goal = |name: &&str| !name.starts_with(['.', '#']) && !name.contains('%');
        let first = heads.iter().map(|(_, names, _)| names[0]).find(is_goal);
        goals = first.into_iter().chain(["default"]).map(str::to_owned).collect();
    }
    let mut commands = Vec::new();
    let mut done = 0;
    while let Some(goal) = goals.get(done).filter(|_| done < MOST_GOALS).cloned() {
        done += 1;
        for (at, _, rest) in heads.iter().filter(|(_, names, _)| names.contains(&goal.as_str())) {
            let body = lines[at + 1..].iter().take_while(|line| depth(line) > depth(lines[*at]));
            for (number, line) in rest.splitn(2, ';').chain(body.copied()).map(plain).enumerate() {
                let words = line.split([' ', '[', ']', ',']);
                let words = words.filter(|word| !matches!(*word, "" | "deps:" | "task:"));
                let (needs, others): (Vec<&str>, Vec<&str>) = words.partition(is_head);
                if others.is_empty() || number == 0 {
                    let is_new = |need: &&str| !goals.iter().any(|goal| goal == need);
                    let new: Vec<&str> = needs.into_iter().filter(is_new).collect();
                    goals.extend(new.into_iter().map(str::to_owned));
                }
                let line = line.strip_prefix("cmd: ").unwrap_or(line);
                let quoted = |quote| line.strip_prefix(quote)?.strip_suffix(quote);
                if !others.is_empty() && !others[0].trim_end().ends_with(':') {
                    commands.push(quoted('"').or(quoted('\'')).unwrap_or(line).to_owned());
                }
            }
        }
    }
    commands
}

/// The package scripts that a package manager runs, and the shell that `.npmrc` sets for them.
fn package_scripts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let arguments = view.arguments(&["prefix", "C", "dir", "cwd"]);
    let operands: Vec<String> = arguments.operands.iter().map(Word::shown).collect();
    let verb = operands.first().map_or("install", String::as_str);
    let installs = matches!(verb, "install" | "i" | "ci" | "clean-install");
    let is_run = |name: &str| {
        let around = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
        let is_named = |name: &str| operands.iter().any(|operand| operand == name);
        let is_install = matches!(name, "preinstall" | "install" | "postinstall" | "prepare");
        is_named(name)
            || around.is_some_and(is_named)
            || installs && is_install
            || verb == "t" && name.ends_with("test")
    };
    let package = content(view, &arguments, &["package.json"], file).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap_or_default();
    let scripts = package.get("scripts").and_then(serde_json::Value::as_object);
    let scripts = scripts.into_iter().flatten().filter(|(name, _)| is_run(name));
    let settings = content(view, &arguments, &[".npmrc"], file).unwrap_or_default();
    let shells = settings.lines().filter_map(|line| line.strip_prefix("script-shell"));
    let shells = shells.map(|shell| shell.trim_start_matches(['=', ' ']));
    let texts = scripts.filter_map(|(_, script)| script.as_str()).chain(shells);
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, goals: &[&str], given: &[&str]) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        made(text, &owned(given), owned(goals))
    }

    #[test]
    fn the_first_rule_is_followed_with_all_that_it_needs() {
        let text = "X := /opt\nall: one\n\techo all\none: two\n\t@-rm $(X)/$$y $@\ntwo: all\n\techo ${HOME}$(N)\nother:\n\techo no; echo one\n";
        let found = of(text, &[], &["X=/x"]);
        assert_eq!(found, ["echo all", "rm /x/$y automatic", "echo ${HOME-}${N-}"]);
        assert_eq!(of(text, &["other"], &[]), ["echo no; echo one"]);
    }

    #[test]
    fn calls_of_the_shell_are_substitutions() {
        let text = "$(shell rm x)\nA.B = $(shell date)\nx: ; echo $(A.B)";
        assert_eq!(of(text, &[], &[]), [": \"$(rm x)\"", ": \"A.B = $(date)\"", "echo $(date)"]);
    }

    #[test]
    fn any_text_ends() {
        for text in ["$", "$$", "$(", "$(x", ":", "\t", ":\n\t:", "$é", "a: a\n a: b\n  b: a"] {
            of(text, &[], &[]);
            recipes(text, Vec::new());
        }
    }
}
