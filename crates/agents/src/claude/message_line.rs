//! Parses `assistant` and `user` lines.

use serde::Deserialize;

use crate::raw::Raw;

/// A message of either side, parsed in one pass if its parts have the expected types.
pub(crate) struct MessageLine<'a> {
    pub(crate) message: Message<'a, Vec<Block<'a>>>,
    pub(crate) parent_tool_use_id: Raw<'a>,
    pub(crate) agent_id: Raw<'a>,
    pub(crate) tool_use_result: Raw<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Message<'a, Content> {
    #[serde(borrow)]
    pub(crate) id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) model: Raw<'a>,
    #[serde(borrow)]
    pub(crate) usage: Raw<'a>,
    pub(crate) content: Content,
}

#[derive(Deserialize)]
pub(crate) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(crate) kind: Raw<'a>,
    #[serde(borrow)]
    pub(crate) text: Raw<'a>,
    #[serde(borrow)]
    pub(crate) id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) name: Raw<'a>,
    #[serde(borrow)]
    pub(crate) input: Raw<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) content: Raw<'a>,
    #[serde(borrow)]
    pub(crate) is_error: Raw<'a>,
}

#[derive(Deserialize)]
struct RawMessageLine<'a, Content> {
    #[serde(borrow, bound(deserialize = "Content: Deserialize<'de>"))]
    message: Message<'a, Content>,
    #[serde(borrow)]
    parent_tool_use_id: Raw<'a>,
    #[serde(borrow)]
    agent_id: Raw<'a>,
    #[serde(borrow)]
    tool_use_result: Raw<'a>,
}

impl<'a> MessageLine<'a> {
    pub(crate) fn read(line: &'a str) -> serde_json::Result<Self> {
        if let Ok(read) = serde_json::from_str(line) {
            return Ok(Self::with(read, |blocks| blocks));
        }
        // The content is one text, or has unexpected types.
        let read = serde_json::from_str(line)?;
        Ok(Self::with(read, |content: Raw<'a>| {
            content.items().into_iter().filter_map(Raw::parse).collect()
        }))
    }

    fn with<C>(line: RawMessageLine<'a, C>, blocks: impl FnOnce(C) -> Vec<Block<'a>>) -> Self {
        let Message { id, model, usage, content } = line.message;
        Self {
            message: Message { id, model, usage, content: blocks(content) },
            parent_tool_use_id: line.parent_tool_use_id,
            agent_id: line.agent_id,
            tool_use_result: line.tool_use_result,
        }
    }
}
