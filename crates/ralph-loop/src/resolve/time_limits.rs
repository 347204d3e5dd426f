//! Time limits from the settings, with the defaults of the loop and the multiplier applied.

use std::time::Duration;

use anyhow::Result;
use engine::{TimeLimit, TimeLimits};
use settings::{LoadedSettings, Source, TimeSpan};

use super::{LoopDefaults, place};
use crate::command_error::precondition;

pub(crate) fn time_limits(loaded: &LoadedSettings, kind: &LoopDefaults) -> Result<TimeLimits> {
    let set = &loaded.settings.time_limits;
    let by = set.multiplier;
    let limit = |soft_key, soft, key, hard| {
        drop_late_warning(loaded, [soft_key, key], TimeLimit { soft, hard }).map(|limit| {
            TimeLimit {
                soft: limit.soft.map(|time| multiplied(time, by)),
                hard: limit.hard.map(|time| multiplied(time, by)),
            }
        })
    };
    let or = |set: Option<TimeSpan>, own: Option<Duration>| set.map_or(own, TimeSpan::limit);
    Ok(TimeLimits {
        run: limit(
            "timeLimits.runSoft",
            or(set.run_soft, kind.run.soft),
            "timeLimits.run",
            or(set.run, kind.run.hard),
        )?,
        implement: limit(
            "timeLimits.iterationSoft",
            or(set.iteration_soft, kind.session.soft),
            "timeLimits.iteration",
            or(set.iteration, kind.session.hard),
        )?,
        review: limit(
            "timeLimits.reviewSoft",
            set.review_soft.limit(),
            "timeLimits.review",
            set.review.limit(),
        )?,
        check: limit(
            "timeLimits.guardrailSoft",
            set.guardrail_soft.limit(),
            "timeLimits.guardrail",
            set.guardrail.limit(),
        )?,
        quality: limit(
            "timeLimits.qualitySoft",
            set.quality_soft.limit(),
            "timeLimits.quality",
            set.quality.limit(),
        )?,
        memory: limit(
            "timeLimits.memorySoft",
            set.memory_soft.limit(),
            "timeLimits.memory",
            set.memory.limit(),
        )?,
        idle: set.idle.limit().map(|time| multiplied(time, by)),
        linger: set.linger.duration(),
        ..TimeLimits::default()
    })
}

/// Saturates at `Duration::MAX`.
pub(super) fn multiplied(time: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * by).unwrap_or(Duration::MAX)
}

/// A warning must come before its limit ends the work. Otherwise it is an error, unless the warning is a default or a
/// flag sets the limit: then the warning is dropped.
fn drop_late_warning(
    loaded: &LoadedSettings,
    [soft_key, key]: [&str; 2],
    limit: TimeLimit,
) -> Result<TimeLimit> {
    let TimeLimit { soft: Some(soft), hard: Some(hard) } = limit else { return Ok(limit) };
    if soft < hard {
        return Ok(limit);
    }
    let is_dropped = *loaded.source(soft_key) == Source::Default
        || matches!(loaded.source(key), Source::Flag(_));
    if is_dropped {
        return Ok(TimeLimit { soft: None, ..limit });
    }
    let [soft, hard] = [soft, hard].map(humantime::format_duration);
    Err(precondition(
        format!("{}: the warning after {soft} comes too late", place(loaded, soft_key)),
        format!(
            "{key} ends the work after {hard}: lower the warning, raise the limit, or use \"0s\" for none"
        ),
    ))
}

#[cfg(test)]
mod tests;
