//! The agent's to-do list with its progress.

use events::{TodoItem, TodoState};

use super::LineRenderer;
use crate::report::{Line, Role, TodoView, per_cent};

impl LineRenderer {
    /// Empty if the list did not change.
    pub(super) fn todo(&self, items: &[TodoItem], before: Option<&TodoView>) -> Vec<Line> {
        let now = TodoView::of(items);
        if items.is_empty() || before == Some(&now) {
            return Vec::new();
        }
        let marks = &self.look.marks.todo;
        let mut lines = vec![
            Line::indented(2)
                .with(Role::Accent, marks.list)
                .with(Role::Plain, " ")
                .with(Role::Strong, "Todo List"),
        ];
        lines.extend(now.items.iter().map(|item| self.todo_item(item)));
        let progress = format!(
            "{} Progress: {}/{} ({})",
            marks.progress,
            now.done,
            now.of,
            per_cent(now.done, now.of)
        );
        lines.push(Line::indented(4).with(Role::Plain, progress));
        lines
    }

    fn todo_item(&self, item: &TodoItem) -> Line {
        let marks = &self.look.marks.todo;
        let (mark, role, after) = match item.state {
            TodoState::Done => (marks.done, Role::Dim, String::new()),
            TodoState::InProgress => {
                (marks.active, Role::Strong, format!(" {} ACTIVE", marks.pointer))
            }
            TodoState::Pending => (marks.pending, Role::Plain, String::new()),
        };
        let after = Line::empty().with(Role::Accent, after);
        let line = Line::indented(4).with(Role::Plain, format!("{mark} ")).with(role, &item.text);
        let line = match self.look.width {
            Some(width) => line.cut(width.saturating_sub(after.width()), self.look.marks.ellipsis),
            None => line,
        };
        self.one_line(line.append(after))
    }
}
