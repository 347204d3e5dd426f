//! A moment in the past, as `--since` takes it.

use chrono::{DateTime, Datelike, Local, NaiveDate, NaiveTime, TimeDelta, Utc};
use run_options::TimeSpan;

const EXPECTED: &str =
    "expected a duration such as 7d or 12h, a date such as 2026-11-01, or 2026-11-01T08:00:00Z";

/// A duration before now, the start of a day here, or a time with its zone.
pub(super) fn parse(text: &str) -> Result<DateTime<Utc>, &'static str> {
    if let Ok(span) = text.parse::<TimeSpan>() {
        let before = TimeDelta::from_std(span.duration()).ok();
        let since = before.and_then(|before| events::now().checked_sub_signed(before));
        return since.ok_or("the duration is too long");
    }
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Ok(moment.to_utc());
    }
    let day = text.parse::<NaiveDate>().ok().filter(|day| (1..=9999).contains(&day.year()));
    let midnight = day.ok_or(EXPECTED)?.and_time(NaiveTime::MIN);
    // Some zones skip an hour at midnight.
    let here = midnight.and_local_timezone(Local).earliest();
    Ok(here.map_or_else(|| midnight.and_utc(), |here| here.to_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_dates_and_times() {
        let now = events::now();
        let week = now - parse("7d").unwrap();
        assert!((604_740..=604_801).contains(&week.num_seconds()), "{week}");
        assert_eq!(
            parse("2026-11-01T08:00:00+01:00").unwrap().to_rfc3339(),
            "2026-11-01T07:00:00+00:00"
        );
        let day = parse("2026-11-01").unwrap().with_timezone(&Local);
        assert_eq!(day.format("%F %T").to_string(), "2026-11-01 00:00:00");
    }

    #[test]
    fn nonsense_is_refused_and_names_the_forms() {
        for text in ["", "yesterday", "7", "2026-13-01", "-7d", "+200000-01-01", "2026-11-01T08:00"]
        {
            assert_eq!(parse(text), Err(EXPECTED), "{text}");
        }
        for text in ["99999999999999y", "500000000y"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("2026y").is_err_and(|why| why != EXPECTED) || parse("2026y").is_ok());
    }
}
