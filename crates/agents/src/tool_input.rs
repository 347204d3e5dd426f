//! Summarizes a tool call in one line.

use crate::one_line::one_line;
use crate::raw::Raw;

/// The most informative inputs of a call, in this order. Of several commands the first is shown.
const INFORMATIVE: &str = "
    command commands file_path filePath absolute_path notebook_path pattern url query path skill
    subject description prompt
";

pub(crate) fn summary(input: Raw<'_>) -> String {
    let fields = input.fields();
    let text = |name| match name {
        "commands" => fields[name].items().first().copied().and_then(Raw::summary),
        name => fields[name].summary(),
    };
    let line = INFORMATIVE.split_whitespace().find_map(text).filter(|line| !line.is_empty());
    line.unwrap_or_else(|| match input.json() {
        "{}" => String::new(),
        json => one_line(json),
    })
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
