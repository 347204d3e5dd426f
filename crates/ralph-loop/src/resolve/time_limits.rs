//! Time limits from the settings, with the defaults of the loop and the multiplier applied.

use std::time::Duration;

use anyhow::Result;
use engine::{TimeLimit, TimeLimits};
use run_options::TimeSpan;
use settings::{LoadedSettings, Source};

use super::{LoopDefaults, place};
use crate::command_error::precondition;

/// From a polite signal to a kill.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) fn time_limits(loaded: &LoadedSettings, kind: &LoopDefaults) -> Result<TimeLimits> {
    let set = &loaded.settings.time_limits;
    let by = set.multiplier;
    let limit = |key: &str, soft, hard| -> Result<TimeLimit> {
        let keys = [format!("timeLimits.{key}Soft"), format!("timeLimits.{key}")];
        let limit = drop_late_warning(loaded, keys, TimeLimit { soft, hard })?;
        let multiplied = |time: Option<Duration>| time.map(|time| multiplied(time, by));
        Ok(TimeLimit { soft: multiplied(limit.soft), hard: multiplied(limit.hard) })
    };
    let or = |set: Option<TimeSpan>, own: Option<Duration>| set.map_or(own, TimeSpan::limit);
    let (run_soft, run) = (or(set.run_soft, kind.run.soft), or(set.run, kind.run.hard));
    let soft = or(set.iteration_soft, kind.session.soft);
    let hard = or(set.iteration, kind.session.hard);
    Ok(TimeLimits {
        run: limit("run", run_soft, run)?,
        implement: limit("iteration", soft, hard)?,
        review: limit("review", set.review_soft.limit(), set.review.limit())?,
        check: limit("guardrail", set.guardrail_soft.limit(), set.guardrail.limit())?,
        quality: limit("quality", set.quality_soft.limit(), set.quality.limit())?,
        memory: limit("memory", set.memory_soft.limit(), set.memory.limit())?,
        idle: set.idle.limit().map(|time| multiplied(time, by)),
        grace: GRACE,
        linger: set.linger.duration(),
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
    [soft_key, key]: [String; 2],
    limit: TimeLimit,
) -> Result<TimeLimit> {
    let TimeLimit { soft: Some(soft), hard: Some(hard) } = limit else { return Ok(limit) };
    if soft < hard {
        return Ok(limit);
    }
    let is_dropped = *loaded.source(&soft_key) == Source::Default
        || matches!(loaded.source(&key), Source::Flag(_));
    if is_dropped {
        return Ok(TimeLimit { soft: None, ..limit });
    }
    let [soft, hard] = [soft, hard].map(humantime::format_duration);
    Err(precondition(
        format!("{}: the warning after {soft} comes too late", place(loaded, &soft_key)),
        format!(
            "{key} ends the work after {hard}: lower the warning, raise the limit, or use \"0s\" for none"
        ),
    ))
}

#[cfg(test)]
mod tests;
