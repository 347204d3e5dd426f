//! Classifies a failed turn by its message text.

use chrono::{DateTime, TimeZone};

use super::reset_time;
use crate::{Ending, http_status};

/// Messages about a used-up or empty account.
const USED_UP: &[&str] = &[
    "You've hit your usage limit",
    "Your workspace is out of credits",
    "You hit your spend cap",
    "Quota exceeded. Check your plan",
];

const CONTEXT_FULL: &str = "ran out of room in the model's context window";

pub(super) fn ending<Zone: TimeZone>(message: String, now: DateTime<Zone>) -> Ending {
    // Versions use different apostrophes.
    let plain = message.replace('’', "'");
    if USED_UP.iter().any(|words| plain.starts_with(words)) {
        return Ending::UsageLimit { resets_at: reset_time::find_in(&message, now) };
    }
    if plain.contains(CONTEXT_FULL) {
        return Ending::PromptTooLong;
    }
    Ending::ApiError { status: http_status::find_in(&message), message }
}
