//! A table of programs whose options or operands name files that they write or delete.

use shell_analysis::Word;

use super::{Effects, FileAction};

/// The effect of a program on the files in its arguments.
struct Output {
    /// With its subcommand, if it has one.
    names: &'static [&'static str],
    /// All options that take a value.
    valued: &'static [&'static str],
    /// Those that name an output file.
    options: &'static [&'static str],
    operand: Operand,
    action: FileAction,
}

/// Which operands name output files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    First,
    Last,
    /// The last one, if there are at least two.
    Target,
    All,
    /// All but the first, which is the subcommand.
    Rest,
}

const fn output(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    options: &'static [&'static str],
    operand: Operand,
    action: FileAction,
) -> Output {
    Output { names, valued, options, operand, action }
}

const OUTPUTS: &[Output] = &[
    output(
        &["mktemp"],
        &["p", "tmpdir", "suffix"],
        &["p", "tmpdir"],
        Operand::First,
        FileAction::Write,
    ),
    output(
        &["csplit"],
        &["f", "prefix", "b", "n"],
        &["f", "prefix"],
        Operand::None,
        FileAction::Write,
    ),
    output(&["pax"], &["f", "s", "x", "b"], &[], Operand::Target, FileAction::Write),
    output(&["unrar", "rar"], &[], &[], Operand::Target, FileAction::Write),
    output(
        &["youtube-dl", "yt-dlp"],
        &["o", "output", "P", "paths", "f"],
        &["o", "output", "P", "paths"],
        Operand::None,
        FileAction::Write,
    ),
    output(
        &["axel"],
        &["o", "output", "n", "s"],
        &["o", "output"],
        Operand::None,
        FileAction::Write,
    ),
    output(
        &["cargo new", "cargo init"],
        &["name", "vcs", "edition"],
        &[],
        Operand::First,
        FileAction::Write,
    ),
    output(
        &["go build", "go test"],
        &["o", "ldflags", "tags", "run", "coverprofile"],
        &["o", "coverprofile"],
        Operand::None,
        FileAction::Write,
    ),
    output(&["virtualenv", "uv venv"], &["p", "python"], &[], Operand::First, FileAction::Write),
    output(
        &["ffmpeg"],
        &["i", "c", "f", "ss", "t", "vf", "r", "b", "map", "an", "crf", "preset", "c:v", "c:a"],
        &[],
        Operand::Last,
        FileAction::Write,
    ),
    output(&["convert", "magick"], &["resize", "quality"], &[], Operand::Target, FileAction::Write),
    output(
        &["pandoc"],
        &["o", "output", "f", "t"],
        &["o", "output"],
        Operand::None,
        FileAction::Write,
    ),
    output(&["ssh-keygen"], &["f", "t", "b", "N", "C"], &["f"], Operand::None, FileAction::Write),
    output(&["sqlite3"], &["cmd", "init", "separator"], &[], Operand::First, FileAction::Write),
    output(&["script"], &["c", "command", "t", "T"], &[], Operand::First, FileAction::Write),
    output(
        &["strace", "ltrace"],
        &["o", "output", "e", "p"],
        &["o", "output"],
        Operand::None,
        FileAction::Write,
    ),
    output(
        &["docker save", "podman save"],
        &["o", "output"],
        &["o", "output"],
        Operand::None,
        FileAction::Write,
    ),
    output(&["docker cp", "podman cp"], &[], &[], Operand::Target, FileAction::Write),
    output(&["trash-put", "trash", "del-cli"], &[], &[], Operand::All, FileAction::DeleteTree),
    output(&["gio trash", "gio remove"], &[], &[], Operand::All, FileAction::DeleteTree),
    output(&["tmpreaper", "tmpwatch"], &[], &[], Operand::Rest, FileAction::DeleteTree),
    output(&["cmake rm", "cmake remove_directory"], &[], &[], Operand::All, FileAction::DeleteTree),
    output(
        &["Remove-Item", "ri"],
        &[],
        &["Path", "LiteralPath"],
        Operand::All,
        FileAction::DeleteTree,
    ),
    output(
        &["systemd-tmpfiles"],
        &["prefix", "exclude-prefix", "root"],
        &["prefix", "root"],
        Operand::None,
        FileAction::DeleteTree,
    ),
];

/// Options with which a program only prints information.
const ONLY_ASKS: &[(&str, &[&str])] =
    &[("ssh-keygen", &["l", "y", "F", "e", "B"]), ("sqlite3", &["readonly"])];

/// Adds the effects from the table; returns whether the program is in it.
pub(super) fn add(effects: &mut Effects<'_, '_>) -> bool {
    let view = effects.view;
    let two = view.subcommand().map(|word| format!("{} {word}", view.program)).unwrap_or_default();
    let known = |name: &str| OUTPUTS.iter().find(|output| output.names.contains(&name));
    let (found, words) = match (known(&two), known(&view.program)) {
        (Some(found), _) => {
            let verb = view.words.iter().position(|word| !word.shown().starts_with('-'));
            (found, view.words.get(verb.map_or(0, |at| at + 1)..).unwrap_or_default())
        }
        (None, Some(found)) => (found, view.words),
        (None, None) => return false,
    };
    let arguments = crate::arguments::Arguments::of(words, found.valued);
    if ONLY_ASKS.iter().any(|(program, flags)| view.is(&[program]) && arguments.has(flags)) {
        return false;
    }
    let operands = &arguments.operands;
    let counted: Vec<&Word> = match found.operand {
        Operand::None => Vec::new(),
        Operand::First => operands.first().into_iter().collect(),
        Operand::Last => operands.last().into_iter().collect(),
        Operand::Target => operands.last().filter(|_| operands.len() > 1).into_iter().collect(),
        Operand::All => operands.iter().collect(),
        Operand::Rest => operands.iter().skip(1).collect(),
    };
    let here = |word: &&Word| {
        !super::is_remote(word) && !matches!(word.shown().as_str(), "-" | ":memory:")
    };
    effects.add_all(
        found.action,
        counted.into_iter().chain(arguments.values(found.options)).filter(here),
    );
    effects.add_all(FileAction::Read, operands);
    true
}
