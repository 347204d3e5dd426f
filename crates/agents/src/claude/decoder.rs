//! Decodes stream lines to events. Unknown fields and line types are ignored.

use super::decoder_state::Decoder;
use super::{assistant, rate_limit, result_line, system, user};
use crate::decode::{Emit, JsonDecoder};
use crate::raw::{Object, Raw};

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "assistant" => assistant::decode(self, line, &Message::of(line)?, emit),
            "user" => user::decode(self, line, &Message::of(line)?, emit),
            "system" => system::decode(self, line, emit),
            "rate_limit_event" => rate_limit::decode(self, line, emit),
            "result" => result_line::decode(self, line, emit),
            _ => {}
        }
        Ok(())
    }
}

/// The message of an `assistant` or `user` line, which is invalid without one.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    pub(crate) id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) model: Raw<'a>,
    #[serde(borrow)]
    pub(crate) usage: Raw<'a>,
    /// Other content than objects counts as absent.
    #[serde(borrow)]
    pub(crate) content: Vec<Object<'a>>,
}

impl<'a> Message<'a> {
    pub(crate) fn of(line: &Object<'a>) -> serde_json::Result<Self> {
        let json = line["message"].json();
        // In one pass if possible, because the content can be large.
        serde_json::from_str(json).or_else(|_| {
            let fields: Object<'_> = serde_json::from_str(json)?;
            let [id, model, usage] = ["id", "model", "usage"].map(|name| fields[name]);
            Ok(Self { id, model, usage, content: fields["content"].objects() })
        })
    }
}
