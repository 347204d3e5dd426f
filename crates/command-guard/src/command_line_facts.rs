//! Facts about a whole command line, computed once: what feeds what, downloaded files, protected places.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use shell_analysis::{Analysis, Input, Invocation, Word};

use crate::CommandContext;
use crate::protected_places::ProtectedPlaces;

/// An analyzed command line with its context.
pub(crate) struct CommandLineFacts<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) context: &'a CommandContext,
    /// Downloaded files, with the first command that wrote each.
    pub(crate) downloads: OnceCell<BTreeMap<PathBuf, Download>>,
    /// Whether an endless loop has a bounded speed.
    pub(crate) paced: OnceCell<bool>,
    /// Names of git remotes on other machines that the command line adds.
    pub(crate) new_remotes: OnceCell<Vec<String>>,
    /// The variables that commands set for later ones, the latest first.
    pub(crate) exports: OnceCell<Vec<(usize, (String, Word))>>,
    pub(crate) protected: &'a ProtectedPlaces,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Download {
    pub(crate) by: usize,
    /// Everything below the path was unpacked there.
    pub(crate) is_tree: bool,
}

impl<'a> CommandLineFacts<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        context: &'a CommandContext,
        protected: &'a ProtectedPlaces,
    ) -> Self {
        let (downloads, paced, new_remotes, exports) = Default::default();
        Self { analysis, context, downloads, paced, new_remotes, exports, protected }
    }

    /// Whether the chains of commands that feed each other are too long to be checked in time.
    pub(crate) fn is_tangled(&self) -> bool {
        const LONGEST_CHAIN: usize = 64;
        const MOST_STEPS: usize = 4_000_000;
        let mut lengths: Vec<usize> = Vec::with_capacity(self.analysis.invocations.len());
        let (mut fed, mut edges) = (0_usize, 0_usize);
        for invocation in &self.analysis.invocations {
            let sources = direct_sources(invocation);
            fed += usize::from(!sources.is_empty());
            edges += sources.len();
            let longest = sources.iter().filter_map(|&source| lengths.get(source)).max();
            lengths.push(longest.map_or(0, |length| length + 1));
        }
        lengths.into_iter().any(|length| length > LONGEST_CHAIN)
            || fed.saturating_mul(edges) > MOST_STEPS
    }

    /// All commands that contribute to the output of these, including themselves.
    pub(crate) fn all_sources(&self, first: Vec<usize>) -> Vec<usize> {
        if first.is_empty() {
            return first;
        }
        let mut seen = vec![false; self.analysis.invocations.len()];
        let (mut waiting, mut all) = (first, Vec::new());
        while let Some(index) = waiting.pop() {
            let Some(invocation) = self.analysis.invocations.get(index) else { continue };
            if !std::mem::replace(&mut seen[index], true) {
                all.push(index);
                waiting.extend(direct_sources(invocation));
            }
        }
        all
    }
}

/// The commands that feed one, by its input or in its words.
pub(crate) fn direct_sources(invocation: &Invocation) -> Vec<usize> {
    let targets = invocation.redirects.iter().map(|redirect| &redirect.target);
    let values = invocation.assignments.iter().map(|(_, value)| value);
    let words = invocation.words.iter().chain(targets).chain(values);
    words.flat_map(Word::sources).chain(input_of(invocation).iter().copied()).collect()
}

/// The commands that print its input.
pub(crate) fn input_of(invocation: &Invocation) -> &[usize] {
    match &invocation.input {
        Input::Inherited => &[],
        Input::Text { from, .. } | Input::Pipe { from } => from,
    }
}
