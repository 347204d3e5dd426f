//! What the decoder remembers between lines.

use super::todo_list::TodoList;
use crate::UsageLimit;

#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pub(super) model: Option<String>,
    pub(super) counted_message: Option<String>,
    pub(super) limit: Option<UsageLimit>,
    pub(super) todo: TodoList,
}
