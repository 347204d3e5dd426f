//! The agent's todo list: from_todo_write as a whole by `TodoWrite`, or updated by `TaskCreate` and `TaskUpdate`.

use crate::raw::{Object, Raw};
use crate::{TodoItem, TodoState};

/// The maximum of pending `TaskCreate` calls and of tasks, because every change emits the whole list.
const MOST_TASKS: usize = 500;

#[derive(Debug, Default)]
pub(super) struct TodoList {
    /// Pending calls of `TaskCreate`: the result contains the task's id.
    creating: Vec<String>,
    tasks: Vec<Task>,
}

#[derive(Debug)]
struct Task {
    id: String,
    item: TodoItem,
}

impl TodoList {
    /// The whole list, if this call changes it.
    pub(super) fn tool_started(
        &mut self,
        id: &str,
        name: &str,
        input: Raw<'_>,
    ) -> Option<Vec<TodoItem>> {
        match name {
            "TodoWrite" => {
                let input: Object<'_> = input.parse()?;
                Some(input["todos"].objects().iter().filter_map(todo).collect())
            }
            "TaskCreate" => {
                if self.creating.len() < MOST_TASKS {
                    self.creating.push(id.to_owned());
                }
                None
            }
            "TaskUpdate" => self.update(&input.fields()),
            _ => None,
        }
    }

    /// The whole list, if this result changes it.
    pub(super) fn tool_ended(&mut self, id: &str, output: Raw<'_>) -> Option<Vec<TodoItem>> {
        let at = self.creating.iter().position(|creating| creating == id)?;
        self.creating.swap_remove(at);
        if self.tasks.len() == MOST_TASKS {
            return None;
        }
        let task = output.fields()["task"].fields();
        let item = TodoItem { text: task["subject"].summary()?, state: TodoState::Pending };
        self.tasks.push(Task { id: task["id"].string()?, item });
        Some(self.items())
    }

    fn update(&mut self, update: &Object<'_>) -> Option<Vec<TodoItem>> {
        let id = update["taskId"].text()?;
        let at = self.tasks.iter().position(|task| task.id == id)?;
        if update["status"].is("deleted") {
            self.tasks.remove(at);
            return Some(self.items());
        }
        let item = &mut self.tasks[at].item;
        if let Some(text) = update["subject"].summary() {
            item.text = text;
        }
        if update["status"].is_present() {
            item.state = state(update["status"]);
        }
        Some(self.items())
    }

    fn items(&self) -> Vec<TodoItem> {
        self.tasks.iter().map(|task| task.item.clone()).collect()
    }
}

fn todo(todo: &Object<'_>) -> Option<TodoItem> {
    Some(TodoItem { text: todo["content"].summary()?, state: state(todo["status"]) })
}

fn state(status: Raw<'_>) -> TodoState {
    match status.text().as_deref() {
        Some("in_progress") => TodoState::InProgress,
        Some("completed") => TodoState::Done,
        _ => TodoState::Pending,
    }
}
