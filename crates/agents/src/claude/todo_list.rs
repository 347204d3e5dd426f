//! The agent's todo list: from_todo_write as a whole by `TodoWrite`, or updated by `TaskCreate` and `TaskUpdate`.

use serde::Deserialize;

use crate::raw::Raw;
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

#[derive(Deserialize)]
struct TodoWrite<'a> {
    #[serde(borrow)]
    todos: Raw<'a>,
}

#[derive(Deserialize)]
struct Todo<'a> {
    #[serde(borrow)]
    content: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
}

#[derive(Deserialize)]
struct TaskUpdate<'a> {
    #[serde(rename = "taskId", borrow)]
    task_id: Raw<'a>,
    #[serde(borrow)]
    subject: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
}

#[derive(Deserialize)]
struct TaskCreated<'a> {
    #[serde(borrow)]
    task: Created<'a>,
}

#[derive(Deserialize)]
struct Created<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    subject: Raw<'a>,
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
            "TodoWrite" => Some(from_todo_write(input.parse()?)),
            "TaskCreate" => {
                if self.creating.len() < MOST_TASKS {
                    self.creating.push(id.to_owned());
                }
                None
            }
            "TaskUpdate" => self.update(&input.parse()?),
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
        let TaskCreated { task } = output.parse()?;
        let item = TodoItem { text: task.subject.summary()?, state: TodoState::Pending };
        self.tasks.push(Task { id: task.id.string()?, item });
        Some(self.items())
    }

    fn update(&mut self, update: &TaskUpdate<'_>) -> Option<Vec<TodoItem>> {
        let id = update.task_id.text()?;
        let at = self.tasks.iter().position(|task| task.id == id)?;
        if update.status.is("deleted") {
            self.tasks.remove(at);
            return Some(self.items());
        }
        let item = &mut self.tasks[at].item;
        if let Some(text) = update.subject.summary() {
            item.text = text;
        }
        if update.status.is_present() {
            item.state = state(update.status);
        }
        Some(self.items())
    }

    fn items(&self) -> Vec<TodoItem> {
        self.tasks.iter().map(|task| task.item.clone()).collect()
    }
}

fn from_todo_write(TodoWrite { todos }: TodoWrite<'_>) -> Vec<TodoItem> {
    let item = |todo: Raw<'_>| {
        let todo: Todo<'_> = todo.parse()?;
        Some(TodoItem { text: todo.content.summary()?, state: state(todo.status) })
    };
    todos.items().into_iter().filter_map(item).collect()
}

fn state(status: Raw<'_>) -> TodoState {
    match status.text().as_deref() {
        Some("in_progress") => TodoState::InProgress,
        Some("completed") => TodoState::Done,
        _ => TodoState::Pending,
    }
}
