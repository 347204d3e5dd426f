//! How a run starts after one that ended before completion: people on a terminal are asked.

use chrono::Local;
use engine::{GoesOn, RunEnd, RunOptions, Start};

use crate::cli::{LoopArgs, OutputFormat};
use crate::dialogue::{self, Allowed, Silence, Terminal};

/// `None` where nobody is asked: a flag says it, a machine reads along, nobody sits there, or it is
/// plain from how the last run ended.
pub(super) fn asked(args: &LoopArgs, run: &RunOptions) -> Result<Option<Start>, Silence> {
    if args.resume || args.fresh || args.output != OutputFormat::Human {
        return Ok(None);
    }
    let last = engine::last_run(&run.layout)
        .filter(|last| last.goes_on == GoesOn::IfAsked && last.ended != Some(RunEnd::Complete));
    let Some(last) = last else { return Ok(None) };
    let Some(mut terminal) = Terminal::open().map_err(Silence::Failed)? else { return Ok(None) };
    let allowed = Allowed {
        iterations: run.policy.max_iterations,
        seconds: run.limits.run.hard.map(|time| time.as_secs_f64()),
        cost_usd: run.policy.max_cost_usd,
    };
    let now = (engine::now(), *engine::now().with_timezone(&Local).offset());
    dialogue::fresh_or_resume(&last, allowed, now, &mut terminal).map(Some)
}
