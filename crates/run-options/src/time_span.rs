//! A duration such as `90s`, `10m` or `1h 30m`.

use std::str::FromStr;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(Duration);

impl TimeSpan {
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    pub const fn duration(self) -> Duration {
        self.0
    }

    /// For keys where 0 means no limit.
    pub fn limit(self) -> Option<Duration> {
        Some(self.0).filter(|time| !time.is_zero())
    }
}

impl From<Duration> for TimeSpan {
    fn from(time: Duration) -> Self {
        Self(time)
    }
}

impl FromStr for TimeSpan {
    type Err = humantime::DurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        humantime::parse_duration(text).map(Self)
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&humantime::format_duration(self.0))
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The usual spellings; the parser accepts more spaces.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for TimeSpan {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TimeSpan".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        const UNITS: &str = "nanos|nsec|ns|usec|us|µs|millis|msec|ms|seconds|second|secs|sec|s|\
            minutes|minute|mins|min|m|hours|hour|hrs|hr|h|days|day|d|weeks|week|wks|wk|w|\
            months|month|M|years|year|yrs|yr|y";
        let pattern = format!(r"^(0|([0-9]+(\.[0-9]+)? ?({UNITS}) ?)+)$");
        schemars::json_schema!({ "type": "string", "pattern": pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_limit() {
        assert_eq!(TimeSpan::from_secs(0).limit(), None);
        assert_eq!(TimeSpan::from_secs(9).limit(), Some(Duration::from_secs(9)));
    }

    #[test]
    fn is_read_as_people_write_it() {
        let read = |text: &str| text.parse().ok();
        assert_eq!(read("1h 30m"), Some(TimeSpan::from_secs(5400)));
        assert_eq!([read("5"), read("soon"), read("")], [None; 3]);
    }
}
