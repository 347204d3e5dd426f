//! Code that runs but cannot be analyzed beforehand.

use shell_analysis::{Input, Launcher, Word};

use crate::code::{CodeFrom, code_from, is_shell};
use crate::invocation_view::InvocationView;
use crate::network::is_fetcher;
use crate::place::{PathOwner, Place, owner_of, place};
use crate::words::words;
use crate::{Category, Refusal};

const WHY: &str = "it is unknown what it would run";
const INSTEAD: &str = "Write the commands directly";

/// Programs that transform their input.
const DECODERS: &[&str] = words!(
    "base64 base32 basenc openssl gpg xxd uudecode rev zcat gunzip gzip bzip2 bunzip2 bzcat xz unxz
     xzcat lzma zstd zstdcat od hexdump ascii2uni perl python python3 ruby php awk gawk tr dd iconv
     brotli lz4 7z unzip tar qrencode steghide"
);

/// Parts of variable names that usually hold the name of a tool.
const TOOLS: &[&str] = words!(
    "PYTHON PY PIP CARGO RUSTC NODE NPM NPX PNPM YARN BUN DENO MAKE CMAKE NINJA CC CXX LD AR GO
     JAVA JAVAC MVN GRADLE UV GIT DOCKER COMPOSE RUBY BUNDLE PHP COMPOSER BIN BINARY EXE PYTEST
     CLANG GCC DOTNET SBT MIX ZIG TERRAFORM KUBECTL HELM JQ SED AWK GREP FIND CLI LINTER FORMATTER
     COMPILER TEST BUILD PROTOC EDITOR DIFF"
);

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if hides(view) || super::loaded::loads(view) {
        return view.refuse(Category::HiddenCode, WHY, INSTEAD);
    }
    None
}

fn hides(view: &InvocationView<'_>) -> bool {
    if let Some(program) = view.invocation.words.first()
        && (view.program.is_empty() || program.has_glob())
    {
        return unknown_program(view, program);
    }
    if view.is(&["eval"]) && view.words.is_empty() {
        return true;
    }
    match code_from(view) {
        Some(CodeFrom::Word(word)) if word.text().is_none() => {
            let sources = view.word_sources([&word]);
            // Code with an unknown value in one place is analyzed as it is.
            let whole = is_shell(&view.program) || word.known_start().is_empty();
            made_by(view, &sources, DECODERS)
                || (whole && sources.is_empty()) && starts_unknown(&word)
        }
        // The path of a script may be unknown, but the output of another program is not a file.
        Some(CodeFrom::File(word)) if word.known_start().starts_with("/dev/fd/") => {
            is_generated(view, &view.word_sources([&word]))
        }
        Some(CodeFrom::Input) => match &view.invocation.input {
            Input::Pipe { .. } if is_shell(&view.program) => {
                is_generated(view, &view.input_sources())
            }
            Input::Pipe { .. } => made_by(view, &view.input_sources(), DECODERS),
            Input::Text { text, .. } => {
                let sources = view.word_sources([text]);
                text.text().is_none()
                    && (made_by(view, &sources, DECODERS)
                        || starts_unknown(text) && sources.is_empty())
            }
            Input::Inherited => false,
        },
        _ => false,
    }
}

fn made_by(view: &InvocationView<'_>, sources: &[usize], programs: &[&str]) -> bool {
    sources.iter().any(|&source| {
        view.other(source).is_some_and(|(program, words)| {
            programs.contains(&program.as_str()) && !is_plain_tool(&program, words)
        })
    })
}

/// Whether a shell's input is anything but an unchanged file.
fn is_generated(view: &InvocationView<'_>, sources: &[usize]) -> bool {
    let is_plain = |&source: &usize| {
        view.other(source).is_some_and(|(program, words)| {
            let completes = words.iter().any(|word| word.shown() == "completion");
            program == "cat" || completes && !is_fetcher(&program, words)
        })
    };
    !sources.is_empty() && !sources.iter().all(is_plain)
}

/// Whether a command starts with an unknown part: the text itself, or a part after `;`, `|` or `&`.
fn starts_unknown(word: &Word) -> bool {
    let start = word.known_start();
    let last = start.trim_end();
    last.is_empty() || last.ends_with([';', '|', '&', '(', '\n', '`'])
}

/// `python -m json.tool`, `tar -x` and the like, whose output is not code.
fn is_plain_tool(program: &str, words: &[Word]) -> bool {
    matches!(program, "python" | "python3" | "node")
        && words.first().is_some_and(|word| {
            let word = word.shown();
            word == "-m" || !word.starts_with('-')
        })
}

/// An unknown program (`"$PYTHON" -m pytest`) is allowed unless its arguments are those of a destructive one.
fn unknown_program(view: &InvocationView<'_>, program: &Word) -> bool {
    let sources = view.word_sources([program]);
    let is_tool = |name: &String| {
        name.split('_').any(|part| TOOLS.contains(&part.to_ascii_uppercase().as_str()))
    };
    let is_nameless =
        sources.is_empty() && !InvocationView::variables([program]).iter().all(is_tool);
    let fed = view.invocation.launchers.last() == Some(&Launcher::PipedText)
        && is_generated(view, &sources);
    let decoded = sources.iter().any(|&source| {
        view.other(source).is_some_and(|(program, _)| DECODERS.contains(&program.as_str()))
    });
    let is_unknown = program.text().is_none() && (is_nameless || fed);
    decoded || is_unknown || looks_destructive(view)
}

fn looks_destructive(view: &InvocationView<'_>) -> bool {
    let folder = view.folder();
    view.words.iter().any(|word| {
        let text = word.shown();
        let letters = text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-') && rest.len() < 5)
            .unwrap_or_default();
        let sweeps = (letters.contains(['r', 'R']) && letters.contains('f'))
            || text == "--no-preserve-root"
            || text.starts_with("of=/dev");
        let root = match place(word, folder.as_deref(), view.analysis, view.context) {
            Place::At(path) => {
                let is_home = view.context.home.as_deref() == Some(path.as_path());
                let name = path.to_string_lossy();
                let all = name == "/"
                    || name == "/*"
                    || is_home
                    || name.starts_with("/etc/shadow")
                    || name == "/etc"
                    || name == "/usr";
                all && owner_of(&path, view.context) == PathOwner::Outside
            }
            _ => false,
        };
        sweeps || root || is_socket_word(&text)
    })
}

fn is_socket_word(text: &str) -> bool {
    crate::network::is_socket(text)
}
