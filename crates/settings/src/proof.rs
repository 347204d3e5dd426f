//! Tests that prove each story, written by another session than the one that implements it.

use json_reader::{Json, Leaf};
use run_options::ProofUse;

use crate::guardrail::{COMMAND, PATTERN};
use crate::section::settings;

settings! {
    /// Tests that prove a story, written by another session before the story is implemented. A word stands for
    /// `stories`.
    pub struct Proof from keys {
        /// Whether a story needs such tests, unless its own `proof` says otherwise.
        pub stories: ProofUse = keys.optional("stories", Leaf::word()).unwrap_or_default(),
        /// Further patterns of test files, as in `guardrails[].paths`; `!` excludes. The usual ones are known.
        pub test_paths: Vec<String> = keys.items("testPaths", PATTERN).unwrap_or_default(),
        /// A shell command that runs exactly the tests `{tests}` and writes a JUnit report to the file `{junit}`, for
        /// tests that no known framework runs.
        #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*(\{tests\}[^\x00]*\{junit\}|\{junit\}[^\x00]*\{tests\})[^\x00]*$")))]
        pub run: Option<String> = keys.optional("run", RUN),
    }
}

const RUN: Leaf<String> = Leaf::new("a command with {tests} and {junit}", |json| {
    (COMMAND.read)(json).filter(|run| run.contains("{tests}") && run.contains("{junit}"))
});

/// `"proof": "require"` means `"proof": {"stories": "require"}`.
pub(crate) fn write_out_word(document: &mut Json) {
    let Json::Object(entries) = document else { return };
    for (_, value) in entries.iter_mut().filter(|(key, _)| key == "proof") {
        if let Json::Text(_) = value {
            let word = std::mem::replace(value, Json::Null);
            *value = Json::Object(vec![("stories".to_owned(), word)]);
        }
    }
}

/// The object, or a word.
#[cfg(test)]
pub(crate) fn object_or_word(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let choices = [generator.subschema_for::<Proof>(), generator.subschema_for::<ProofUse>()];
    schemars::json_schema!({ "anyOf": choices })
}
