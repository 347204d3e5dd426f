//! What the message of a failed turn means; there is nothing but words to go by.

use chrono::{DateTime, TimeZone};

use super::reset_time;
use crate::{Ending, http_status};

/// The words for an account that is used up, or has nothing on it.
const USED_UP: &[&str] = &[
    "You've hit your usage limit",
    "Your workspace is out of credits",
    "You hit your spend cap",
    "Quota exceeded. Check your plan",
];

const CONTEXT_FULL: &str = "ran out of room in the model's context window";

pub(super) fn ending<Zone: TimeZone>(message: String, now: DateTime<Zone>) -> Ending {
    // Versions differ in their apostrophes.
    let plain = message.replace('’', "'");
    if USED_UP.iter().any(|words| plain.starts_with(words)) {
        return Ending::UsageLimit { resets_at: reset_time::told_in(&message, now) };
    }
    if plain.contains(CONTEXT_FULL) {
        return Ending::PromptTooLong;
    }
    Ending::ApiError { status: http_status::told_in(&message), message }
}
