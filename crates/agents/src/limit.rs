//! The usage of a subscription or an account.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq)]
pub struct UsageLimit {
    pub state: QuotaState,
    /// Unix seconds.
    pub resets_at: Option<u64>,
    /// The agent's name for the window, such as `five_hour`; empty if it gave none.
    pub window: String,
    /// A fraction: 0.5 is half of the window.
    pub utilization: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotaState {
    Allowed,
    Warning,
    Rejected,
}
