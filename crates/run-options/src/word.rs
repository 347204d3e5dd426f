//! An enum whose values are words: one list for settings, flags, messages, events and the schema.

/// A value that users write as one word.
pub trait Word: Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    /// The word in settings and events. Flags spell it in kebab case.
    fn name(self) -> &'static str;

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == word)
    }
}

macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $(
                $(#[$note])*
                #[serde(rename = $word)]
                // The comment is for the schema. The help of the flag describes the words itself.
                #[cfg_attr(feature = "clap", value(help = None::<&str>))]
                $variant,
            )+
        }

        impl crate::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

pub(crate) use words;
