//! One command in its context, with the queries that rules need.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;

use shell_analysis::{Analysis, Arguments, Invocation, Piece, Unknown, Word};

use crate::command_line_facts::{CommandLineFacts, direct_sources, input_of};
use crate::effect::Effect;
use crate::place::{PathOwner, Place, owner_of, place};
use crate::policy_table::Reason;
use crate::program_name::program_of;
use crate::{Category, CommandContext, Refusal};

pub(crate) struct InvocationView<'a> {
    pub(crate) whole: &'a CommandLineFacts<'a>,
    pub(crate) invocation: &'a Invocation,
    pub(crate) index: usize,
    pub(crate) analysis: &'a Analysis,
    pub(crate) context: &'a CommandContext,
    /// Without its folder; empty if unknown.
    pub(crate) program: Cow<'a, str>,
    /// The arguments.
    pub(crate) words: &'a [Word],
    /// The arguments as text; unknown parts as in the source.
    pub(crate) texts: Vec<Cow<'a, str>>,
    pub(crate) effects: Vec<Effect>,
    /// Where its code is from, once it was asked for.
    pub(crate) code: OnceCell<Option<CodeFrom>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeFrom {
    /// A word of the command.
    Word(Word),
    /// Standard input.
    Input,
    File(Word),
}

impl<'a> InvocationView<'a> {
    pub(crate) fn of(index: usize, whole: &'a CommandLineFacts<'a>) -> Option<Self> {
        let (analysis, context) = (whole.analysis, whole.context);
        let invocation = analysis.invocations.get(index)?;
        let mut words = invocation.arguments();
        let mut program = invocation.words.first().map(program_of).unwrap_or_default();
        // Programs that start the one named by their first word.
        let is_loader = ["busybox", "toybox"].contains(&&*program)
            || ["ld-linux", "ld-musl"].iter().any(|start| program.starts_with(start));
        if is_loader && let Some((inner, rest)) = words.split_first() {
            (program, words) = (program_of(inner), rest);
        }
        let texts = words.iter().map(Word::shown).collect();
        let (effects, code) = Default::default();
        Some(Self {
            whole,
            invocation,
            index,
            analysis,
            context,
            program,
            words,
            texts,
            effects,
            code,
        })
    }

    pub(crate) fn is(&self, programs: &[&str]) -> bool {
        programs.contains(&self.program.as_ref())
    }

    pub(crate) fn arguments(&self, valued: &[&str]) -> Arguments {
        Arguments::of(self.words, valued)
    }

    pub(crate) fn refuse(
        &self,
        category: Category,
        why: &'static str,
        instead: &'static str,
    ) -> Option<Refusal> {
        Some(self.refusal(Reason { category, why, instead }))
    }

    pub(crate) fn refusal(&self, Reason { category, why, instead }: Reason) -> Refusal {
        Refusal::new(category, shown(self.invocation), why, instead)
    }

    /// The working directory.
    pub(crate) fn folder(&self) -> Option<Cow<'a, Path>> {
        crate::listing::folder(self.index, self.analysis, self.context)
    }

    /// The place that a word names, seen from the working directory.
    pub(crate) fn place(&self, word: &Word) -> Place {
        place(word, self.folder().as_deref(), self.analysis, self.context)
    }

    /// All commands that contribute to its input or its words.
    pub(crate) fn sources(&self) -> Vec<usize> {
        self.whole.all_sources(direct_sources(self.invocation))
    }

    /// The commands that produce its input.
    pub(crate) fn input_sources(&self) -> Vec<usize> {
        self.whole.all_sources(input_of(self.invocation).to_vec())
    }

    /// The commands that produce these words.
    pub(crate) fn word_sources<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> Vec<usize> {
        self.whole.all_sources(words.into_iter().flat_map(Word::sources).collect())
    }

    /// The program and arguments of another command.
    pub(crate) fn other(&self, index: usize) -> Option<(Cow<'a, str>, &'a [Word])> {
        let invocation = self.analysis.invocations.get(index)?;
        Some((invocation.words.first().map(program_of)?, invocation.arguments()))
    }

    /// The unset variables in these words.
    pub(crate) fn variables<'w>(words: impl IntoIterator<Item = &'w Word>) -> Vec<String> {
        let pieces = words.into_iter().flat_map(|word| &word.pieces);
        let names = pieces.filter_map(|piece| match piece {
            Piece::Unknown(Unknown::Variable(name)) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    /// The variables that are set for it: by itself, or by earlier commands with `export`; the latest first.
    pub(crate) fn assigned(&self) -> impl Iterator<Item = (String, Word)> {
        let exports = self.whole.exports.get_or_init(|| {
            let all = self.analysis.invocations.iter().enumerate().rev();
            let all = all.filter(|(_, one)| one.assignments.is_empty());
            all.flat_map(|(at, one)| assignments(one).into_iter().map(move |set| (at, set)))
                .collect()
        });
        let earlier = exports.iter().filter(|(at, _)| *at < self.index).map(|(_, set)| set.clone());
        assignments(self.invocation).into_iter().chain(earlier)
    }

    /// Whether the command line sets its home to a folder in the project or a temporary one.
    pub(crate) fn has_own_home(&self) -> bool {
        let mut homes =
            self.assigned().filter(|(name, _)| name == "HOME" || name == "GIT_CONFIG_GLOBAL");
        let is_own = |path: &Path| {
            matches!(owner_of(path, self.context), PathOwner::Project | PathOwner::Temporary)
        };
        let place = homes.next().map(|(_, home)| self.place(&home));
        place.is_some_and(|place| place == Place::Temporary || place.path().is_some_and(is_own))
    }

    pub(crate) fn home(&self) -> Option<&'a Path> {
        self.context.home.as_deref()
    }
}

/// The variables that a command sets for itself or exports.
pub(crate) fn assignments(invocation: &Invocation) -> Vec<(String, Word)> {
    let exports = || matches!(invocation.program().as_deref(), Some("export" | "declare" | "env"));
    let exported = invocation.arguments().iter().filter_map(|word| {
        let name = word.known_start().split_once('=').filter(|_| exports())?.0.to_owned();
        let value = word.without_start(name.len() + 1);
        Some((name, value))
    });
    invocation.assignments.iter().cloned().chain(exported).collect()
}

pub(crate) fn shown(invocation: &Invocation) -> String {
    let assignments = invocation
        .assignments
        .iter()
        .map(|(name, value)| format!("{name}={}", value.shown()).into());
    let words = invocation.words.iter().map(Word::shown);
    let redirects = invocation.redirects.iter().map(|redirect| {
        let sign = match redirect.kind {
            shell_analysis::RedirectKind::Read => "<",
            shell_analysis::RedirectKind::Write => ">",
            shell_analysis::RedirectKind::Append => ">>",
            shell_analysis::RedirectKind::ReadWrite => "<>",
        };
        format!("{sign} {}", redirect.target.shown()).into()
    });
    let all: Vec<Cow<'_, str>> = assignments.chain(words).chain(redirects).collect();
    all.join(" ")
}
