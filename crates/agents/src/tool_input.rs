//! Summarizes a tool call in one line.

use serde::Deserialize;

use crate::one_line::one_line;
use crate::raw::Raw;

/// The most informative inputs of a call, in this order.
#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow)]
    command: Raw<'a>,
    /// Several commands: the first is shown.
    #[serde(borrow)]
    commands: Raw<'a>,
    #[serde(borrow, alias = "filePath", alias = "absolute_path")]
    file_path: Raw<'a>,
    #[serde(borrow)]
    path: Raw<'a>,
    #[serde(borrow)]
    notebook_path: Raw<'a>,
    #[serde(borrow)]
    pattern: Raw<'a>,
    #[serde(borrow)]
    url: Raw<'a>,
    #[serde(borrow)]
    query: Raw<'a>,
    #[serde(borrow)]
    skill: Raw<'a>,
    #[serde(borrow)]
    subject: Raw<'a>,
    #[serde(borrow)]
    description: Raw<'a>,
    #[serde(borrow)]
    prompt: Raw<'a>,
}

pub(crate) fn summary(input: Raw<'_>) -> String {
    most_informative(input).filter(|line| !line.is_empty()).unwrap_or_else(|| match input.json() {
        "{}" => String::new(),
        json => one_line(json),
    })
}

fn most_informative(input: Raw<'_>) -> Option<String> {
    let input: Input<'_> = input.parse()?;
    [
        input.command,
        input.commands.items().first().copied().unwrap_or_default(),
        input.file_path,
        input.notebook_path,
        input.pattern,
        input.url,
        input.query,
        input.path,
        input.skill,
        input.subject,
        input.description,
        input.prompt,
    ]
    .into_iter()
    .find_map(Raw::summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> String {
        summary(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn the_most_informative_input() {
        assert_eq!(of(r#"{"description":"fails","command":"cargo test\n# more"}"#), "cargo test");
        assert_eq!(of(r#"{"commands":["cargo test","ls"]}"#), "cargo test");
        assert_eq!(of(r#"{"content":"long","file_path":"/a/b.rs"}"#), "/a/b.rs");
        assert_eq!(of(r#"{"content":"long","filePath":"/a/b.rs"}"#), "/a/b.rs");
        assert_eq!(of(r#"{"path":"src","pattern":"fn main"}"#), "fn main");
        assert_eq!(of(r#"{"path":"/a/b.rs","view_range":[1,2]}"#), "/a/b.rs");
        assert_eq!(of(r#"{"prompt":"look into …","description":"explore"}"#), "explore");
        assert_eq!(of(r#"{"url":"https://x.test","prompt":"sum up"}"#), "https://x.test");
    }

    #[test]
    fn an_unknown_input_as_it_is() {
        assert_eq!(of(r#"{"taskId":"1"}"#), r#"{"taskId":"1"}"#);
        assert_eq!(of(r#"{"command":["ls"],"n":1}"#), r#"{"command":["ls"],"n":1}"#);
        assert_eq!(of("{}"), "");
    }
}
