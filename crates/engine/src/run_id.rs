//! Names for runs.

/// Sorts by time, and is new even if two runs begin in one second.
pub(crate) fn new_run_id() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("{}-{}", crate::now().format("%Y%m%d-%H%M%S"), &random[..4])
}
