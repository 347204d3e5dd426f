//! Loads the memory of earlier iterations for a prompt.

use std::path::PathBuf;

use bounded_read::read_file;
use memory::{CompactedContext, Handoff, Item};
use project::Layout;
use tasks::Sha256Digest;

use crate::memory::handoffs;
use crate::memory::state::{KeptHandoff, MemoryState, WorkResult};

const LINES: usize = 2;

/// A digest of the last coding iteration, and one line for each of two others, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecentHandoffs {
    pub(crate) last_coding: Vec<Item>,
    pub(crate) others: Vec<Item>,
}

/// The recent handoffs that still exist. Those before the last compaction are part of its account.
pub(crate) fn recent_handoffs(
    layout: &Layout,
    MemoryState { recent, uncompacted, .. }: &MemoryState,
    compacted: Option<&CompactedContext>,
) -> RecentHandoffs {
    let is_in_account = |kept: &KeptHandoff| {
        compacted.is_some() && !uncompacted.iter().any(|it| it.file == kept.file)
    };
    let newest_first = recent.iter().rev().filter(|kept| !is_in_account(kept));
    let read = newest_first.filter_map(|kept| Some((kept, handoffs::kept(layout, kept)?)));
    RecentHandoffs::of(read.collect())
}

pub(crate) fn compacted_file(layout: &Layout) -> PathBuf {
    layout.memory_dir().join("compacted.json")
}

/// The last account. `None` if another plan left it or an agent changed it.
pub(crate) fn compacted_context(layout: &Layout, state: &MemoryState) -> Option<CompactedContext> {
    let written = state.account?;
    let bytes = read_file(&compacted_file(layout), handoffs::LARGEST).ok()?;
    if Sha256Digest::of(&bytes) != written {
        return None;
    }
    memory::read_compacted(&serde_json::from_slice(&bytes).ok()?).0
}

/// Between runs the user may edit the account, so the file on disk counts.
pub(crate) fn adopt_account(layout: &Layout, state: &mut MemoryState) {
    if state.account.is_some() {
        let bytes = read_file(&compacted_file(layout), handoffs::LARGEST).ok();
        state.account = bytes.map(Sha256Digest::of);
    }
}

impl RecentHandoffs {
    fn of(mut newest_first: Vec<(&KeptHandoff, Handoff)>) -> Self {
        let coding = newest_first.iter().position(|(kept, _)| kept.is_coding());
        let last_coding = coding.map(|at| newest_first.remove(at));
        let last_coding = last_coding.map_or_else(Vec::new, |(kept, handoff)| {
            let result = kept.result.description();
            let result = result.map(|text| Item::paragraph(format!("That iteration was {text}.")));
            result.into_iter().chain(memory::digest(&handoff)).collect()
        });
        let line = |(kept, handoff): &(&KeptHandoff, Handoff)| {
            let result =
                kept.result.description().map(|text| format!(" ({text})")).unwrap_or_default();
            Item::paragraph(format!("{}{result}", memory::line(handoff)))
        };
        Self { last_coding, others: newest_first.iter().take(LINES).map(line).collect() }
    }
}

impl WorkResult {
    /// `None` if the work was kept.
    pub(crate) fn description(self) -> Option<&'static str> {
        match self {
            Self::Kept => None,
            Self::NotAccepted => Some("not accepted"),
            Self::RolledBack => Some("not accepted, and its changes were rolled back"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use tasks::Mode;

    use super::*;

    fn kept(iteration: u64, mode: Mode, result: WorkResult) -> KeptHandoff {
        let story = tasks::StoryId::new("US-1").unwrap();
        let (file, digest) = (format!("{iteration}.json"), Sha256Digest::of("x"));
        KeptHandoff { iteration, mode, story, file, bytes: 10, digest, result }
    }

    fn handoff_with(summary: &str) -> Handoff {
        let done = json!({"task_id": "US-1", "summary": summary, "fully_complete": false});
        memory::read_handoff(&json!({"task_completed": done})).0.unwrap()
    }

    fn texts(items: &[Item]) -> Vec<&str> {
        items.iter().map(|item| item.text.as_str()).collect()
    }

    #[test]
    fn the_last_coding_handoff_is_detailed_and_two_others_get_a_line() {
        let [review, coding, review_before, older] = [
            kept(4, Mode::Review, WorkResult::Kept),
            kept(3, Mode::ReviewFix, WorkResult::RolledBack),
            kept(2, Mode::Review, WorkResult::NotAccepted),
            kept(1, Mode::Implement, WorkResult::Kept),
        ];
        let recent = RecentHandoffs::of(vec![
            (&review, handoff_with("Reviewed")),
            (&coding, handoff_with("Fixed")),
            (&review_before, handoff_with("Objected")),
            (&older, handoff_with("Built")),
        ]);
        let rolled_back = "That iteration was not accepted, and its changes were rolled back.";
        assert_eq!(texts(&recent.last_coding), [rolled_back, "[US-1] partial: Fixed"]);
        let line = "[US-1] Objected. Partial. 0 files. (not accepted)";
        assert_eq!(texts(&recent.others), ["[US-1] Reviewed. Partial. 0 files.", line]);
    }

    #[test]
    fn a_single_review_gets_a_line() {
        let review = kept(1, Mode::Review, WorkResult::Kept);
        let recent = RecentHandoffs::of(vec![(&review, handoff_with("Reviewed"))]);
        assert_eq!((recent.last_coding.len(), recent.others.len()), (0, 1));
        assert_eq!(RecentHandoffs::of(Vec::new()), RecentHandoffs::default());
    }
}
