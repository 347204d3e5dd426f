//! Ids of runs.

/// Sorts by time, and is unique even for two runs in the same second.
pub(crate) fn new_run_id() -> String {
    format!("{}-{}", events::now().format("%Y%m%d-%H%M%S"), random(4))
}

/// Up to 32 hexadecimal digits.
pub(crate) fn random(digits: usize) -> String {
    uuid::Uuid::new_v4().simple().to_string().chars().take(digits).collect()
}
