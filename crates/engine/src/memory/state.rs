//! The run's record of its handoffs. The handoffs themselves are in the iterations' folders, the compacted account
//! in `.ralph/memory/`.

use serde::{Deserialize, Serialize};
use tasks::{Mode, Sha256Digest, StoryId};

/// Number of handoffs in a prompt. The last coding one is always among them.
const RECENT: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MemoryState {
    /// The newest handoffs, oldest first.
    pub(crate) recent: Vec<KeptHandoff>,
    /// Not compacted yet, oldest first.
    pub(crate) uncompacted: Vec<KeptHandoff>,
    pub(crate) compactions: u64,
    /// Digest of the last account, because agents can write to its file.
    pub(crate) account: Option<Sha256Digest>,
    /// Failed compactions in a row.
    pub(crate) failed_tries: u64,
    /// Coding iterations since the last failed compaction.
    pub(crate) iterations_since_failed_try: u64,
    /// The story whose libraries were looked up last.
    pub(crate) docs_for: Option<StoryId>,
    /// Refused plan changes, for the next coding session.
    pub(crate) refused: Vec<String>,
    /// In a lane: its story. Handoffs of this story are compacted after its work is merged.
    pub(crate) unmerged: Option<StoryId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptHandoff {
    pub(crate) iteration: u64,
    pub(crate) mode: Mode,
    pub(crate) story: StoryId,
    /// Relative to the project.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) digest: Sha256Digest,
    #[serde(default, rename = "fate")]
    pub(crate) result: WorkResult,
}

/// Result of the iteration, whatever its handoff claims.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorkResult {
    #[default]
    #[serde(rename = "stands")]
    Kept,
    NotAccepted,
    RolledBack,
}

impl MemoryState {
    pub(crate) fn keep(&mut self, handoff: KeptHandoff) {
        if handoff.is_coding() {
            self.iterations_since_failed_try += 1;
        }
        self.add(handoff);
    }

    fn add(&mut self, handoff: KeptHandoff) {
        // An iteration that is judged again after a crash has a handoff already.
        for kept in [&mut self.recent, &mut self.uncompacted] {
            kept.retain(|known| known.file != handoff.file);
            kept.push(handoff.clone());
        }
        while self.recent.len() > RECENT {
            let last_coding = self.recent.iter().rposition(KeptHandoff::is_coding);
            self.recent.remove(usize::from(last_coding == Some(0)));
        }
    }

    /// Records the result of the iteration.
    pub(crate) fn settle(&mut self, file: &str, result: WorkResult) {
        let all = self.recent.iter_mut().chain(&mut self.uncompacted);
        for kept in all.filter(|kept| kept.file == file) {
            kept.result = result;
        }
    }

    /// The handoffs that the next compaction condenses, oldest first.
    pub(crate) fn to_compact(&self) -> impl DoubleEndedIterator<Item = &KeptHandoff> {
        self.uncompacted.iter().filter(|handoff| self.unmerged.as_ref() != Some(&handoff.story))
    }

    pub(crate) fn since_compaction(&self) -> memory::SinceCompaction {
        let coding = self.to_compact().filter(|handoff| handoff.is_coding()).count();
        memory::SinceCompaction {
            coding_iterations: coding as u64,
            handoff_bytes: self.to_compact().map(|handoff| handoff.bytes).sum(),
            failed_tries: self.failed_tries,
            iterations_since_failed_try: self.iterations_since_failed_try,
        }
    }

    pub(crate) fn compacted(&mut self, account: Sha256Digest, docs_for: Option<StoryId>) {
        self.account = Some(account);
        let unmerged = &self.unmerged;
        self.uncompacted.retain(|handoff| unmerged.as_ref() == Some(&handoff.story));
        self.compactions += 1;
        self.failed_tries = 0;
        self.iterations_since_failed_try = 0;
        self.docs_for = docs_for.or(self.docs_for.take());
    }

    /// What lane `lane` remembers while it works on `story`: what is merged, and its own handoffs.
    pub(crate) fn in_lane(&self, lane: &Self, story: &StoryId) -> Self {
        let mut known = Self { unmerged: Some(story.clone()), ..self.clone() };
        lane.handoffs_of(story).for_each(|handoff| known.add(handoff));
        known.refused.clone_from(&lane.refused);
        known
    }

    /// Takes over the handoffs of a lane whose work is merged.
    pub(crate) fn add_handoffs_of(&mut self, lane: &Self, story: &StoryId) {
        lane.handoffs_of(story).for_each(|handoff| self.keep(handoff));
        self.refused.clone_from(&lane.refused);
    }

    fn handoffs_of(&self, story: &StoryId) -> impl Iterator<Item = KeptHandoff> {
        self.uncompacted.iter().filter(move |handoff| handoff.story == *story).cloned()
    }

    /// Takes over the account of a lane that compacted what it knew, `before`.
    pub(crate) fn add_account_of(&mut self, lane: &Self, before: &Self) {
        let is_compacted = |handoff: &KeptHandoff| before.uncompacted.contains(handoff);
        self.uncompacted.retain(|handoff| !is_compacted(handoff));
        self.account = lane.account;
        self.compactions = lane.compactions;
        self.failed_tries = lane.failed_tries;
        self.iterations_since_failed_try = lane.iterations_since_failed_try;
        self.docs_for.clone_from(&lane.docs_for);
    }

    pub(crate) fn compaction_failed(&mut self) {
        self.failed_tries += 1;
        self.iterations_since_failed_try = 0;
    }
}

impl KeptHandoff {
    pub(crate) fn is_coding(&self) -> bool {
        self.mode != Mode::Review
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(iteration: u64, mode: Mode) -> KeptHandoff {
        let story = StoryId::new("US-1").unwrap();
        let (file, digest) = (format!("{iteration}.json"), Sha256Digest::of("x"));
        KeptHandoff { iteration, mode, story, file, bytes: 10, digest, result: WorkResult::Kept }
    }

    #[test]
    fn three_are_recent_and_all_are_uncompacted() {
        let mut state = MemoryState::default();
        for number in 1..=5 {
            state.keep(handoff(number, if number == 2 { Mode::Review } else { Mode::Implement }));
        }
        let numbers: Vec<u64> = state.recent.iter().map(|kept| kept.iteration).collect();
        assert_eq!(numbers, [3, 4, 5]);
        let since = state.since_compaction();
        assert_eq!((since.coding_iterations, since.handoff_bytes), (4, 50));
    }

    #[test]
    fn the_last_coding_one_is_recent_after_any_number_of_reviews() {
        let mut state = MemoryState::default();
        for number in 1..=6 {
            state.keep(handoff(number, if number > 2 { Mode::Review } else { Mode::Implement }));
        }
        let numbers: Vec<u64> = state.recent.iter().map(|kept| kept.iteration).collect();
        assert_eq!(numbers, [2, 5, 6]);
    }

    #[test]
    fn a_failed_iteration_is_marked_in_both_lists() {
        let mut state = MemoryState::default();
        state.keep(handoff(1, Mode::Implement));
        state.keep(handoff(2, Mode::Implement));
        state.settle("2.json", WorkResult::RolledBack);
        for kept in [&state.recent, &state.uncompacted] {
            assert_eq!(
                (kept[0].result, kept[1].result),
                (WorkResult::Kept, WorkResult::RolledBack)
            );
        }
    }

    #[test]
    fn a_handoff_that_is_saved_again_counts_once() {
        let mut state = MemoryState::default();
        state.keep(handoff(1, Mode::Implement));
        state.keep(handoff(1, Mode::Implement));
        assert_eq!((state.recent.len(), state.uncompacted.len()), (1, 1));
    }

    #[test]
    fn a_compaction_clears_all_and_a_failed_one_none() {
        let mut state = MemoryState::default();
        state.keep(handoff(1, Mode::Implement));
        state.compaction_failed();
        state.keep(handoff(2, Mode::ReviewFix));
        assert_eq!((state.uncompacted.len(), state.failed_tries), (2, 1));
        assert_eq!(state.iterations_since_failed_try, 1);
        let story = StoryId::new("US-2").unwrap();
        state.compacted(Sha256Digest::of("a"), Some(story.clone()));
        state.compacted(Sha256Digest::of("b"), None);
        assert_eq!((state.uncompacted.len(), state.failed_tries), (0, 0));
        assert_eq!((state.compactions, state.docs_for, state.recent.len()), (2, Some(story), 2));
        assert_eq!(state.account, Some(Sha256Digest::of("b")));
    }
}
