//! Counts the tokens in a session's context, from the API usage of the last answer in the transcript.
//!
//! Without such an answer it estimates from the transcript's size. That is inaccurate, because a
//! transcript also stores prompts and request data.

use std::path::Path;

use bounded_read::{FileError, open_regular};
use memchr::memmem;
use serde::Deserialize;

use crate::tail::last_line;

/// The average of English text and code.
const BYTES_PER_TOKEN: u64 = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenUsage {
    pub(crate) tokens: u64,
    /// Estimated from the size of the transcript, not reported by the API.
    pub(crate) is_estimate: bool,
    pub(crate) model: Option<String>,
}

pub(crate) fn usage(transcript: &Path) -> Result<TokenUsage, FileError> {
    let (mut file, size) = open_regular(transcript)?;
    let mut compacted = None;
    let answer = last_line(&mut file, size, |line| counted(line, &mut compacted))?;
    let counted = answer.or(compacted);
    let estimated =
        || TokenUsage { tokens: size / BYTES_PER_TOKEN, is_estimate: true, model: None };
    Ok(counted.unwrap_or_else(estimated))
}

/// The usage that a transcript line reports. Answers before a compaction boundary only give the model.
fn counted(line: &[u8], compacted: &mut Option<TokenUsage>) -> Option<TokenUsage> {
    // Searched before parsing, because most lines are irrelevant and some have several megabytes.
    let relevant = [&b"\"usage\""[..], b"\"compact_boundary\""];
    if !relevant.iter().any(|word| memmem::find(line, word).is_some()) {
        return None;
    }
    let line: TranscriptLine = serde_json::from_slice(line).ok()?;
    if line.is_sidechain == Some(true) {
        return None;
    }
    match (line.kind.as_str(), line.subtype.as_deref()) {
        ("assistant", _) => {
            let message = line.message?;
            let tokens = message.usage?.total();
            let model = line.requested_model.or(message.model);
            // Claude Code writes its own error messages as answers without tokens.
            if tokens == 0 {
                return None;
            }
            let tokens = compacted.as_ref().map_or(tokens, |usage| usage.tokens);
            Some(TokenUsage { tokens, is_estimate: false, model })
        }
        ("system", Some("compact_boundary")) if compacted.is_none() => {
            let tokens = line.compact_metadata.and_then(|metadata| metadata.post_tokens);
            let tokens = tokens.unwrap_or_default();
            *compacted = Some(TokenUsage { tokens, is_estimate: false, model: None });
            None
        }
        _ => None,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TranscriptLine {
    #[serde(rename = "type")]
    kind: String,
    subtype: Option<String>,
    is_sidechain: Option<bool>,
    message: Option<Message>,
    /// Has the suffix for a large window, which the API does not repeat.
    requested_model: Option<String>,
    compact_metadata: Option<CompactMetadata>,
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    usage: Option<TokenCounts>,
}

/// The API writes `null` for a value that it did not count.
#[derive(Deserialize)]
struct TokenCounts {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactMetadata {
    post_tokens: Option<u64>,
}

impl TokenCounts {
    fn total(&self) -> u64 {
        let counts = [
            self.input_tokens,
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
            self.output_tokens,
        ];
        counts.into_iter().flatten().fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage_in(contents: impl AsRef<[u8]>) -> TokenUsage {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("transcript.jsonl");
        std::fs::write(&path, contents).unwrap();
        usage(&path).unwrap()
    }

    fn assistant(tokens: u64) -> String {
        format!(
            r#"{{"type":"assistant","isSidechain":false,"message":{{"model":"claude-x","content":[],"usage":{{"input_tokens":1,"cache_read_input_tokens":{tokens},"cache_creation_input_tokens":10,"output_tokens":100}}}}}}"#
        )
    }

    fn counted_tokens(contents: impl AsRef<[u8]>) -> u64 {
        let usage = usage_in(contents);
        assert!(!usage.is_estimate);
        usage.tokens
    }

    #[test]
    fn all_token_counts_of_the_last_answer_are_added() {
        let lines = [assistant(1000), assistant(2000)].join("\n");
        assert_eq!(counted_tokens(lines), 2111);
    }

    #[test]
    fn other_lines_truncated_lines_and_subagents_are_skipped() {
        let user = r#"{"type":"user","message":{"content":"\"usage\" \"assistant\""}}"#;
        let sidechain = assistant(7).replace("\"isSidechain\":false", "\"isSidechain\":true");
        let synthetic =
            r#"{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":0}}}"#;
        let wrong = r#"{"type":"assistant","message":{"usage":"many"}}"#;
        let cut = &assistant(9)[..60];
        for after in [user, &sidechain, synthetic, wrong, cut, "", "nonsense \"usage\""] {
            for ending in ["", "\n"] {
                let lines = format!("{}\n{after}{ending}", assistant(1000));
                assert_eq!(counted_tokens(&lines), 1111, "{after}");
            }
        }
    }

    #[test]
    fn huge_lines_and_invalid_utf8_are_skipped() {
        let mut contents = assistant(1000).into_bytes();
        contents.extend(b"\n{\"type\":\"user\",\"text\":\"");
        contents.extend(vec![b'y'; 5 * 1024 * 1024]);
        contents.extend(b"\"}\n\xff\xfe \"usage\" \x00\n");
        assert_eq!(counted_tokens(contents), 1111);
    }

    #[test]
    fn an_answer_of_megabytes_is_read() {
        let long = assistant(1000)
            .replace("\"content\":[]", &format!("\"content\":\"{}\"", "z".repeat(3 << 20)));
        assert_eq!(counted_tokens(long), 1111);
    }

    #[test]
    fn right_after_compaction_its_own_count_applies() {
        let boundary = r#"{"type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"preTokens":190000,"postTokens":2589}}"#;
        assert_eq!(counted_tokens([&assistant(190_000), boundary].join("\n")), 2589);
        assert_eq!(
            counted_tokens([&assistant(190_000), boundary, &assistant(3000)].join("\n")),
            3111
        );
    }

    #[test]
    fn after_compaction_the_model_is_still_known() {
        let boundary =
            r#"{"type":"system","subtype":"compact_boundary","compactMetadata":{"postTokens":7}}"#;
        let usage = usage_in([&assistant(190_000), boundary].join("\n"));
        assert_eq!((usage.tokens, usage.model.as_deref()), (7, Some("claude-x")));
        let silent = r#"{"type":"system","subtype":"compact_boundary"}"#;
        assert_eq!(counted_tokens([&assistant(190_000), silent].join("\n")), 0);
        assert_eq!(counted_tokens([boundary, silent].join("\n")), 0, "no answer left at all");
    }

    #[test]
    fn uncounted_tokens_are_null() {
        let line =
            assistant(1000).replace("tokens\":10,", "tokens\":null,").replace("false", "null");
        assert_eq!(counted_tokens(line), 1101);
    }

    #[test]
    fn the_requested_model_has_precedence_over_the_answering_one() {
        let line = assistant(1).replacen('{', r#"{"requestedModel":"claude-x[1m]","#, 1);
        assert_eq!(usage_in(&line).model.as_deref(), Some("claude-x[1m]"));
        assert_eq!(usage_in(assistant(1)).model.as_deref(), Some("claude-x"));
    }

    #[test]
    fn without_any_answer_the_size_is_a_guess() {
        let usage = usage_in("x".repeat(4000));
        assert_eq!((usage.tokens, usage.is_estimate), (1000, true));
    }
}
