//! Templates of prompts: comments, variables, fenced text.

pub(crate) mod built_in;
pub(crate) mod comments;
pub(crate) mod fence;
pub(crate) mod variables;

pub(crate) use comments::without_comments;
pub(crate) use fence::{block_quote, fenced, fenced_agent_text, list_item};
pub(crate) use variables::{ExpandedText, Variables, expand};
