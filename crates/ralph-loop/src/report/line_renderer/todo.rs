//! The agent's to-do list with its progress.

use events::{TodoItem, TodoState, TodoView};

use super::LineRenderer;
use crate::report::{Line, Role, per_cent};

impl LineRenderer {
    /// Empty if the list did not change.
    pub(super) fn todo(&self, items: &[TodoItem], before: Option<&TodoView>) -> Vec<Line> {
        let now = TodoView::of(items);
        if items.is_empty() || before == Some(&now) {
            return Vec::new();
        }
        let [list, .., chart, _] = self.look.marks.todo;
        let head = Line::indented(2).with(Role::Accent, list).with(Role::Plain, " ");
        let share = per_cent(now.done, now.of);
        let progress = format!("{chart} Progress: {}/{} ({share})", now.done, now.of);
        std::iter::once(head.with(Role::Strong, "Todo List"))
            .chain(now.items.iter().map(|item| self.todo_item(item)))
            .chain([Line::indented(4).with(Role::Plain, progress)])
            .collect()
    }

    fn todo_item(&self, item: &TodoItem) -> Line {
        let [_, done, active, pending, _, pointer] = self.look.marks.todo;
        let (mark, role, after) = match item.state {
            TodoState::Done => (done, Role::Dim, String::new()),
            TodoState::InProgress => (active, Role::Strong, format!(" {pointer} ACTIVE")),
            TodoState::Pending => (pending, Role::Plain, String::new()),
        };
        let after = Line::empty().with(Role::Accent, after);
        let line = Line::indented(4).with(Role::Plain, format!("{mark} ")).with(role, &item.text);
        let space = self.look.columns().saturating_sub(after.width());
        self.look.cut(line.cut(space, self.look.marks.ellipsis).append(after))
    }
}
