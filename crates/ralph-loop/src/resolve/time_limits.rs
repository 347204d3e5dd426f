//! From the settings to how long things may take: what they leave open is the loop's to say, and the
//! multiplier is in it.

use std::time::Duration;

use anyhow::Result;
use engine::{TimeLimit, TimeLimits};
use settings::{Loaded, Source, TimeSpan};

use super::{Loop, place};
use crate::command_error::precondition;

pub(crate) fn time_limits(loaded: &Loaded, kind: &Loop) -> Result<TimeLimits> {
    let set = &loaded.settings.time_limits;
    let by = set.multiplier;
    let limit = |soft_key, soft, key, hard| {
        warned_first(loaded, [soft_key, key], TimeLimit { soft, hard }).map(|limit| TimeLimit {
            soft: limit.soft.map(|time| times(time, by)),
            hard: limit.hard.map(|time| times(time, by)),
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
        idle: set.idle.limit().map(|time| times(time, by)),
        linger: set.linger.duration(),
        ..TimeLimits::default()
    })
}

/// The longest there is, where it would be longer.
pub(super) fn times(time: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * by).unwrap_or(Duration::MAX)
}

/// A warning that comes when all is over warns nobody. Whoever wrote it is told; a default gives way,
/// and so does what a file says to a flag, which holds for this run alone.
fn warned_first(
    loaded: &Loaded,
    [soft_key, key]: [&str; 2],
    limit: TimeLimit,
) -> Result<TimeLimit> {
    let TimeLimit { soft: Some(soft), hard: Some(hard) } = limit else { return Ok(limit) };
    if soft < hard {
        return Ok(limit);
    }
    let gives_way = *loaded.source(soft_key) == Source::Default
        || matches!(loaded.source(key), Source::Flag(_));
    if gives_way {
        return Ok(TimeLimit { soft: None, ..limit });
    }
    let [soft, hard] = [soft, hard].map(humantime::format_duration);
    Err(precondition(
        format!("{}: a warning after {soft} is of no use", place(loaded, soft_key)),
        format!("{key} ends it after {hard}: make one shorter or the other longer; \"0s\" is none"),
    ))
}

#[cfg(test)]
mod tests;
