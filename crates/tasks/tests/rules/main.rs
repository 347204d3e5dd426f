//! The rules of the task list, table by table.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

mod amend;
mod amend_properties;
mod amend_refused;
mod correct;
mod correct_properties;
mod correct_review;
mod edit;
mod fixed_fields;
mod hostile;
mod invariants;
mod json_schema;
mod keep_progress;
mod properties;
mod schema;
mod selection;
mod support;
mod transitions;
