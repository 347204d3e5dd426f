//! The commands in files that define what a build runs, as text for a shell. A line below the head `name: needs` is a
//! command, and any other line may set a variable. The files are not interpreted further.

use std::borrow::Cow;
use std::collections::BTreeSet;

use shell_analysis::{Arguments, Word};

use crate::contents::{Files, text_of};
use crate::invocation_view::InvocationView;
use crate::words::words;

/// How far the needs of goals are followed.
const FARTHEST: usize = 20;

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let rules = |usual| rules(view, usual, file).into_iter().collect();
    match view.program.as_ref() {
        "npm" | "pnpm" | "yarn" | "bun" => package_scripts(view, file),
        "make" | "gmake" => rules(&["GNUmakefile", "makefile", "Makefile"]),
        "just" => rules(&["justfile", "Justfile", ".justfile"]),
        "task" | "go-task" => rules(&["Taskfile.yml", "Taskfile.yaml"]),
        "bats" => {
            let texts = view.words.iter().filter_map(|word| text_of(word, view, file));
            texts.map(|text| text.replace("@test", "true @test").replace(" {\n", "\n{\n")).collect()
        }
        _ => Vec::new(),
    }
}

/// The content of the first of these files that is known.
pub(super) fn content<'v>(
    view: &'v InvocationView<'_>,
    arguments: &Arguments,
    usual: &[&str],
    file: Files<'_>,
) -> Option<Cow<'v, str>> {
    let folder = arguments.value(&["C", "directory", "prefix", "dir", "cwd"]);
    let folder = folder.map(|folder| folder.shown() + "/").unwrap_or_default();
    let read = |name: &str| {
        let folder = if name == "-" { "" } else { &folder };
        text_of(&Word::of(format!("{folder}{name}")), view, file)
    };
    let mut named = arguments.values(&["f", "file", "makefile", "justfile"]).peekable();
    match named.peek() {
        Some(_) => named.find_map(|name| read(&name.shown())),
        None => usual.iter().find_map(|name| read(name)),
    }
}

fn rules(view: &InvocationView<'_>, usual: &[&str], file: Files<'_>) -> Option<String> {
    const VALUED: &[&str] = words!("C directory f file makefile justfile I o W E eval t");
    let arguments = view.arguments(VALUED);
    if arguments.has(&["n", "dry-run", "just-print", "q", "version", "help"]) {
        return None;
    }
    let texts = arguments.values(&["eval", "E"]).map(Word::shown);
    let texts = texts.chain(content(view, &arguments, usual, file));
    let mut text = texts.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    if !view.is(&["make", "gmake"]) {
        text = text.replace('$', "$$");
    }
    let folder = arguments.value(&["C", "directory"]).map(Word::shown);
    let folder = folder.map(|folder| format!("cd '{folder}'\n")).unwrap_or_default();
    let words: Vec<_> = arguments.operands.iter().map(Word::shown).collect();
    Some(folder + &shell_text(&text, &words))
}

/// The text that sets the variables of a build file and runs the commands for the goals among these words.
fn shell_text(text: &str, words: &[Cow<'_, str>]) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let heads = || lines.iter().copied().filter_map(head);
    let (given, named): (Vec<_>, Vec<_>) =
        words.iter().map(AsRef::as_ref).partition(|word| word.contains('='));
    let mut goals = BTreeSet::from_iter(named);
    if goals.is_empty() {
        let mut names = heads().flat_map(|(names, _)| names.split_whitespace());
        goals.extend(names.find(|name| !name.starts_with(['.', '#'])));
        goals.insert("default");
    }
    for _ in 0..FARTHEST {
        let needs = heads().filter(|(names, _)| is_for(names, &goals)).map(|(_, needs)| needs);
        goals.extend(needs.flat_map(str::split_whitespace).collect::<Vec<_>>());
    }
    let (mut settings, mut commands, mut inside) = ("MAKE=make\n".to_owned(), String::new(), None);
    for line in lines {
        inside = inside.filter(|head| depth(line) > *head);
        let own = head(line).filter(|(names, _)| is_for(names, &goals));
        let command = match (inside, own) {
            (Some(_), _) => line,
            (None, Some((_, rest))) => {
                inside = Some(depth(line));
                // Only the calls of the shell in what a rule of make needs are commands.
                let needs = rest.split(';').next().filter(|needs| needs.contains("$("));
                commands.extend(needs.map(|needs| format!(": {}\n", quoted(needs))));
                &rest[needs.map_or(0, str::len)..]
            }
            (None, None) => {
                settings.extend(setting(line).filter(|_| depth(line) == 0));
                continue;
            }
        };
        commands.extend(["sh -c ", &quoted(plain(command).trim_start_matches("cmd: ")), "\n"]);
    }
    settings.extend(given.into_iter().filter_map(setting));
    settings + &commands
}

/// Without what make and YAML put before a command.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '@', '+', ';', ' '])
}

/// The names before the colon of a head, and what they need.
fn head(line: &str) -> Option<(&str, &str)> {
    let (names, rest) = plain(line).split_once(':')?;
    (!rest.starts_with('=') && !names.contains('=')).then_some((names, rest))
}

fn is_for(names: &str, goals: &BTreeSet<&str>) -> bool {
    names.split_whitespace().any(|name| goals.contains(name))
}

/// An assignment, or a line with calls of the shell.
fn setting(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=').unwrap_or(("", line));
    let name = name.trim_start_matches("export ").trim_matches([' ', ':', '?', '+', '!']);
    if !name.is_empty() && is_name(name) {
        let value = value.split(" #").next().unwrap_or_default().trim();
        return Some(format!("{name}={}\n", quoted(value)));
    }
    line.contains("$(shell ").then(|| format!(": {}\n", quoted(line)))
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A line of a makefile in double quotes of a shell, with its variables and calls.
fn quoted(line: &str) -> String {
    let line = line.replace('\\', "\\\\").replace('"', "\\\"").replace('`', "\\`");
    let mut parts = line.split('$');
    let mut out = format!("\"{}", parts.next().unwrap_or_default());
    while let Some(part) = parts.next() {
        let inside = part.strip_prefix(['(', '{']);
        let name = inside.and_then(|inside| inside.split_once([')', '}']));
        match (inside, name.filter(|(name, _)| is_name(name))) {
            (_, Some((name, rest))) => out.extend(["${", name, "-}", rest]),
            (Some(call), None) => out.extend(["$(", call.trim_start_matches("shell ")]),
            _ if part.is_empty() => out.extend(["\\$", parts.next().unwrap_or_default()]),
            // `$@`, `$<` and the like name files of the build.
            _ => out.extend(["automatic", part.get(1..).unwrap_or_default()]),
        }
    }
    out + "\""
}

/// The package scripts that a package manager runs, and the shell that `.npmrc` sets for them.
fn package_scripts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let arguments = view.arguments(&["prefix", "C", "dir", "cwd"]);
    let mut names: Vec<_> = arguments.operands.iter().map(Word::shown).collect();
    let implied: &[&str] = match names.first().map(AsRef::as_ref) {
        None | Some("install" | "i" | "ci" | "clean-install") => &["install", "prepare"],
        Some("t") => &["test"],
        Some(_) => &[],
    };
    names.extend(implied.iter().map(|&name| name.into()));
    let is_run = |name: &str| {
        let around = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
        names.iter().any(|run| run == name || around == Some(run))
    };
    let package = content(view, &arguments, &["package.json"], file).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap_or_default();
    let scripts = package["scripts"].as_object().into_iter().flatten();
    let scripts = scripts.filter(|(name, _)| is_run(name)).filter_map(|(_, text)| text.as_str());
    let settings = content(view, &arguments, &[".npmrc"], file).unwrap_or_default();
    let shells = settings.lines().filter_map(|line| line.strip_prefix("script-shell"));
    let shells = shells.map(|shell| shell.trim_start_matches(['=', ' ']));
    scripts.chain(shells).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, words: &[&str]) -> Vec<String> {
        let words: Vec<_> = words.iter().map(|&word| word.into()).collect();
        shell_text(text, &words).lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_first_rule_is_followed_with_all_that_it_needs() {
        let text = "X := /opt\nall: one\n\techo \"all\"\none: two\n\t@-rm $(X)/$$y $@\ntwo: all\n\techo ${HOME}\nother:\n\techo no; echo one\n";
        let found = of(text, &["X=/x"]);
        for line in [
            r#"X="/opt""#,
            r#"X="/x""#,
            r#"sh -c "echo \"all\"""#,
            r#"sh -c "rm ${X-}/\$y automatic""#,
            r#"sh -c "echo ${HOME-}""#,
        ] {
            assert!(found.iter().any(|one| one == line), "{line}: {found:?}");
        }
        assert!(!found.iter().any(|line| line.contains("no")), "{found:?}");
        assert!(of(text, &["other"]).contains(&"sh -c \"echo no; echo one\"".to_owned()));
    }

    #[test]
    fn calls_of_the_shell_are_substitutions() {
        let found = of("$(shell rm x)\nA = $(shell date)\nx: ; echo $(A)", &[]);
        assert_eq!(found[1..3], [r#": "$(rm x)""#, r#"A="$(date)""#]);
    }

    #[test]
    fn any_text_ends() {
        for text in ["$", "$$", "$(", "$(x", ":", "\t", ":\n\t:", "$é", "a: a\n a: b\n  b: a"] {
            of(text, &[]);
        }
    }
}
