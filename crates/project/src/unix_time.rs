//! Times in markers: whole seconds since 1970; fields that count as missing if they are invalid.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `None` for times out of range.
pub(crate) fn from_seconds(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Times before 1970 are written as `null`.
pub(crate) fn serialize<S: Serializer>(
    time: &Option<SystemTime>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map(|since| since.as_secs()).serialize(serializer)
}

/// An invalid time counts as missing.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SystemTime>, D::Error> {
    Ok(if_sensible(deserializer)?.and_then(from_seconds))
}

/// For informational fields: an invalid value counts as missing, and the marker stays valid.
pub(crate) fn if_sensible<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
