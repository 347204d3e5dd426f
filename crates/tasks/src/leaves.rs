//! Readers of the single values of a task list, without conversion between types.

use json_reader::{Json, Leaf};
use run_options::{ProofUse, Word};
use serde_json::Number;

use crate::{ReviewStatus, SkillName, StoryId};

pub(crate) const STORY_ID: Leaf<StoryId> =
    Leaf::new("a story id of 1 to 64 characters out of A-Z a-z 0-9 . _ -", |json| {
        StoryId::new(json.text()?).ok()
    });

pub(crate) const SKILL_NAME: Leaf<SkillName> = Leaf::new(
    "the name of a skill: 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot",
    |json| SkillName::new(json.text()?).ok(),
);

pub(crate) const REVIEW_STATUS: Leaf<ReviewStatus> =
    Leaf::new("null, \"needs_review\", \"changes_requested\" or \"approved\"", |json| match json {
        Json::Null => Some(ReviewStatus::NotSubmitted),
        _ => ReviewStatus::from_json(Some(json.text()?)),
    });

pub(crate) const PROOF_USE: Leaf<ProofUse> =
    Leaf::new("\"off\" or \"require\"", |json| ProofUse::from_word(json.text()?));

/// Keeps the notation of the number.
pub(crate) const PRIORITY: Leaf<Number> =
    Leaf::new("a number (1 is first)", |json| json.number().cloned());

pub(crate) const COUNT: Leaf<u64> =
    Leaf::new("a whole number, 0 or more", |json| json.number()?.as_u64());

pub(crate) const POSITIVE: Leaf<u64> =
    Leaf::new("a whole number, 1 or more", |json| json.number()?.as_u64().filter(|n| *n > 0));

pub(crate) const SENTENCE: Leaf<String> = Leaf::new("a non-empty string", |json| {
    json.text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
});

pub(crate) const HEADLINE: Leaf<String> = Leaf::new("a non-empty string on one line", |json| {
    (SENTENCE.read)(json).filter(|text| !text.contains(char::is_control))
});
