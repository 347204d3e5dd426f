//! The cost of the HTML report of a long run, compared with the JSON report of the same log.

use std::error::Error;
use std::fs;

use events::samples;

use crate::launch::{Invocation, Program};
use crate::measure::{Entrant, Scenario};
use crate::toolbox::Toolbox;

const ITERATIONS: u64 = 1_000;

/// Rendering may cost twice as much as reading, in addition.
const BUDGET: f64 = 3.0;

pub(crate) fn scenario(toolbox: &Toolbox, rounds: usize) -> Result<Scenario, Box<dyn Error>> {
    let project = toolbox.folder.join("long-run");
    let run = project.join(".ralph/runs").join(samples::RUN);
    fs::create_dir_all(&run)?;
    let events = samples::a_long_run(ITERATIONS);
    let log: String = events.iter().map(|stamped| stamped.to_line() + "\n").collect();
    fs::write(run.join("events.jsonl"), &log)?;
    let report = |format: &str| -> Invocation {
        let program: Program = toolbox.binary("ralph-loop").with(&["report", "--format", format]);
        toolbox.invocation(program, &project)
    };
    for (format, begins) in [("json", "{"), ("html", "<!")] {
        let answer = report(format).answer()?;
        if !answer.trim_start().starts_with(begins) {
            return Err(format!("report --format {format} does not begin with {begins}").into());
        }
    }
    let entrant = |format: &str, budget| Entrant {
        name: format.into(),
        budget,
        invocation: Ok(report(format)),
    };
    Ok(Scenario {
        title: format!("a report on {ITERATIONS} iterations"),
        sizes: format!(
            "{} events, {} KB; whole processes of `ralph-loop report --format …`, without git.",
            events.len(),
            log.len() / 1024
        ),
        rounds,
        entrants: vec![
            entrant("json", None),
            entrant("markdown", None),
            entrant("html", Some(BUDGET)),
        ],
    })
}
