//! What it cost, in money and in tokens: over time, and by story.

mod by_story;
mod over_time;

use super::{quiet, section};
use crate::Input;
use crate::html::Html;
use crate::tally::{StoryRow, all_tokens, finite};

pub(super) fn costs(input: &Input<'_>, rows: &[StoryRow<'_>]) -> Html {
    let section = section("costs", "Cost and tokens");
    let history = input.history;
    if finite(history.view.spent_usd()) == 0.0 && all_tokens(history.tokens) == 0 {
        let none = "Nothing was spent so far, or the agents do not tell.";
        return section.add(quiet(none)).into();
    }
    section
        .add(over_time::cost_over_time(input))
        .add(over_time::tokens_over_time(input))
        .add(by_story::by_story(input, rows))
        .into()
}
