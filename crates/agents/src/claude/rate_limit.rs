//! `rate_limit_event` lines: the usage of a subscription.

use serde::Deserialize;

use super::decoder::Decoder;
use crate::raw::Raw;
use crate::{AgentEvent, QuotaState, UsageLimit};

#[derive(Deserialize)]
struct RateLimitLine<'a> {
    #[serde(borrow)]
    rate_limit_info: Raw<'a>,
}

#[derive(Deserialize)]
struct RateLimitInfo<'a> {
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(rename = "resetsAt", borrow)]
    resets_at: Raw<'a>,
    #[serde(rename = "rateLimitType", borrow)]
    window: Raw<'a>,
    #[serde(borrow)]
    utilization: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let RateLimitLine { rate_limit_info } = serde_json::from_str(line)?;
    if let Some(limit) = rate_limit_info.parse().and_then(limit) {
        decoder.limit = Some(limit.clone());
        emit(AgentEvent::Limit(limit));
    }
    Ok(())
}

fn limit(info: RateLimitInfo<'_>) -> Option<UsageLimit> {
    let state = match &*info.status.text()? {
        "allowed" => QuotaState::Allowed,
        "allowed_warning" => QuotaState::Warning,
        "rejected" => QuotaState::Rejected,
        _ => return None,
    };
    Some(UsageLimit {
        state,
        resets_at: info.resets_at.whole(),
        window: info.window.string().unwrap_or_default(),
        utilization: info.utilization.number(),
    })
}
