//! `rate_limit_event` lines: the usage of a subscription.

use super::decoder_state::Decoder;
use crate::decode::Emit;
use crate::raw::Object;
use crate::{AgentEvent, QuotaState, UsageLimit};

pub(super) fn decode(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    if let Some(limit) = limit(&line["rate_limit_info"].fields()) {
        decoder.limit = Some(limit.clone());
        emit(AgentEvent::Limit(limit));
    }
}

fn limit(info: &Object<'_>) -> Option<UsageLimit> {
    let state = match &*info["status"].text()? {
        "allowed" => QuotaState::Allowed,
        "allowed_warning" => QuotaState::Warning,
        "rejected" => QuotaState::Rejected,
        _ => return None,
    };
    Some(UsageLimit {
        state,
        resets_at: info["resetsAt"].whole(),
        window: info["rateLimitType"].string().unwrap_or_default(),
        utilization: info["utilization"].number(),
    })
}
