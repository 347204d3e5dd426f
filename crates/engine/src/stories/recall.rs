//! What a prompt is told of earlier iterations, from the disk to its parts.

use bounded_read::read_file;
use memory::{CompactedContext, Handoff, Item, ReadCompacted};
use tasks::{Mode, Sha256Digest};

use crate::options::AgentOptions;
use crate::stories::handoff;
use crate::stories::memory_state::{Fate, KeptHandoff, MemoryState};
use crate::stories::prompt::{Answer, Context, Remembered, SkillsGo};
use crate::stories::run::Run;
use crate::stories::skills::Skill;

const LINES: usize = 2;

/// Of the last coding iteration the digest, of two others a line each, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recall {
    pub(crate) last_coding: Vec<Item>,
    pub(crate) others: Vec<Item>,
}

impl Run<'_> {
    pub(crate) fn context<'c>(&'c self, mode: Mode, skills: &'c [Skill]) -> Context<'c> {
        let agent = self.agent(mode);
        let skills_go = match agent.agent.abilities().system_prompt_file {
            true => SkillsGo::IntoSystemPrompt,
            false => SkillsGo::IntoPrompt,
        };
        let remembered = self.options.memory.as_ref().map(|options| {
            let compacted = self.compacted_context();
            Remembered {
                budget: usize::try_from(options.context_tokens).unwrap_or(usize::MAX),
                recall: self.recall(compacted.as_ref()),
                compacted: compacted.map(|context| context.items()).unwrap_or_default(),
                refused: &self.state.memory.refused,
                answer: answer(agent),
            }
        });
        Context { skills, skills_go, remembered }
    }

    /// Those that a prompt has one by one, as far as they are still there. Those before the last compaction are part
    /// of its account.
    fn recall(&self, compacted: Option<&CompactedContext>) -> Recall {
        let MemoryState { recent, uncompacted, .. } = &self.state.memory;
        let is_in_account = |kept: &KeptHandoff| {
            compacted.is_some() && !uncompacted.iter().any(|it| it.file == kept.file)
        };
        let newest_first = recent.iter().rev().filter(|kept| !is_in_account(kept));
        Recall::of(newest_first.filter_map(|kept| Some((kept, self.kept_handoff(kept)?))).collect())
    }

    /// What was compacted last, as it was written. Another plan may have left one, and agents can write
    /// there too: neither is told.
    pub(crate) fn compacted_context(&self) -> Option<CompactedContext> {
        let written = self.state.memory.account?;
        let bytes = read_file(&self.compacted_file(), handoff::LARGEST).ok()?;
        if Sha256Digest::of(&bytes) != written {
            return None;
        }
        match memory::read_compacted(&serde_json::from_slice(&bytes).ok()?) {
            ReadCompacted::Whole(context) | ReadCompacted::Mended { context, .. } => Some(context),
            ReadCompacted::Unusable(_) => None,
        }
    }

    /// Between runs the account is the user's to edit: what lies there then is what counts.
    pub(crate) fn adopt_account(&mut self) {
        if self.state.memory.account.is_some() {
            let bytes = read_file(&self.compacted_file(), handoff::LARGEST).ok();
            self.state.memory.account = bytes.map(Sha256Digest::of);
        }
    }
}

impl Recall {
    fn of(mut newest_first: Vec<(&KeptHandoff, Handoff)>) -> Self {
        let coding = newest_first.iter().position(|(kept, _)| kept.is_coding());
        let last_coding = coding.map(|at| newest_first.remove(at));
        let last_coding = last_coding.map_or_else(Vec::new, |(kept, handoff)| {
            let fate = kept.fate.in_words();
            let fate = fate.map(|words| Item::paragraph(format!("That iteration was {words}.")));
            fate.into_iter().chain(memory::digest(&handoff)).collect()
        });
        let line = |(kept, handoff): &(&KeptHandoff, Handoff)| {
            let fate = kept.fate.in_words().map(|words| format!(" ({words})")).unwrap_or_default();
            Item::paragraph(format!("{}{fate}", memory::line(handoff)))
        };
        Self { last_coding, others: newest_first.iter().take(LINES).map(line).collect() }
    }
}

impl Fate {
    /// Nothing of one that stands.
    pub(crate) fn in_words(self) -> Option<&'static str> {
        match self {
            Self::Stands => None,
            Self::NotAccepted => Some("not accepted"),
            Self::RolledBack => Some("not accepted, and what it changed is rolled back"),
        }
    }
}

/// How `agent` gives an answer of a certain shape.
pub(crate) fn answer(agent: &AgentOptions) -> Answer {
    match agent.agent.abilities().answer_schema {
        true => Answer::Schema,
        false => Answer::Block,
    }
}

#[cfg(test)]
mod tests {
    use memory::Read;
    use serde_json::json;

    use super::*;

    fn kept(iteration: u64, mode: Mode, fate: Fate) -> KeptHandoff {
        let story = tasks::StoryId::new("US-1").unwrap();
        let (file, digest) = (format!("{iteration}.json"), Sha256Digest::of("x"));
        KeptHandoff { iteration, mode, story, file, bytes: 10, digest, fate }
    }

    fn saying(summary: &str) -> Handoff {
        let done = json!({"task_id": "US-1", "summary": summary, "fully_complete": false});
        match memory::read_handoff(&json!({"task_completed": done})) {
            Read::Whole(handoff) | Read::Mended { handoff, .. } => handoff,
            Read::Unusable(why) => panic!("{why:?}"),
        }
    }

    fn texts(items: &[Item]) -> Vec<&str> {
        items.iter().map(|item| item.text.as_str()).collect()
    }

    #[test]
    fn the_last_coding_one_is_given_in_detail_and_two_others_in_a_line() {
        let [review, coding, review_before, older] = [
            kept(4, Mode::Review, Fate::Stands),
            kept(3, Mode::ReviewFix, Fate::RolledBack),
            kept(2, Mode::Review, Fate::NotAccepted),
            kept(1, Mode::Implement, Fate::Stands),
        ];
        let recall = Recall::of(vec![
            (&review, saying("Reviewed")),
            (&coding, saying("Fixed")),
            (&review_before, saying("Objected")),
            (&older, saying("Built")),
        ]);
        let rolled_back = "That iteration was not accepted, and what it changed is rolled back.";
        assert_eq!(texts(&recall.last_coding), [rolled_back, "[US-1] partial: Fixed"]);
        let line = "[US-1] Objected. Partial. 0 files. (not accepted)";
        assert_eq!(texts(&recall.others), ["[US-1] Reviewed. Partial. 0 files.", line]);
    }

    #[test]
    fn a_review_alone_is_given_in_a_line() {
        let review = kept(1, Mode::Review, Fate::Stands);
        let recall = Recall::of(vec![(&review, saying("Reviewed"))]);
        assert_eq!((recall.last_coding.len(), recall.others.len()), (0, 1));
        assert_eq!(Recall::of(Vec::new()), Recall::default());
    }
}
