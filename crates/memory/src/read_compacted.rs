//! Parses a compacted context from an agent's text, as tolerantly as handoffs: only a
//! project summary is required.

use serde_json::Value;

use crate::compacted::{ActiveConstraint, CompactedContext, FileKnowledge, LibraryDocs};
use crate::problem::Problem;
use crate::reader::Presence::{Optional, Required};
use crate::reader::{JsonPlace, Reader};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadCompacted {
    Whole(CompactedContext),
    Repaired { context: CompactedContext, problems: Vec<Problem> },
    Unusable(Vec<Problem>),
}

/// Keeps what is valid: at most 200 entries per list and 4,000 characters per text.
pub fn read_compacted(value: &Value) -> ReadCompacted {
    let mut reader = Reader::default();
    match context(&mut reader, value) {
        None => ReadCompacted::Unusable(reader.problems),
        Some(context) if reader.problems.is_empty() => ReadCompacted::Whole(context),
        Some(context) => ReadCompacted::Repaired { context, problems: reader.problems },
    }
}

fn context(reader: &mut Reader, value: &Value) -> Option<CompactedContext> {
    let whole = JsonPlace { fields: reader.object(value, "")?, at: "" };
    Some(CompactedContext {
        project_summary: reader.text(whole, "project_summary")?,
        completed_work: reader.texts(whole, "completed_work", Required),
        active_constraints: reader.objects(whole, "active_constraints", Required, constraint),
        architectural_decisions: reader.texts(whole, "architectural_decisions", Required),
        unresolved_issues: reader.texts(whole, "unresolved_issues", Optional),
        file_knowledge: reader.objects(whole, "file_knowledge", Required, file),
        library_docs: reader.objects(whole, "library_docs", Optional, library),
    })
}

fn constraint(reader: &mut Reader, place: JsonPlace<'_>) -> Option<ActiveConstraint> {
    Some(ActiveConstraint {
        constraint: reader.text(place, "constraint")?,
        source_iteration: reader.text_if_any(place, "source_iteration"),
    })
}

fn file(reader: &mut Reader, place: JsonPlace<'_>) -> Option<FileKnowledge> {
    Some(FileKnowledge {
        path: reader.text(place, "path")?,
        purpose: reader.text(place, "purpose")?,
    })
}

fn library(reader: &mut Reader, place: JsonPlace<'_>) -> Option<LibraryDocs> {
    Some(LibraryDocs {
        library: reader.text(place, "library")?,
        key_apis: reader.text(place, "key_apis")?,
        usage_notes: reader.text_if_any(place, "usage_notes"),
    })
}
