//! Programs that write, or take away, what one of their options or operands names.

use shell_analysis::Word;

use super::{Deed, Effects};

/// What a program does to which of its words.
struct Output {
    /// With its subcommand where it has one.
    names: &'static [&'static str],
    /// All options that take a value.
    valued: &'static [&'static str],
    /// Those of them that name what is written.
    options: &'static [&'static str],
    operand: Operand,
    deed: Deed,
}

/// Which operands count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    First,
    Last,
    /// The last one if there is another before it.
    Target,
    All,
    /// All but the first, which says what to do.
    Rest,
}

const fn output(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    options: &'static [&'static str],
    operand: Operand,
    deed: Deed,
) -> Output {
    Output { names, valued, options, operand, deed }
}

const OUTPUTS: &[Output] = &[
    output(&["mktemp"], &["p", "tmpdir", "suffix"], &["p", "tmpdir"], Operand::First, Deed::Write),
    output(&["csplit"], &["f", "prefix", "b", "n"], &["f", "prefix"], Operand::None, Deed::Write),
    output(&["pax"], &["f", "s", "x", "b"], &[], Operand::Target, Deed::Write),
    output(&["unrar", "rar"], &[], &[], Operand::Target, Deed::Write),
    output(
        &["youtube-dl", "yt-dlp"],
        &["o", "output", "P", "paths", "f"],
        &["o", "output", "P", "paths"],
        Operand::None,
        Deed::Write,
    ),
    output(&["axel"], &["o", "output", "n", "s"], &["o", "output"], Operand::None, Deed::Write),
    output(
        &["cargo new", "cargo init"],
        &["name", "vcs", "edition"],
        &[],
        Operand::First,
        Deed::Write,
    ),
    output(
        &["go build", "go test"],
        &["o", "ldflags", "tags", "run", "coverprofile"],
        &["o", "coverprofile"],
        Operand::None,
        Deed::Write,
    ),
    output(&["virtualenv", "uv venv"], &["p", "python"], &[], Operand::First, Deed::Write),
    output(
        &["ffmpeg"],
        &["i", "c", "f", "ss", "t", "vf", "r", "b", "map", "an", "crf", "preset", "c:v", "c:a"],
        &[],
        Operand::Last,
        Deed::Write,
    ),
    output(&["convert", "magick"], &["resize", "quality"], &[], Operand::Target, Deed::Write),
    output(&["pandoc"], &["o", "output", "f", "t"], &["o", "output"], Operand::None, Deed::Write),
    output(&["ssh-keygen"], &["f", "t", "b", "N", "C"], &["f"], Operand::None, Deed::Write),
    output(&["sqlite3"], &["cmd", "init", "separator"], &[], Operand::First, Deed::Write),
    output(&["script"], &["c", "command", "t", "T"], &[], Operand::First, Deed::Write),
    output(
        &["strace", "ltrace"],
        &["o", "output", "e", "p"],
        &["o", "output"],
        Operand::None,
        Deed::Write,
    ),
    output(
        &["docker save", "podman save"],
        &["o", "output"],
        &["o", "output"],
        Operand::None,
        Deed::Write,
    ),
    output(&["docker cp", "podman cp"], &[], &[], Operand::Target, Deed::Write),
    output(&["trash-put", "trash", "del-cli"], &[], &[], Operand::All, Deed::DeleteTree),
    output(&["gio trash", "gio remove"], &[], &[], Operand::All, Deed::DeleteTree),
    output(&["tmpreaper", "tmpwatch"], &[], &[], Operand::Rest, Deed::DeleteTree),
    output(&["cmake rm", "cmake remove_directory"], &[], &[], Operand::All, Deed::DeleteTree),
    output(&["Remove-Item", "ri"], &[], &["Path", "LiteralPath"], Operand::All, Deed::DeleteTree),
    output(
        &["systemd-tmpfiles"],
        &["prefix", "exclude-prefix", "root"],
        &["prefix", "root"],
        Operand::None,
        Deed::DeleteTree,
    ),
];

/// Options with which a program only tells what is there.
const ONLY_ASKS: &[(&str, &[&str])] =
    &[("ssh-keygen", &["l", "y", "F", "e", "B"]), ("sqlite3", &["readonly"])];

/// Adds what the table says; tells whether it says anything.
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
        found.deed,
        counted.into_iter().chain(arguments.values(found.options)).filter(here),
    );
    effects.add_all(Deed::Read, operands);
    true
}
