//! Code or programs that only exist at run time: made by decoders, or loaded from elsewhere.

use shell_analysis::{Input, Launcher, Word};

use crate::code::{CodeFrom, assignments, code_from, gets_known_text, is_shell};
use crate::invocation_view::InvocationView;
use crate::network::is_fetcher;
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

/// Programs that print parts of their arguments.
const PRINTERS: &[&str] = words!("cut expr seq date");

/// Parts of variable names that usually hold the name of a tool.
const TOOLS: &[&str] = words!(
    "PYTHON PY PIP CARGO RUSTC NODE NPM NPX PNPM YARN BUN DENO MAKE CMAKE NINJA CC CXX LD AR GO
     JAVA JAVAC MVN GRADLE UV GIT DOCKER COMPOSE RUBY BUNDLE PHP COMPOSER BIN BINARY EXE PYTEST
     CLANG GCC DOTNET SBT MIX ZIG TERRAFORM KUBECTL HELM JQ SED AWK GREP FIND CLI LINTER FORMATTER
     COMPILER TEST BUILD PROTOC EDITOR DIFF"
);

/// Variables that make other programs load code.
const LOADERS: &[&str] =
    words!("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PERL5OPT RUBYOPT PYTHONSTARTUP");

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let is_hidden = hides(view) || sets_loader(view);
    is_hidden.then(|| view.refuse(Category::HiddenCode, WHY, INSTEAD)).flatten()
}

fn hides(view: &InvocationView<'_>) -> bool {
    if let Some(program) = view.invocation.words.first()
        && (view.program.is_empty() || program.has_glob())
    {
        return is_unknown(view, program);
    }
    let is_made = |word: &Word| decodes(view, &view.word_sources([word]));
    match code_from(view) {
        _ if view.is(&["eval"]) && view.words.is_empty() => true,
        Some(CodeFrom::Word(word)) if word.text().is_none() => {
            // Code with an unknown value in one place is analyzed as it is.
            let is_whole = is_shell(&view.program) || word.known_start().is_empty();
            is_made(&word)
                || is_whole && starts_unknown(view, &word)
                || is_shell(&view.program) && is_found(view, &word, &[])
        }
        // The path of a script may be unknown, but the output of another program is not a file.
        Some(CodeFrom::File(word)) if word.known_start().starts_with("/dev/fd/") => {
            is_generated(view, &view.word_sources([&word]))
        }
        Some(CodeFrom::Input) => match &view.invocation.input {
            // Without a known source it may be anything, as in `>(sh)`.
            Input::Pipe { from } if is_shell(&view.program) => {
                from.is_empty() && !gets_known_text(view)
                    || is_generated(view, &view.input_sources())
            }
            Input::Pipe { .. } => decodes(view, &view.input_sources()),
            Input::Text { text, .. } => {
                text.text().is_none() && (is_made(text) || starts_unknown(view, text))
            }
            Input::Inherited => false,
        },
        _ => false,
    }
}

/// Whether one of these commands makes text that its arguments do not show.
fn decodes(view: &InvocationView<'_>, sources: &[usize]) -> bool {
    sources.iter().filter_map(|&source| view.other(source)).any(|(program, words)| {
        // `python -m json.tool` and scripts of the project.
        let first = words.first().map(Word::shown).unwrap_or_default();
        let is_tool = matches!(program.as_ref(), "python" | "python3" | "node")
            && !first.is_empty()
            && (first == "-m" || !first.starts_with('-'));
        DECODERS.contains(&program.as_ref()) && !is_tool
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
fn starts_unknown(view: &InvocationView<'_>, word: &Word) -> bool {
    let start = word.known_start();
    let last = start.trim_end();
    (last.is_empty() || last.ends_with([';', '|', '&', '(', '\n', '`']))
        && view.word_sources([word]).is_empty()
}

/// Whether the whole code is what other programs print, except settings for shells and names of programs.
fn is_found(view: &InvocationView<'_>, word: &Word, others: &[&str]) -> bool {
    const SETS_UP: &[&str] = words!(
        "echo printf ssh-agent direnv opam brew pyenv rbenv nodenv goenv jenv fnm nvm asdf mise zoxide starship minikube podman
         dircolors lesspipe resize keychain luarocks conda mamba perl docker-machine colima completion completions init
         hook env shellenv docker-env activate shell-init"
    );
    let prints = |&source: &usize| {
        view.other(source).is_none_or(|(program, words)| {
            SETS_UP.contains(&program.as_ref())
                || others.contains(&program.as_ref())
                || !words!("cat head tail grep sed awk jq yq curl wget").contains(&program.as_ref())
                    && words.iter().any(|word| SETS_UP.contains(&word.shown().as_ref()))
        })
    };
    let sources = view.word_sources([word]);
    word.known_start().trim().is_empty() && !sources.is_empty() && !sources.iter().all(prints)
}

/// Programs that print their arguments, or names of files.
const LOCATORS: &[&str] = words!(
    "echo printf which command type whereis npm yarn pnpm go python python3 realpath readlink find fd ls git xcrun cargo
     dirname basename pwd mktemp rustup head tail sort grep sed xargs tr cut cat"
);

/// A program that only exists at run time; a variable that is named as a tool (`"$PYTHON" -m pytest`) is allowed.
fn is_unknown(view: &InvocationView<'_>, program: &Word) -> bool {
    let sources = view.word_sources([program]);
    let is_tool = |name: &String| {
        name.split('_').any(|part| TOOLS.contains(&part.to_ascii_uppercase().as_str()))
    };
    let is_named = InvocationView::variables([program]).iter().all(is_tool);
    let is_printed = sources.iter().filter_map(|&source| view.other(source));
    let is_printed = is_printed.into_iter().any(|(name, _)| PRINTERS.contains(&name.as_ref()));
    let is_fed = view.invocation.launchers.last() == Some(&Launcher::PipedText)
        && is_generated(view, &sources);
    match program.text() {
        // An operand of a program that starts another.
        Some(folder) if folder.ends_with('/') => true,
        Some(_) => decodes(view, &sources),
        None if sources.is_empty() => !is_named,
        None => {
            decodes(view, &sources) || is_fed || is_printed || is_found(view, program, LOCATORS)
        }
    }
}

fn sets_loader(view: &InvocationView<'_>) -> bool {
    let is_set = |value: &str| !value.is_empty() && !value.starts_with('-');
    assignments(view).any(|(name, value)| LOADERS.contains(&name.as_str()) && is_set(&value))
}
