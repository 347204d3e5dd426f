//! Defines an enum of words for a setting: one list for parsing, serializing and the schema.

macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident = $word:literal,)+
        }
        expected $expected:literal
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$note])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            pub(crate) const LEAF: crate::leaf::Leaf<Self> = crate::leaf::Leaf {
                expected: $expected,
                read: |json| match json.text()? {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                },
            };
        }
    };
}

pub(crate) use words;
