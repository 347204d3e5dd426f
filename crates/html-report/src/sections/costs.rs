//! Cost and tokens: over time, and by story.

mod by_story;
mod over_time;

use super::{quiet, section};
use crate::PageInput;
use crate::html::Html;
use crate::tally::{StoryRow, all_tokens, finite};

pub(super) fn costs(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let section = section("costs", "Cost and tokens");
    let view = input.view;
    if finite(view.spent_usd()) == 0.0 && all_tokens(view.tokens) == 0 {
        let none = "No cost and no tokens reported so far.";
        return section.add(quiet(none)).into();
    }
    let has_cost = view.cost().is_some();
    section
        .add(has_cost.then(|| over_time::cost_over_time(input)))
        .add((all_tokens(view.tokens) > 0).then(|| over_time::tokens_over_time(input)))
        .add(by_story::by_story(input, rows))
        .into()
}
