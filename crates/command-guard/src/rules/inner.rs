//! Commands in the arguments of other programs: options, variables, editor scripts.

use shell_analysis::{Input, Piece, Unknown, Word};

use super::inner_options;
use crate::contents::{Files, text_of};
use crate::invocation_view::InvocationView;

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let words = view.shown_words();
    let mut commands = match view.program.as_str() {
        "git" => super::inner_git::commands(view),
        "make" | "gmake" => make(view, &words),
        "sed" | "gsed" => sed(&scripts(view, file)),
        _ => inner_options::commands(view),
    };
    commands.extend(inner_options::hooked(view));
    commands.extend(super::inner_scripts::commands(view, file));
    commands.extend(passed_command(view));
    commands
}

/// The scripts of sed, including script files.
fn scripts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let arguments = view.arguments(&["f", "file", "e", "expression"]);
    let files = arguments.values(&["f", "file"]).filter_map(|word| text_of(word, view, file));
    view.shown_words().into_iter().chain(files).collect()
}

/// `--eval`, `SHELL=` and a makefile on standard input.
fn make(view: &InvocationView<'_>, words: &[String]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for word in words {
        if let Some(text) = word.strip_prefix("--eval=") {
            commands.extend(recipes(text));
        } else if let Some((name, value)) = word.split_once('=')
            && name
                .chars()
                .all(|letter| letter.is_ascii_uppercase() || letter == '_' || letter == ':')
        {
            commands.push(value.to_owned());
        }
    }
    commands.extend(
        words
            .windows(2)
            .filter(|pair| pair[0] == "--eval" || pair[0] == "-E")
            .flat_map(|pair| recipes(&pair[1])),
    );
    let from_input =
        words.windows(2).any(|pair| pair[0] == "-f" && (pair[1] == "-" || pair[1] == "/dev/stdin"))
            || words.iter().any(|word| word == "-f-");
    if from_input && let Input::Text { text, .. } = &view.invocation.input {
        commands.extend(recipes(&text.shown()));
    }
    commands
}

fn recipes(makefile: &str) -> Vec<String> {
    let shells = makefile.match_indices("$(shell ").map(|(at, start)| {
        let rest = &makefile[at + start.len()..];
        rest[..rest.find(')').unwrap_or(rest.len())].to_owned()
    });
    let lines = makefile.lines().filter_map(|line| {
        let recipe = line.strip_prefix('\t').or_else(|| {
            line.split_once(':')
                .and_then(|(_, rest)| rest.split_once(';'))
                .map(|(_, recipe)| recipe)
        })?;
        Some(recipe.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$"))
    });
    lines.chain(shells).collect()
}

/// The `e` command of GNU sed, which runs the text after it.
fn sed(words: &[String]) -> Vec<String> {
    let runs = |script: &str| {
        let script = script
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || "$,!~ ".contains(letter));
        script.strip_prefix("e ").map(str::to_owned).or_else(|| substituted(script))
    };
    words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .flat_map(|word| word.split(['\n', ';']))
        .filter_map(runs)
        .collect()
}

/// Whether a sed script runs lines as commands.
pub(super) fn sed_runs(script: &str) -> bool {
    script.split(['\n', ';']).any(|part| {
        let part = part
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || "$,!~ ".contains(letter));
        part == "e" || part.starts_with("e ") || substituted(part).is_some()
    })
}

/// The command that `s/…/command/e` runs.
fn substituted(script: &str) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next().filter(|mark| !mark.is_alphanumeric())?;
    let mut parts = rest[mark.len_utf8()..].split(mark);
    let (_, by, flags) = (parts.next()?, parts.next()?, script.rsplit(mark).next()?);
    let is_flags = flags.chars().all(|letter| "gpeiImM0123456789".contains(letter));
    (is_flags && flags.contains('e')).then(|| {
        let end = script.rfind(mark).unwrap_or(script.len());
        let whole = &script[..end];
        whole.find(by).map_or_else(|| by.to_owned(), |at| whole[at..].to_owned())
    })
}

/// Task runners that start the command after their own arguments.
fn passed_command(view: &InvocationView<'_>) -> Option<String> {
    let words = view.shown_words();
    let first = words.iter().position(|word| !word.starts_with('-'))?;
    let verb = words[first].as_str();
    let skip = match (view.program.as_str(), verb) {
        (
            "poetry" | "pipenv" | "uv" | "pdm" | "hatch" | "rye" | "conda" | "mamba" | "op"
            | "doppler",
            "run",
        ) => first + 1,
        ("bundle" | "npm" | "pnpm" | "yarn" | "mise" | "asdf" | "rtx", "exec" | "dlx" | "x") => {
            first + 1
        }
        ("direnv", "exec") | ("npm", "explore") => first + 2,
        (
            "npx" | "bunx" | "pnpx" | "entr" | "cross-env" | "dotenv" | "env-cmd" | "xvfb-run"
            | "firejail" | "proot" | "wsl" | "catchsegv" | "faketime",
            _,
        ) => first,
        ("ssh", "localhost" | "127.0.0.1" | "::1") => first + 1,
        ("just", _) if words.iter().any(|word| word == "--command" || word == "-c") => first,
        _ => return None,
    };
    let rest = view.words.get(skip..)?;
    let options = rest.iter().take_while(|word| word.known_start().starts_with('-')).count();
    let command = &rest[options..];
    match command {
        [] => None,
        // A single word with spaces is a command line for a shell.
        [only] if only.shown().contains(' ') => Some(only.shown()),
        _ => Some(quoted_words(command)),
    }
}

/// The words, quoted for a shell.
pub(super) fn quoted_words(words: &[Word]) -> String {
    words.iter().map(written).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for a shell.
fn written(word: &Word) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => format!("'{}'", text.replace('\'', r"'\''")),
        Piece::Glob(text) => text.clone(),
        Piece::Unknown(Unknown::Variable(name)) => format!("\"${{{name}}}\""),
        Piece::Unknown(_) => "\"${SOMETHING}\"".to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}
