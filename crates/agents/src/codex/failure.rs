//! Classifies a failed turn by its message text, and parses the reset time of a usage limit from it.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeZone};

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
        return Ending::UsageLimit { resets_at: reset_time(&message, now) };
    }
    if plain.contains(CONTEXT_FULL) {
        return Ending::PromptTooLong;
    }
    Ending::ApiError { status: http_status::find_in(&message), message }
}

/// In unix seconds. The message has it in the local time zone, and without a date if it is today.
fn reset_time<Zone: TimeZone>(message: &str, now: DateTime<Zone>) -> Option<u64> {
    let lower = message.to_ascii_lowercase();
    let start = lower.rfind("try again at ")? + "try again at ".len();
    let reset_text = message.get(start..)?.trim().trim_end_matches('.');
    let (date, time) = match reset_text.rsplitn(3, ' ').collect::<Vec<_>>()[..] {
        [half, clock, date] => (parse_date(date)?, format!("{clock} {half}")),
        _ => (now.date_naive(), reset_text.to_owned()),
    };
    let time = NaiveTime::parse_from_str(&time, "%I:%M %p").ok()?;
    let reset = now.timezone().from_local_datetime(&date.and_time(time)).earliest()?;
    reset.timestamp().try_into().ok()
}

/// Parses `Aug 8th, 2026`.
fn parse_date(date: &str) -> Option<NaiveDate> {
    let (day, year) = date.split_once(", ")?;
    let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    NaiveDate::parse_from_str(&format!("{day}, {year}"), "%b %d, %Y").ok()
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    fn reset_text(message: &str) -> Option<String> {
        let zone = FixedOffset::east_opt(2 * 3600).unwrap();
        let now = zone.with_ymd_and_hms(2026, 8, 6, 9, 0, 0).unwrap();
        let reset = reset_time(message, now)?;
        Some(DateTime::from_timestamp(reset.try_into().ok()?, 0)?.to_rfc3339())
    }

    #[test]
    fn later_today() {
        let message = "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage \
                       to purchase more credits or try again at 3:28 PM.";
        assert_eq!(reset_text(message).as_deref(), Some("2026-08-06T13:28:00+00:00"));
        assert_eq!(
            reset_text("Try again at 12:05 PM.").as_deref(),
            Some("2026-08-06T10:05:00+00:00")
        );
    }

    #[test]
    fn another_day() {
        let message = "You've hit your usage limit. Try again at Aug 8th, 2026 12:30 AM.";
        assert_eq!(reset_text(message).as_deref(), Some("2026-08-07T22:30:00+00:00"));
        let first = "… or try again at Jan 21st, 2027 1:00 PM.";
        assert_eq!(reset_text(first).as_deref(), Some("2027-01-21T11:00:00+00:00"));
    }

    #[test]
    fn anything_else_is_no_time() {
        for message in [
            "You've hit your usage limit. Try again later.",
            "try again at noon",
            "try again at Foo 8th, 2026 12:30 PM.",
            "try again at Feb 30th, 2026 12:30 PM.",
            "try again at 25:00 PM",
            "try again at ",
            "",
        ] {
            assert_eq!(reset_text(message), None, "{message}");
        }
    }
}
