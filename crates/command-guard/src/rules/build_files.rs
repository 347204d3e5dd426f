//! Project files that define what a build runs: package scripts, make rules, compose services. Only the parts
//! that a command uses are read.

use std::path::PathBuf;

use shell_analysis::Input;

use super::makefile::Makefile;
use crate::contents::Files;
use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, normal, owner_of, place};

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    match view.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let mut commands = package_scripts(view, file);
            commands.extend(script_shell(view, file));
            commands
        }
        "make" | "gmake" => make_recipes(view, file),
        "just" => recipes(view, &["justfile", "Justfile", ".justfile"], file),
        "task" | "go-task" => recipes(view, &["Taskfile.yml", "Taskfile.yaml"], file),
        _ => Vec::new(),
    }
}

/// The recipes under the given names, in a file that is structured by indentation.
fn recipes(view: &InvocationView<'_>, files: &[&str], file: Files<'_>) -> Vec<String> {
    let paths = files.iter().filter_map(|name| inside(view, None, name));
    let Some(text) = paths.into_iter().find_map(|path| file(&path)) else {
        return Vec::new();
    };
    let words = view.shown_words();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut commands = Vec::new();
    let mut within: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if within.is_some_and(|head| depth(line) <= head) {
            within = None;
        }
        let plain = line.trim().trim_start_matches(['-', '@', ' ']);
        if within.is_some() {
            let plain = plain.strip_prefix("cmd: ").unwrap_or(plain);
            commands.push(plain.trim_matches(['\'', '"']).to_owned());
        } else if let Some((name, rest)) = plain.split_once(':') {
            let name = name.split_whitespace().next().unwrap_or_default();
            if words.iter().any(|word| word == name) || words.is_empty() {
                within = Some(depth(line));
                commands.push(rest.trim().to_owned());
            }
        }
    }
    commands.retain(|command| !command.ends_with(':'));
    commands
}

/// The package scripts that a package manager runs.
fn package_scripts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    const ON_INSTALL: &[&str] = &["preinstall", "install", "postinstall", "prepare"];
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let names: Vec<String> = match operands.as_slice() {
        ["run" | "run-script" | "rum" | "urn", name, ..] => vec![(*name).to_owned()],
        ["t" | "tst", ..] => vec!["test".to_owned()],
        ["install" | "i" | "ci" | "clean-install"] | [] if !view.is(&["npx"]) => {
            ON_INSTALL.iter().map(|&name| name.to_owned()).collect()
        }
        [name, ..] => vec![(*name).to_owned()],
        [] => Vec::new(),
    };
    let folder = option(&words, &["--prefix", "-C", "--dir", "--cwd"]);
    let Some(package) = inside(view, folder, "package.json").and_then(|path| file(&path)) else {
        return Vec::new();
    };
    let Ok(package) = serde_json::from_str::<serde_json::Value>(&package) else {
        return Vec::new();
    };
    let script = |name: String| package.get("scripts")?.get(name)?.as_str().map(str::to_owned);
    let around = |name: &String| [format!("pre{name}"), name.clone(), format!("post{name}")];
    names.iter().flat_map(around).filter_map(script).collect()
}

/// The shell that `.npmrc` sets for scripts.
fn script_shell(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    let settings = inside(view, None, ".npmrc").and_then(|path| file(&path))?;
    let shell = settings.lines().find_map(|line| line.strip_prefix("script-shell"))?;
    Some(shell.trim_start_matches(['=', ' ']).to_owned())
}

fn option(words: &[String], names: &[&str]) -> Option<String> {
    words.windows(2).find(|pair| names.contains(&pair[0].as_str())).map(|pair| pair[1].clone())
}

/// A file in the working directory, if that is in the project or temporary.
fn inside(view: &InvocationView<'_>, folder: Option<String>, name: &str) -> Option<PathBuf> {
    let path = normal(&view.folder()?.join(folder.unwrap_or_default()).join(name));
    matches!(owner_of(&path, view.context), PathOwner::Project | PathOwner::Temporary)
        .then_some(path)
}

/// The recipes of make's goals and their prerequisites.
fn make_recipes(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let words = view.shown_words();
    let is_dry = words.iter().any(|word| {
        matches!(word.as_str(), "-n" | "--dry-run" | "--just-print" | "-q" | "--version" | "--help")
    });
    if is_dry {
        return Vec::new();
    }
    let folder = option(&words, &["-C", "--directory"]);
    let named = option(&words, &["-f", "--file", "--makefile"]);
    let names = named.map_or_else(
        || ["GNUmakefile", "makefile", "Makefile"].map(str::to_owned).to_vec(),
        |name| vec![name],
    );
    let path = |name: &String| inside(view, folder.clone(), name);
    let Some((path, text)) =
        names.iter().filter_map(path).find_map(|path| Some((path.clone(), file(&path)?)))
    else {
        return Vec::new();
    };
    let here =
        path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let makefile = Makefile::read(&text, &words, &here);
    let valued = ["-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W"];
    let is_value = |at: usize| at > 0 && valued.contains(&words[at - 1].as_str());
    let goals = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !word.starts_with('-') && !word.contains('=') && !is_value(*at));
    let goals: Vec<String> = goals.map(|(_, word)| word.clone()).collect();
    let moved =
        folder.map(|_| format!("cd '{}'\n", here.replace('\'', r"'\''"))).unwrap_or_default();
    makefile.recipes(goals).into_iter().map(|recipe| format!("{moved}{recipe}")).collect()
}

/// What is wrong with the services that compose would start.
pub(super) fn compose(view: &InvocationView<'_>, file: Files<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let is_compose = view.is(&["docker-compose", "podman-compose"])
        || (view.is(&["docker", "podman", "nerdctl"])
            && words.first().is_some_and(|word| word == "compose"));
    let starts =
        words.iter().any(|word| matches!(word.as_str(), "up" | "run" | "create" | "start"));
    if !is_compose || !starts {
        return None;
    }
    let named = option(&words, &["-f", "--file"]);
    let usual = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"]
        .map(str::to_owned)
        .to_vec();
    let text = match (named.as_deref(), &view.invocation.input) {
        (Some("-"), Input::Text { text, .. }) => text.shown(),
        _ => {
            let names = named.map_or(usual, |name| vec![name]);
            names.iter().filter_map(|name| inside(view, None, name)).find_map(|path| file(&path))?
        }
    };
    services(view, &text)
}

fn services(view: &InvocationView<'_>, text: &str) -> Option<&'static str> {
    // A list in brackets means the same as one item per line.
    let text = text.replace(['[', ','], "\n- ").replace(['{', '}', ']'], "\n");
    let mut key = String::new();
    text.lines().find_map(|line| {
        let name = line.trim().strip_suffix(':').or_else(|| Some(line.trim().split_once(": ")?.0));
        if let Some(name) = name {
            key = name.trim_start_matches("- ").to_owned();
        }
        // Dropped capabilities are harmless.
        if key == "cap_drop" { None } else { service_line(view, line) }
    })
}

fn service_line(view: &InvocationView<'_>, line: &str) -> Option<&'static str> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let plain = line.replace(['"', '\''], "");
    let item = plain.strip_prefix("- ").map(str::trim);
    let value = plain
        .split_once(": ")
        .map(|(name, value)| (name.trim_start_matches("- ").to_owned(), value.trim().to_owned()));
    match value.as_ref().map(|(name, value)| (name.as_str(), value.as_str())) {
        Some(("privileged", "true")) => return Some("a service gets full access to the machine"),
        Some(("pid", "host")) => return Some("a service sees the machine's processes"),
        Some(("source", source)) => return mounted(view, source),
        _ => {}
    }
    let item = item?;
    if ["SYS_ADMIN", "ALL", "SYS_MODULE", "CAP_SYS_ADMIN", "SYS_RAWIO"].contains(&item)
        || item.contains("unconfined")
    {
        return Some("a service runs without isolation");
    }
    mounted(view, item.split(':').next().filter(|_| item.contains(':'))?)
}

fn mounted(view: &InvocationView<'_>, source: &str) -> Option<&'static str> {
    if source.contains("docker.sock") {
        return Some("a service can control the container engine");
    }
    if !source.starts_with(['/', '~', '.']) {
        return None;
    }
    let home = view.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let source = source.replacen('~', &home, usize::from(source.starts_with('~')));
    let word = shell_analysis::Word::of(source);
    match place(&word, view.folder().as_deref(), view.analysis, view.context) {
        Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside => {
            Some("a service gets files outside the project")
        }
        _ => None,
    }
}
