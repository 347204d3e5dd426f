//! The overhead of a runner in each iteration, from the first to the thousandth.
//!
//! A stopwatch times agent and checks, so that starting and ending them counts as overhead.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::grid::{Grid, NOTHING, met};
use crate::launch::{Invocation, Program};
use crate::loop_project::LoopProject;
use crate::measure::ratio;
use crate::options::Load;
use crate::times::{self, Times, quantile};
use crate::toolbox::{LOOP_PEER, Toolbox};

/// Budget of an iteration in multiples of `git status --porcelain`, on an idle machine and on a
/// busy one.
const BUDGET: [f64; 2] = [2.5, 5.0];
const BUDGET_WITH_ROLLBACK: [f64; 2] = [4.0, 5.0];
const FLAT: f64 = 1.2;
pub(crate) const FILES: usize = 1_000;
/// Number of first and last iterations to compare.
const EDGE: usize = 100;
/// The peer is not checked for growth.
const PEER_ITERATIONS: usize = 100;
/// Just enough to detect growth.
const MORE_ITERATIONS: usize = 2 * EDGE + 1;
/// Other options and sizes: name, flags, files, budget.
type Variant = (&'static str, &'static [&'static str], usize, [f64; 2]);
const MORE: [Variant; 4] = [
    ("ralph-loop --handoffs", &["--handoffs"], FILES, BUDGET),
    ("ralph-loop --rollback", &["--rollback"], FILES, BUDGET_WITH_ROLLBACK),
    ("ralph-loop, 10,000 files", &[], 10_000, BUDGET),
    ("ralph-loop --separate", &["--separate"], FILES, BUDGET),
];
/// The compacting session answers with a valid account.
const SCENARIO: &str = r##"{"rules": [{"when": {"prompt": "# Ralph: compact"}, "acts": [{"structured": {
    "project_summary": "A project.", "completed_work": [], "active_constraints": [],
    "architectural_decisions": [], "file_knowledge": []}}]}]}"##;

/// The honest agent takes two iterations for each story: implementation and review.
pub(crate) fn measure(
    toolbox: &Toolbox,
    iterations: usize,
    load: Load,
    log: &mut dyn Write,
) -> Result<Grid, Box<dyn Error>> {
    let stories = iterations.div_ceil(2);
    let judged = |[quiet, busy]: [f64; 2]| {
        Some(match load {
            Load::Quiet => quiet,
            Load::OneCore => busy,
        })
    };
    writeln!(log, "measuring: {iterations} iterations of ralph-loop")?;
    let ours = RunnerProject::prepare(toolbox, "ralph-loop", FILES, stories)?;
    let times = ours.run(ours.runner(toolbox, iterations, &[]))?;
    let mut rows = vec![row("ralph-loop", &times, judged(BUDGET))];
    for (name, flags, files, budget) in MORE {
        let count = iterations.min(MORE_ITERATIONS);
        writeln!(log, "measuring: {count} iterations of {name}")?;
        let more = RunnerProject::prepare(toolbox, &name.replace([' ', ','], ""), files, stories)?;
        let times = more.run(more.runner(toolbox, count, flags))?;
        rows.push(row(name, &times, judged(budget)));
    }
    let name = "the least loop in bash + jq";
    match toolbox.jq() {
        Ok(()) => {
            let count = iterations.min(PEER_ITERATIONS);
            writeln!(log, "measuring: {count} iterations of the loop in bash")?;
            let peer = RunnerProject::prepare(toolbox, "loop-in-bash", FILES, stories)?;
            let program = toolbox.peer(LOOP_PEER, &[&count.to_string()]);
            let times = peer.run(program.with_path(&toolbox.binary("stopwatch").path))?;
            rows.push(row(name, &times, None));
        }
        Err(why) => {
            let mut row = vec![NOTHING.to_owned(); 11];
            (row[0], row[1]) = (name.into(), format!("not measured: {why}"));
            rows.push(row);
        }
    }
    let note = format!(
        "A repository of {FILES} files (one row: 10,000) and {stories} stories with 5 criteria each; the simulated \
         agent works honestly, with the hooks; the one check is `true`. All the time between the \
         start of an agent and that of the next one in which neither the agent nor a check ran. \
         Budgets: a median of so many times `git status`, and at most {FLAT} times as much in the last {EDGE} \
         iterations as in the first {EDGE}. Each ratio is to the median of `git status --porcelain` in the same \
         work tree, which the stopwatch runs after each agent."
    );
    Ok(Grid {
        title: "runner, one iteration beyond agent and checks".into(),
        note,
        columns: vec![
            "runner",
            "iterations",
            "median ms",
            "95 % ms",
            "`git status`, ms",
            "× `git status`",
            "budget",
            "first 100, ms",
            "last 100, ms",
            "last ÷ first",
            "met?",
        ],
        rows,
    })
}

/// With too few iterations to detect growth, only the median is judged.
fn row(name: &str, times: &Times, budget: Option<f64>) -> Vec<String> {
    let Times { overheads: times, statuses } = times;
    let (median, status) = (quantile(times, 0.5), quantile(statuses, 0.5));
    let mut cells = vec![
        name.to_owned(),
        (times.len() + 1).to_string(),
        milliseconds(median),
        milliseconds(quantile(times, 0.95)),
        milliseconds(status),
        format!("{:.1}", ratio(median, status)),
        budget.map_or(NOTHING.into(), |budget| format!("≤ {budget}")),
    ];
    let is_met = budget.map(|budget| ratio(median, status) <= budget);
    let judged =
        |growth: f64| is_met.map_or(NOTHING.into(), |is_met| met(&[is_met, growth <= FLAT]));
    if times.len() < 2 * EDGE {
        cells.extend([NOTHING, NOTHING, NOTHING].map(str::to_owned));
        cells.push(judged(1.0));
        return cells;
    }
    let first = quantile(&times[..EDGE], 0.5);
    let last = quantile(&times[times.len() - EDGE..], 0.5);
    let growth = ratio(last, first);
    cells.extend([milliseconds(first), milliseconds(last), format!("{growth:.2}")]);
    cells.push(judged(growth));
    cells
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}

/// A project for one runner, and its stopwatch.
pub(crate) struct RunnerProject<'t> {
    toolbox: &'t Toolbox,
    pub(crate) project: LoopProject<'t>,
    log: std::path::PathBuf,
    pub(crate) scenario: std::path::PathBuf,
}

impl<'t> RunnerProject<'t> {
    pub(crate) fn prepare(
        toolbox: &'t Toolbox,
        name: &str,
        files: usize,
        stories: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let mut project = LoopProject::create(toolbox, name, files, stories)?;
        let stopwatch = toolbox.binary("stopwatch").path;
        project.tasks["verifyCommands"] = json!([format!("'{}' -- true", stopwatch.display())]);
        project.save_tasks()?;
        // Runners write their own.
        fs::remove_file(project.root().join("ralph/prompt.md"))?;
        project.commit()?;
        project.git(&["gc", "-q"])?;
        let log = toolbox.folder.join(format!("{name}.times"));
        let scenario = toolbox.folder.join(format!("{name}.scenario.json"));
        fs::write(&scenario, SCENARIO)?;
        Ok(Self { toolbox, project, log, scenario })
    }

    pub(crate) fn runner(&self, toolbox: &Toolbox, iterations: usize, flags: &[&str]) -> Program {
        let iterations = iterations.to_string();
        toolbox
            .binary("ralph-loop")
            .with(flags)
            .with(&["-n", &iterations, "--no-sandbox", "--output", "json", "--agent-program"])
            .with_path(&toolbox.binary("stopwatch").path)
    }

    /// Runs to the end and returns the overhead of each iteration.
    pub(crate) fn run(&self, program: Program) -> Result<Times, Box<dyn Error>> {
        let mut invocation = self.invocation(program);
        let agent = self.toolbox.binary("simulated-agent").path;
        invocation.env.extend([
            ("STOPWATCH_LOG".to_owned(), self.log.clone().into_os_string()),
            ("STOPWATCH_AGENT".to_owned(), agent.into_os_string()),
            ("RALPH_SCENARIO".to_owned(), self.scenario.clone().into_os_string()),
            // The agent ignores it, but the runner requires it.
            ("IS_SANDBOX".to_owned(), "1".into()),
        ]);
        invocation.outcome()?;
        Ok(times::read(&fs::read_to_string(&self.log)?)?)
    }

    fn invocation(&self, program: Program) -> Invocation {
        self.toolbox.invocation(program, self.project.root())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(overheads: Vec<Duration>) -> Times {
        Times { overheads, statuses: vec![Duration::from_millis(10)] }
    }

    #[test]
    fn a_row_judges_the_median_and_the_growth() {
        let steady = taken(vec![Duration::from_millis(40); 300]);
        assert_eq!(
            row("r", &steady, Some(4.0)),
            ["r", "301", "40.0", "40.0", "10.0", "4.0", "≤ 4", "40.0", "40.0", "1.00", "yes"]
        );
        let growing = taken((0..300).map(|n| Duration::from_millis(20 + n / 10)).collect());
        assert_eq!(row("r", &growing, Some(5.0)).last().unwrap(), "**no**");
        assert_eq!(row("r", &steady, Some(3.9)).last().unwrap(), "**no**");
        assert_eq!(row("r", &steady, None).last().unwrap(), NOTHING);
    }

    #[test]
    fn a_short_run_says_nothing_about_growth() {
        let cells = row("r", &taken(vec![Duration::from_millis(10)]), Some(1.0));
        assert_eq!(cells[7..], [NOTHING, NOTHING, NOTHING, "yes"]);
    }
}
