//! What a prompt is told of earlier iterations, from the disk to its parts.

use agents::Ability;
use bounded_read::read_file;
use memory::{CompactedContext, Item, ReadCompacted, Recall};
use tasks::{Mode, Sha256Digest};

use crate::options::AgentOptions;
use crate::stories::handoff;
use crate::stories::memory_state::Fate;
use crate::stories::prompt::{Answer, Context, Remembered, SkillsGo};
use crate::stories::run::Run;
use crate::stories::skills::Skill;

impl Run<'_> {
    pub(crate) fn context<'c>(&'c self, mode: Mode, skills: &'c [Skill]) -> Context<'c> {
        let agent = self.agent(mode);
        let skills_go = match agent.agent.abilities().system_prompt_file {
            Ability::Yes => SkillsGo::IntoSystemPrompt,
            Ability::No => SkillsGo::IntoPrompt,
        };
        let remembered = self.options.memory.as_ref().map(|options| Remembered {
            budget: usize::try_from(options.context_tokens).unwrap_or(usize::MAX),
            recall: self.recall(),
            compacted: self.compacted_items(),
            refused: &self.state.memory.refused,
            answer: answer(agent),
        });
        Context { skills, skills_go, remembered }
    }

    /// Those that a prompt tells of one by one. One that is gone is told of no more.
    fn recall(&self) -> Recall {
        let recent = self.state.memory.recent.iter();
        let kept = recent.filter_map(|kept| Some((kept.fate, self.kept_handoff(kept)?)));
        let (fates, handoffs): (Vec<Fate>, Vec<_>) = kept.unzip();
        with_fates(memory::recall(&handoffs), &fates)
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

    fn compacted_items(&self) -> Vec<Item> {
        self.compacted_context().map(|context| context.items()).unwrap_or_default()
    }

    /// Between runs the account is the user's to edit: what lies there then is what counts.
    pub(crate) fn adopt_account(&mut self) {
        if self.state.memory.account.is_some() {
            let bytes = read_file(&self.compacted_file(), handoff::LARGEST).ok();
            self.state.memory.account = bytes.map(Sha256Digest::of);
        }
    }
}

/// What became of each, oldest first, beside what it says of itself.
fn with_fates(mut recall: Recall, oldest_first: &[Fate]) -> Recall {
    let mut newest_first = oldest_first.iter().rev();
    let last = newest_first.next().and_then(|fate| fate.in_words());
    if let Some(words) = last {
        recall.previous.insert(0, Item::paragraph(format!("That iteration was {words}.")));
    }
    for (item, fate) in recall.earlier.iter_mut().zip(newest_first) {
        if let Some(words) = fate.in_words() {
            item.text = format!("{} ({words})", item.text);
        }
    }
    recall
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
        Ability::Yes => Answer::Schema,
        Ability::No => Answer::Block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_an_iteration_stands_beside_what_it_says_of_itself() {
        let recall = Recall {
            previous: vec![Item::paragraph("all done")],
            earlier: vec![Item::paragraph("second"), Item::paragraph("first")],
        };
        let fates = [Fate::NotAccepted, Fate::Stands, Fate::RolledBack];
        let told = with_fates(recall, &fates);
        let texts = |items: &[Item]| items.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
        let rolled_back = "That iteration was not accepted, and what it changed is rolled back.";
        assert_eq!(texts(&told.previous), [rolled_back, "all done"]);
        assert_eq!(texts(&told.earlier), ["second", "first (not accepted)"]);
    }
}
