//! Asks on a terminal whether to resume an incomplete run or to start afresh.

use chrono::Local;
use engine::{RunOptions, StartMode};
use events::RunEnd;

use crate::cli::{LoopArgs, OutputFormat};
use crate::dialogue::{self, NoAnswer, RunLimits, Terminal};

/// `None` if no question is needed: a flag decides, the output is for machines, there is no terminal, or the last
/// run leaves no choice.
pub(super) fn ask_start(args: &LoopArgs, run: &RunOptions) -> Result<Option<StartMode>, NoAnswer> {
    if args.resume || args.fresh || args.output != OutputFormat::Human {
        return Ok(None);
    }
    let last = engine::last_run(&run.layout)
        .filter(|last| !last.resumes_automatically && last.ended != Some(RunEnd::Complete));
    let Some(last) = last else { return Ok(None) };
    let Some(mut terminal) = Terminal::open().map_err(NoAnswer::Failed)? else { return Ok(None) };
    let allowed = RunLimits {
        iterations: run.policy.max_iterations,
        seconds: run.limits.run.hard.map(|time| time.as_secs_f64()),
        cost_usd: run.policy.max_cost_usd,
    };
    let now = (events::now(), *events::now().with_timezone(&Local).offset());
    dialogue::fresh_or_resume(&last, allowed, now, &mut terminal).map(Some)
}
