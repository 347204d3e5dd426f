//! The compacted knowledge of many iterations, and its form in a prompt.

use serde::{Deserialize, Serialize};

use crate::item::Item;

/// The JSON schema of a [`CompactedContext`], for agents that support schemas.
pub const COMPACTED_SCHEMA: &str = include_str!("../../../schemas/compacted-context.schema.json");

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactedContext {
    pub project_summary: String,
    /// Oldest first.
    pub completed_work: Vec<String>,
    pub active_constraints: Vec<ActiveConstraint>,
    pub architectural_decisions: Vec<String>,
    #[serde(default)]
    pub unresolved_issues: Vec<String>,
    pub file_knowledge: Vec<FileKnowledge>,
    #[serde(default)]
    pub library_docs: Vec<LibraryDocs>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveConstraint {
    pub constraint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_iteration: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileKnowledge {
    pub path: String,
    pub purpose: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryDocs {
    pub library: String,
    pub key_apis: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_notes: Option<String>,
}

impl CompactedContext {
    /// By falling importance, because items are cut from the end. Completed work is newest first for the same
    /// reason, and its heading says so.
    pub fn items(&self) -> Vec<Item> {
        let constraints = self.active_constraints.iter().map(|active| &active.constraint);
        let mut items = vec![Item::grouped("Project state", &self.project_summary)];
        items.extend(list("Active constraints (do not violate)", constraints));
        items.extend(list("Architecture decisions (follow these)", &self.architectural_decisions));
        items.extend(list("Unresolved issues", &self.unresolved_issues));
        items.extend(list("Completed work (newest first)", self.completed_work.iter().rev()));
        let docs = self.library_docs.iter().map(|docs| {
            let notes = docs.usage_notes.as_deref().unwrap_or_default();
            format!("**{}**: {}\n{notes}", docs.library, docs.key_apis)
        });
        items.extend(list("Library reference", docs));
        let files = self.file_knowledge.iter().map(|it| format!("{}: {}", it.path, it.purpose));
        items.extend(list("Files", files));
        items
    }
}

fn list<T: Into<String>>(
    group: &str,
    texts: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = Item> {
    texts.into_iter().map(move |text| Item::grouped(group, text))
}
