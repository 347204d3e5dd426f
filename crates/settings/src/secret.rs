//! A value that is passed on but never shown.

use std::fmt;

use json_reader::Leaf;
use serde::{Serialize, Serializer};

pub const REDACTED: &str = "[redacted]";

/// Prints and serializes as `[redacted]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Environment variables cannot contain NUL.
    pub(crate) const LEAF: Leaf<Self> = Leaf::new("a string without NUL", |json| {
        json.text().filter(|text| !text.contains('\0')).map(|text| Self(text.to_owned()))
    });

    /// A URL for curl. Everything but visible ASCII must be percent-encoded.
    pub(crate) const URL: Leaf<Self> =
        Leaf::new("a URL that begins with http:// or https:// and has no spaces", |json| {
            let url = json.text()?;
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
            let fits = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic());
            fits.then(|| Self(url.to_owned()))
        });

    pub(crate) const NAME: Leaf<String> =
        Leaf::new("names that are not empty and have neither '=' nor NUL", |json| {
            json.text()
                .filter(|name| !name.is_empty() && !name.contains(['=', '\0']))
                .map(str::to_owned)
        });

    /// A header for curl, which reads it from quoted lines.
    pub(crate) const HEADER: Leaf<Self> =
        Leaf::new("visible ASCII characters and spaces", |json| {
            let text = json.text()?;
            text.bytes().all(|byte| matches!(byte, b' '..=b'~')).then(|| Self(text.to_owned()))
        });

    pub(crate) const HEADER_NAME: Leaf<String> =
        Leaf::new("names of ASCII letters, digits and '-'", |json| {
            let fits = |name: &&str| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            };
            json.text().filter(fits).map(str::to_owned)
        });

    /// The value itself, for its consumer.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Secret {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": r"^[^\x00]*$" })
    }
}
