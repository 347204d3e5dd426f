//! Programs that create, edit or read files.

use shell_analysis::{Input, Word};

use super::{Effects, FileAction};
use crate::arguments::without_start;
use crate::words::words;

/// The arguments of these programs are text, not file names.
pub(crate) const TEXT_PRINTERS: &[&str] = words!(
    "echo printf test [ [[ ls stat file du true false : cd pushd which type command basename
     dirname export local declare read alias set logger say"
);

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    match view.program.as_str() {
        "tee" | "sponge" => {
            let arguments = view.arguments(&[]);
            let action = if arguments.has(&["a", "append"]) {
                FileAction::Append
            } else {
                FileAction::Write
            };
            effects.add_all(action, &arguments.operands);
        }
        "touch" | "mkdir" | "mkfifo" | "truncate" | "fallocate" | "mknod" => {
            let valued = [
                "m",
                "mode",
                "s",
                "size",
                "r",
                "reference",
                "d",
                "date",
                "t",
                "l",
                "length",
                "o",
                "offset",
            ];
            effects.add_all(FileAction::Write, &view.arguments(&valued).operands);
        }
        "vim" | "vi" | "nvim" | "nano" | "ed" | "ex" | "emacs" | "pico" | "micro" => {
            effects.add_all(FileAction::Write, &view.arguments(&["c", "cmd", "S", "u"]).operands);
            written(effects);
        }
        "sed" | "gsed" => sed(effects),
        "perl" | "ruby" | "awk" | "gawk" => in_place(effects),
        "dd" => dd(effects),
        "sort" => {
            let arguments = view.arguments(&["o", "output", "k", "t", "T", "S"]);
            effects.add_all(FileAction::Write, arguments.value(&["o", "output"]));
            effects.add_all(FileAction::Read, &arguments.operands);
        }
        "patch" => {
            let arguments =
                view.arguments(&["p", "d", "directory", "i", "input", "o", "output", "r"]);
            effects
                .add_all(FileAction::Write, arguments.values(&["d", "directory", "o", "output"]));
            effects.add_all(FileAction::Write, arguments.operands.first());
            patched(effects);
        }
        "openssl" | "gpg" | "base64" | "xxd" | "jq" | "yq" | "gcc" | "cc" | "clang" | "g++"
        | "rustc" => {
            let arguments =
                view.arguments(&["o", "output", "out", "in", "arg", "argjson", "i", "input"]);
            effects.add_all(FileAction::Write, arguments.values(&["o", "output", "out"]));
            effects.add_all(FileAction::Read, arguments.values(&["in", "i", "input"]));
            effects.add_all(FileAction::Read, &arguments.operands);
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "zgrep" => {
            let valued = [
                "e",
                "regexp",
                "f",
                "file",
                "A",
                "B",
                "C",
                "m",
                "g",
                "glob",
                "t",
                "type",
                "T",
                "include",
                "exclude",
                "exclude-dir",
            ];
            let arguments = view.arguments(&valued);
            let skip = usize::from(!arguments.has(&["e", "regexp", "f", "file"]));
            let tree = arguments.has(&["r", "R", "recursive"]) || view.is(&["rg", "ag"]);
            let action = if tree { FileAction::ReadTree } else { FileAction::Read };
            effects.add_all(action, arguments.operands.iter().skip(skip));
        }
        "split" => {
            let arguments = view.arguments(&["b", "l", "n", "a", "C", "filter"]);
            effects.add_all(FileAction::Read, arguments.operands.first());
            effects.add_all(FileAction::Write, arguments.operands.get(1));
        }
        "python" | "python3" if view.arguments(&["m"]).value(&["m"]).is_some_and(is_venv) => {
            effects.add_all(FileAction::Write, &view.arguments(&["m", "prompt"]).operands);
        }
        "make" | "gmake" => installed(effects),
        "ansible" => removed(effects),
        "kubectl" if view.shown_words().first().is_some_and(|word| word == "config") => {
            let words = view.shown_words();
            let changes = words.get(1).is_some_and(|verb| {
                ["set", "use", "delete", "unset", "rename"]
                    .iter()
                    .any(|start| verb.starts_with(start))
            });
            if let Some(home) = view.home().filter(|_| changes) {
                effects.add_here(FileAction::Write, &home.join(".kube/config").to_string_lossy());
            }
        }
        "cmake" => {
            let arguments = view.arguments(&["prefix", "install", "B", "S", "G"]);
            effects.add_all(FileAction::Write, arguments.values(&["prefix", "B"]));
        }
        "pip" | "pip3" | "uv" | "npm" | "pnpm" | "yarn" | "cargo" => {
            let arguments = view.arguments(&["target", "t", "prefix", "root", "target-dir"]);
            let places: &[&str] = if view.is(&["pip", "pip3", "uv"]) {
                &["t", "target", "prefix", "root"]
            } else {
                &["prefix", "root", "target-dir"]
            };
            effects.add_all(FileAction::Write, arguments.values(places));
        }
        program if TEXT_PRINTERS.contains(&program) => {}
        _ => reads(effects),
    }
    let in_place = ["--in-place", "--inplace", "--write"];
    let is_yq = view.is(&["yq"]) && view.words.iter().any(|word| word.shown() == "-i");
    if is_yq || view.words.iter().any(|word| in_place.contains(&word.shown().as_str())) {
        effects.add_all(FileAction::Write, &view.arguments(&[]).operands);
    }
}

/// The files that a patch on standard input changes, with and without their first path component.
pub(super) fn patched(effects: &mut Effects<'_, '_>) {
    let Input::Text { text, .. } = &effects.view.invocation.input else {
        return;
    };
    for line in text.shown().lines() {
        let starts = ["+++ ", "--- ", "rename to ", "rename from "];
        let Some(name) = starts.iter().find_map(|start| line.strip_prefix(start)) else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or_default().trim();
        if name == "/dev/null" {
            continue;
        }
        effects.add(FileAction::Write, &Word::of(name));
        if let Some((_, inside)) = name.split_once('/') {
            effects.add(FileAction::Write, &Word::of(inside));
        }
    }
}

fn is_venv(module: &Word) -> bool {
    matches!(module.shown().as_str(), "venv" | "virtualenv")
}

/// `make install PREFIX=/usr/local`, below `DESTDIR` if it is set.
fn installed(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let words = view.shown_words();
    let is_dry = words.iter().any(|word| matches!(word.as_str(), "-n" | "--dry-run"));
    if is_dry || !words.iter().any(|word| word.starts_with("install")) {
        return;
    }
    let value = |name: &str| {
        let word = view.words.iter().find(|word| word.known_start().starts_with(name))?;
        Some(without_start(word, name.len()))
    };
    let places = ["DESTDIR=", "PREFIX=", "prefix=", "BINDIR=", "bindir="];
    effects.add_all(FileAction::Write, places.iter().find_map(|name| value(name)).as_ref());
}

/// `ansible -m file -a 'path=… state=absent'`
fn removed(effects: &mut Effects<'_, '_>) {
    let arguments = effects.view.arguments(&["a", "args", "m", "i", "c"]);
    for text in arguments.values(&["a", "args"]).map(Word::shown) {
        if text.contains("state=absent") {
            let paths = text.split_whitespace().filter_map(|part| part.strip_prefix("path="));
            paths.for_each(|path| effects.add_here(FileAction::DeleteTree, path));
        }
    }
}

/// The files that an editor's options or input have it write.
fn written(effects: &mut Effects<'_, '_>) {
    let input = match &effects.view.invocation.input {
        Input::Text { text, .. } => text.shown(),
        _ => String::new(),
    };
    let words = effects.view.shown_words();
    for line in words.iter().flat_map(|word| word.split('|')).chain(input.lines()) {
        let line = line.trim_start_matches(['+', ':', ' ', '%']);
        let file = line.split_once(' ').filter(|(verb, _)| {
            matches!(
                verb.trim_end_matches('!'),
                "w" | "wq" | "write" | "saveas" | "sav" | "W" | "up"
            )
        });
        if let Some((_, file)) = file.filter(|(_, file)| !file.starts_with('!')) {
            effects.add(FileAction::Write, &Word::of(file.trim()));
        }
    }
}

/// Any other program may read a file whose name it gets.
fn reads(effects: &mut Effects<'_, '_>) {
    for word in effects.view.words {
        let start = word.known_start();
        if !start.starts_with('-') {
            effects.add(FileAction::Read, word);
        }
        if let Some(at) = start.find('=')
            && at + 1 < start.len()
        {
            effects.add(FileAction::Read, &without_start(word, at + 1));
        }
    }
}

fn sed(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let arguments = view.arguments(&["e", "expression", "f", "file", "l", "line-length"]);
    let texts = view.shown_words();
    let in_place = texts.iter().any(|word| {
        word.starts_with("--in-place")
            || (word.starts_with('-')
                && !word.starts_with("--")
                && word.contains('i')
                && !word.starts_with("-e"))
    });
    let has_script = arguments.has(&["e", "expression", "f", "file"]);
    let action = if in_place { FileAction::Write } else { FileAction::Read };
    effects.add_all(action, arguments.operands.iter().skip(usize::from(!has_script)));
    // The `w` command of a script writes another file.
    let scripts = arguments
        .values(&["e", "expression"])
        .chain(arguments.operands.iter().take(usize::from(!has_script)));
    for script in scripts {
        let text = script.shown();
        for marker in ["w /", "w ~"] {
            if let Some(at) = text.find(marker) {
                let file = text[at + 2..].split(['\n', '}', ';']).next().unwrap_or_default();
                effects.add(FileAction::Write, &Word::of(file));
            }
        }
    }
}

fn in_place(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let texts = view.shown_words();
    let changes = texts.iter().any(|word| {
        word.starts_with("-i")
            || (word.starts_with("-p") && word.contains('i'))
            || word.starts_with("-ni")
    });
    let arguments = view.arguments(&["e", "E", "F", "v", "f", "I", "M", "r"]);
    let action = if changes { FileAction::Write } else { FileAction::Read };
    effects.add_all(action, &arguments.operands);
}

fn dd(effects: &mut Effects<'_, '_>) {
    for word in effects.view.words {
        let start = word.known_start();
        if start.starts_with("of=") {
            effects.add(FileAction::Write, &without_start(word, 3));
        } else if start.starts_with("if=") {
            effects.add(FileAction::Read, &without_start(word, 3));
        }
    }
}
