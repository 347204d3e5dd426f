//! A command as patterns and facts see it: its words and operands as text.

use std::borrow::Cow;

use shell_analysis::Input;

use crate::invocation_view::InvocationView;
use crate::pattern::glob;
use crate::words::words;

/// A command as the patterns see it.
pub(super) struct Command<'v> {
    pub(super) view: &'v InvocationView<'v>,
    pub(super) program: &'v str,
    pub(super) words: &'v [Cow<'v, str>],
    /// The words that are no options, with their positions.
    pub(super) operands: Vec<(usize, &'v str)>,
}

/// Programs that run the tool named in their arguments, and the words before it.
const RUNNERS: &[&str] = words!(
    "npx bunx pnpx npm pnpm yarn bun uvx uv pipx python python3 poetry pdm hatch rye bundle mise conda deno"
);
const RUN: &[&str] = &["exec", "dlx", "x", "run", "tool"];

impl<'v> Command<'v> {
    /// The command itself, and the tool that it runs if it is a runner of tools.
    pub(super) fn all_of(view: &'v InvocationView<'v>) -> Vec<Self> {
        let words = view.texts.as_slice();
        let own = Self::of(view, &view.program, words);
        let tool = own.operands.iter().find(|(_, word)| !RUN.contains(word)).copied();
        let tool = tool.filter(|_| RUNNERS.contains(&view.program.as_ref()));
        let tool =
            tool.map(|(at, name)| Self::of(view, name, words.get(at + 1..).unwrap_or_default()));
        std::iter::once(own).chain(tool).collect()
    }

    fn of(view: &'v InvocationView<'v>, program: &'v str, words: &'v [Cow<'v, str>]) -> Self {
        let operands = words.iter().map(AsRef::as_ref).enumerate();
        let operands =
            operands.filter(|(_, word)| !word.starts_with('-') || *word == "-").collect();
        Self { view, program, words, operands }
    }

    pub(super) fn is_after_option(&self, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|before| self.words.get(before));
        before.is_some_and(|word| word.starts_with('-') && !word.contains('='))
    }

    /// The values of an option: `--name=value`, `--name value`, `-nvalue`.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &'v str> {
        let words = self.words;
        let name = name.to_owned();
        words.iter().enumerate().filter_map(move |(at, word)| match word.strip_prefix(&name)? {
            "" => words.get(at + 1).map(AsRef::as_ref),
            rest if rest.starts_with('=') => Some(&rest[1..]),
            rest => (name.len() == 2).then_some(rest),
        })
    }

    /// All words and the known input, in lower case with single spaces.
    pub(super) fn text(&self) -> String {
        let input = match &self.view.invocation.input {
            Input::Text { text, .. } => text.shown(),
            Input::Inherited | Input::Pipe { .. } => Cow::default(),
        };
        let text = format!("{} {input}", self.words.join(" ")).to_lowercase();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn has_word(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.iter().any(|name| glob(name, word)))
    }
}
