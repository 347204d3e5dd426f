//! Parsers of single values, each with its description for error messages.

use json_reader::{Json, Leaf};
use run_options::TimeSpan;

pub(crate) const NON_BLANK: Leaf<String> = Leaf::new("a string that is not blank", |json| {
    json.text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
});

pub(crate) const COUNT: Leaf<u64> = Leaf::new("a whole number, 0 or more", whole);

pub(crate) const POSITIVE: Leaf<u64> =
    Leaf::new("a whole number, 1 or more", |json| whole(json).filter(|number| *number > 0));

pub(crate) const PERCENT: Leaf<u8> = Leaf::new("a whole number from 1 to 100", |json| {
    whole(json)
        .and_then(|number| u8::try_from(number).ok())
        .filter(|percent| (1..=100).contains(percent))
});

pub(crate) const PORT: Leaf<u16> = Leaf::new("a port from 1 to 65535", |json| {
    whole(json).and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0)
});

pub(crate) const AMOUNT: Leaf<f64> =
    Leaf::new("a number above 0", |json| json.number()?.as_f64().filter(|amount| *amount > 0.0));

pub(crate) const TIME: Leaf<TimeSpan> =
    Leaf::new("a duration such as \"90s\" or \"10m\"", |json| json.text()?.parse().ok());

/// `10.0` is a whole number too, as in JSON Schema.
pub(crate) fn whole(json: &Json) -> Option<u64> {
    let number = json.number()?;
    number.as_u64().or_else(|| {
        let whole = number.as_f64().filter(|number| number.fract() == 0.0)?;
        format!("{whole:.0}").parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn whole_numbers_are_distinguished() {
        let read = |text| (COUNT.read)(&json(text));
        assert_eq!((read("0"), read("10"), read("10.0")), (Some(0), Some(10), Some(10)));
        assert_eq!((read("-1"), read("1.5"), read("\"1\"")), (None, None, None));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        assert_eq!(read("1e30"), None);
    }

    #[test]
    fn a_number_is_no_duration() {
        let read = |text| (TIME.read)(&json(text));
        assert_eq!((read("\"5s\""), read("5")), (Some(TimeSpan::from_secs(5)), None));
    }

    #[test]
    fn bounds_are_enforced() {
        let percent = |text| (PERCENT.read)(&json(text));
        assert_eq!((percent("0"), percent("1")), (None, Some(1)));
        assert_eq!((percent("100"), percent("101"), percent("300")), (Some(100), None, None));
        let amount = |text| (AMOUNT.read)(&json(text));
        assert_eq!((amount("0"), amount("-1"), amount("2.5")), (None, None, Some(2.5)));
        let wording = |text| (NON_BLANK.read)(&json(text));
        assert_eq!((wording("\" \""), wording("\"x\"")), (None, Some("x".into())));
    }
}
