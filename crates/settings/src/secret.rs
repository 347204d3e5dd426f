//! A value that is handed on and never shown.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::leaf::Leaf;

pub const REDACTED: &str = "[redacted]";

/// Prints and serialises as `[redacted]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The environment of a process cannot hold a NUL.
    pub(crate) const LEAF: Leaf<Self> = Leaf {
        expected: "a string without NUL",
        read: |json| {
            json.text().filter(|text| !text.contains('\0')).map(|text| Self(text.to_owned()))
        },
    };

    /// What curl posts to. Anything but visible ASCII has to be percent-encoded in an address anyway.
    pub(crate) const URL: Leaf<Self> = Leaf {
        expected: "an address that begins with http:// or https:// and has no spaces",
        read: |json| {
            let url = json.text()?;
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
            let fits = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic());
            fits.then(|| Self(url.to_owned()))
        },
    };

    pub(crate) const NAME: Leaf<String> = Leaf {
        expected: "names that are not empty and have neither '=' nor NUL",
        read: |json| {
            json.text()
                .filter(|name| !name.is_empty() && !name.contains(['=', '\0']))
                .map(str::to_owned)
        },
    };

    /// The value itself, for the one who hands it on.
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
