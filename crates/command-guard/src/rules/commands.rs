//! Commands that are harmful by their words: compares a command with the table `commands.txt`.

use std::str::SplitWhitespace;

use shell_analysis::Input;

use super::facts;
use crate::Refusal;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;
use crate::policy_table::{Row, rows_of};

const TABLE: &str = include_str!("commands.txt");

/// The patterns for a program: those of its name, of the name without an ending, of its group, and of any program.
fn patterns(program: &str) -> impl Iterator<Item = Row> {
    let stem = program.split_once('.').map(|(stem, _)| stem);
    let groups = TABLE
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "));
    let groups = groups.filter(move |(_, programs)| programs.split(' ').any(|one| one == program));
    let names = [Some(program), stem, Some("any")].into_iter().flatten();
    let rows = names.chain(groups.map(|(name, _)| name)).flat_map(|name| rows_of(TABLE, name));
    rows.map(|row| Row { text: row.text.split_once(' ').map_or("", |(_, pattern)| pattern), ..row })
}

/// One refusal per category.
pub(crate) fn judge(view: &InvocationView<'_>) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = Vec::new();
    for command in Command::all_of(view) {
        for Row { reason, unless, text } in patterns(command.program) {
            let is_new = found.iter().all(|refusal| refusal.category != reason.category);
            if is_new
                && command.fits(text.split_whitespace(), 0, false)
                && !command.is_exempt(unless)
            {
                found.push(view.refusal(reason));
            }
        }
    }
    found
}

/// A command as the patterns see it.
pub(super) struct Command<'v> {
    pub(super) view: &'v InvocationView<'v>,
    pub(super) program: &'v str,
    pub(super) words: &'v [String],
    /// The words that are no options, with their positions.
    pub(super) operands: Vec<(usize, &'v str)>,
}

/// Programs that run the tool named in their arguments, and the words before it.
const RUNNERS: &[&str] = crate::words::words!(
    "npx bunx pnpx npm pnpm yarn bun uvx uv pipx python python3 poetry pdm hatch rye bundle mise conda deno"
);
const RUN: &[&str] = &["exec", "dlx", "x", "run", "tool"];

impl<'v> Command<'v> {
    /// The command itself, and the tool that it runs if it is a runner of tools.
    fn all_of(view: &'v InvocationView<'v>) -> Vec<Self> {
        let words = view.texts();
        let own = Self::of(view, &view.program, words);
        let tool = own.operands.iter().find(|(_, word)| !RUN.contains(word)).copied();
        let tool = tool.filter(|_| RUNNERS.contains(&view.program.as_str()));
        let tool =
            tool.map(|(at, name)| Self::of(view, name, words.get(at + 1..).unwrap_or_default()));
        std::iter::once(own).chain(tool).collect()
    }

    fn of(view: &'v InvocationView<'v>, program: &'v str, words: &'v [String]) -> Self {
        let operands = words.iter().map(String::as_str).enumerate();
        let operands =
            operands.filter(|(_, word)| !word.starts_with('-') || *word == "-").collect();
        Self { view, program, words, operands }
    }

    fn is_exempt(&self, unless: &str) -> bool {
        unless.split('|').filter(|one| !one.is_empty()).any(|one| match one.strip_prefix('@') {
            Some(fact) => facts::holds(fact, self),
            None => self.words.iter().any(|word| glob(one, word)),
        })
    }

    /// Whether the rest of the pattern fits from this operand on.
    fn fits(&self, mut pattern: SplitWhitespace<'_>, from: usize, skips: bool) -> bool {
        let Some(token) = pattern.next() else { return true };
        if token == ".." {
            return self.fits(pattern, from, true);
        }
        let (is_wanted, words) = match token.strip_prefix('!') {
            Some(words) => (false, words),
            None => (true, token),
        };
        if words.starts_with(['-', '~', '@', '$']) || words.starts_with("..") {
            return self.has(words) == is_wanted && self.fits(pattern, from, skips);
        }
        let is_one = |word: &str| words.split('|').any(|one| glob(one, word));
        let mut at = from;
        while let Some((position, word)) = self.operands.get(at) {
            let may_be_value = skips || self.is_after_option(*position);
            match is_wanted {
                true if is_one(word) && self.fits(pattern.clone(), at + 1, false) => return true,
                false if is_one(word) => return false,
                false if !may_be_value => return self.fits(pattern, at + 1, false),
                _ if !may_be_value => return false,
                _ => at += 1,
            }
        }
        // Only values of options are left, and none is an exempt word.
        !is_wanted && at > from && self.fits(pattern, at, false)
    }

    fn is_after_option(&self, position: usize) -> bool {
        let before = position.checked_sub(1).and_then(|before| self.words.get(before));
        before.is_some_and(|word| word.starts_with('-') && !word.contains('='))
    }

    /// A condition that holds for the command as a whole.
    fn has(&self, condition: &str) -> bool {
        if let Some(fact) = condition.strip_prefix('@') {
            return facts::holds(fact, self);
        }
        if let Some(texts) = condition.strip_prefix('~') {
            let whole = self.text();
            return texts.split('|').any(|text| whole.contains(&text.replace('+', " ")));
        }
        if let Some(words) = condition.strip_prefix("..") {
            return self
                .operands
                .iter()
                .any(|(_, word)| words.split('|').any(|one| glob(one, word)));
        }
        if let Some((names, values)) =
            condition.strip_prefix('$').and_then(|rest| rest.split_once('='))
        {
            let assigned = &self.view.invocation.assignments;
            return assigned.iter().any(|(name, value)| {
                names.split('|').any(|one| glob(one, name))
                    && values.split('|').any(|one| glob(one, &value.shown()))
            });
        }
        match condition.split_once('=') {
            Some((names, values)) => {
                let is_one = |value: &str| {
                    values.split('|').any(|one| match one.strip_prefix('!') {
                        Some(not) => !glob(not, value),
                        None => glob(one, value),
                    })
                };
                names.split('|').any(|name| self.values(name).any(is_one))
            }
            None => {
                condition.split('|').any(|name| self.words.iter().any(|word| is_option(word, name)))
            }
        }
    }

    /// The values of an option: `--name=value`, `--name value`, `-nvalue`.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &'v str> {
        let words = self.words;
        let name = name.to_owned();
        words.iter().enumerate().filter_map(move |(at, word)| match word.strip_prefix(&name)? {
            "" => words.get(at + 1).map(String::as_str),
            rest if rest.starts_with('=') => Some(&rest[1..]),
            rest => (name.len() == 2).then_some(rest),
        })
    }

    /// All words and the known input, in lower case with single spaces.
    pub(super) fn text(&self) -> String {
        let input = match &self.view.invocation.input {
            Input::Text { text, .. } => text.shown(),
            Input::Inherited | Input::Pipe { .. } => String::new(),
        };
        let text = format!("{} {input}", self.words.join(" ")).to_lowercase();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn has_word(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.iter().any(|name| glob(name, word)))
    }
}

/// A single letter may be among others, and a long name may be abbreviated.
fn is_option(word: &str, name: &str) -> bool {
    /// The shortest abbreviation.
    const SHORTEST: usize = 3;
    if name.contains('*') || word == name {
        return glob(name, word);
    }
    match (name.strip_prefix("--"), word.strip_prefix("--")) {
        (Some(name), Some(word)) => {
            let given = word.split('=').next().unwrap_or_default();
            given.len() >= SHORTEST && name.starts_with(given)
        }
        (None, None) if name.len() == 2 => {
            let letters = word.strip_prefix('-').unwrap_or_default();
            letters.chars().all(|c| c.is_ascii_alphabetic())
                && letters.len() < 6
                && letters.contains(&name[1..])
        }
        _ => false,
    }
}
