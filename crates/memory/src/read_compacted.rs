//! Parses a compacted context from an agent's text, as tolerantly as handoffs: only a
//! project summary is required.

use json_reader::Json;
use serde_json::Value;

use crate::compacted::{ActiveConstraint, CompactedContext, FileKnowledge, LibraryDocs};
use crate::problem::Problems;
use crate::reader::Presence::{Optional, Required};
use crate::reader::{Fields, objects, text, text_if_any, texts, whole};

/// Keeps what is valid: at most 200 entries per list and 4,000 characters per text. Also returns all problems.
pub fn read_compacted(value: &Value) -> (Option<CompactedContext>, Vec<String>) {
    let mut problems = Problems::default();
    (context(value, &mut problems), problems.0)
}

fn context(value: &Value, problems: &mut Problems) -> Option<CompactedContext> {
    let json = Json::from(value);
    let fields = &mut whole(&json, problems)?;
    Some(CompactedContext {
        project_summary: text(fields, "project_summary")?,
        completed_work: texts(fields, "completed_work", Required),
        active_constraints: objects(fields, "active_constraints", Required, constraint),
        architectural_decisions: texts(fields, "architectural_decisions", Required),
        unresolved_issues: texts(fields, "unresolved_issues", Optional),
        file_knowledge: objects(fields, "file_knowledge", Required, file),
        library_docs: objects(fields, "library_docs", Optional, library),
    })
}

fn constraint(fields: &mut Fields<'_, '_>) -> Option<ActiveConstraint> {
    Some(ActiveConstraint {
        constraint: text(fields, "constraint")?,
        source_iteration: text_if_any(fields, "source_iteration"),
    })
}

fn file(fields: &mut Fields<'_, '_>) -> Option<FileKnowledge> {
    Some(FileKnowledge { path: text(fields, "path")?, purpose: text(fields, "purpose")? })
}

fn library(fields: &mut Fields<'_, '_>) -> Option<LibraryDocs> {
    Some(LibraryDocs {
        library: text(fields, "library")?,
        key_apis: text(fields, "key_apis")?,
        usage_notes: text_if_any(fields, "usage_notes"),
    })
}
