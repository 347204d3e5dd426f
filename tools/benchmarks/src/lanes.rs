//! How much faster several lanes are than one, and how soon a new lane is ready.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use events::{LoopEvent, Stamped};
use serde_json::json;

use crate::grid::{Grid, NOTHING, met};
use crate::launch::{Invocation, Program};
use crate::loop_project::LoopProject;
use crate::measure::ratio;
use crate::toolbox::Toolbox;

const STORIES: usize = 12;
/// Milliseconds of each session.
const SESSION_MS: &str = "2000";
/// Four lanes must be so many times as fast as one.
const LEAST_GAIN: f64 = 3.3;
const FILES: usize = 10_000;
/// A lane must be ready within so many times a checkout of the same files.
const MOST_FOR_A_LANE: f64 = 2.0;
const ROUNDS: usize = 3;

pub(crate) fn measure(toolbox: &Toolbox, log: &mut dyn Write) -> Result<Grid, Box<dyn Error>> {
    let mut rows = Vec::new();
    let mut alone = None;
    for flags in [&["-j", "1", "--separate"][..], &["-j", "4"]] {
        let name = flags.join(" ");
        writeln!(log, "measuring: {STORIES} stories with {name}")?;
        let project = project(toolbox, &name.replace(' ', ""), 100, STORIES)?;
        let taken = run(toolbox, &project, flags)?.taken;
        let gain = alone.map(|alone| ratio(alone, taken));
        alone = alone.or(Some(taken));
        rows.push(vec![
            format!("ralph-loop {name}"),
            format!("{:.1}", taken.as_secs_f64()),
            gain.map_or(NOTHING.into(), |gain| format!("{gain:.1}")),
            gain.map_or(NOTHING.into(), |_| format!("≥ {LEAST_GAIN}")),
            gain.map_or(NOTHING.into(), |gain| met(&[gain >= LEAST_GAIN])),
        ]);
    }
    writeln!(log, "measuring: a new lane with {FILES} files")?;
    let (mut ready, mut checkouts) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let project = project(toolbox, &format!("new-lane-{round}"), FILES, 1)?;
        checkouts.push(checkout(toolbox, &project, round)?);
        ready.push(run(toolbox, &project, &["--separate"])?.first_lane);
    }
    let (ready, checkout) = (ready.iter().min(), checkouts.iter().min());
    let (ready, checkout) = ready.zip(checkout).ok_or("nothing was measured")?;
    let times = ratio(*ready, *checkout);
    rows.push(vec![
        format!("a new lane, {FILES} files; in checkouts"),
        format!("{:.2}", ready.as_secs_f64()),
        format!("{times:.1}"),
        format!("≤ {MOST_FOR_A_LANE}"),
        met(&[times <= MOST_FOR_A_LANE]),
    ]);
    Ok(Grid {
        title: "runner, several lanes".into(),
        note: format!(
            "{STORIES} independent stories; the simulated agent takes {SESSION_MS} ms for each implementation and \
             each review, and the check is `true`. The gain is the time of the first row divided by that of the \
             second. A new lane: the least of {ROUNDS} rounds from the start of the run, which has its verification \
             clone then, to the first session; compared with `git checkout` into an empty clone."
        ),
        columns: vec!["runner", "seconds", "ratio", "budget", "met?"],
        rows,
    })
}

/// A committed project whose stories do not depend on each other.
fn project<'t>(
    toolbox: &'t Toolbox,
    name: &str,
    files: usize,
    stories: usize,
) -> Result<LoopProject<'t>, Box<dyn Error>> {
    let mut project = LoopProject::create(toolbox, name, files, stories)?;
    project.tasks["verifyCommands"] = json!(["true"]);
    for story in project.tasks["userStories"].as_array_mut().into_iter().flatten() {
        story["dependsOn"] = json!([]);
    }
    project.save_tasks()?;
    // Runners write their own.
    fs::remove_file(project.root().join("ralph/prompt.md"))?;
    project.commit()?;
    project.git(&["gc", "-q"])?;
    Ok(project)
}

struct Measured {
    taken: Duration,
    /// From the start of the run to the first session.
    first_lane: Duration,
}

fn run(
    toolbox: &Toolbox,
    project: &LoopProject<'_>,
    flags: &[&str],
) -> Result<Measured, Box<dyn Error>> {
    let lanes = toolbox.folder.join("lanes");
    let program: Program = toolbox
        .binary("ralph-loop")
        .with(flags)
        .with(&["--no-sandbox", "--output", "json", "--lanes-dir"])
        .with_path(&lanes)
        .with(&["--agent-program"])
        .with_path(&toolbox.binary("stopwatch").path);
    let mut invocation: Invocation = toolbox.invocation(program, project.root());
    let agent = toolbox.binary("simulated-agent").path;
    invocation.env.extend([
        ("STOPWATCH_LOG".to_owned(), toolbox.folder.join("lanes.times").into_os_string()),
        ("STOPWATCH_AGENT".to_owned(), agent.into_os_string()),
        ("STOPWATCH_AGENT_MS".to_owned(), SESSION_MS.into()),
        // The agent ignores it, but the runner requires it.
        ("IS_SANDBOX".to_owned(), "1".into()),
    ]);
    let began = Instant::now();
    let printed = invocation.answer()?;
    let taken = began.elapsed();
    fs::remove_dir_all(&lanes)?;
    let events: Vec<Stamped> =
        printed.lines().filter_map(|line| Stamped::from_line(line.as_bytes()).ok()).collect();
    let at = |wanted: fn(&LoopEvent) -> bool| {
        events.iter().find(|stamped| wanted(&stamped.event)).map(|stamped| stamped.at)
    };
    let started = at(|event| matches!(event, LoopEvent::RunStarted { .. }));
    let session = at(|event| matches!(event, LoopEvent::IterationStarted(_)));
    let (started, session) = started.zip(session).ok_or("the run did not start a session")?;
    Ok(Measured { taken, first_lane: (session - started).to_std()? })
}

fn checkout(
    toolbox: &Toolbox,
    project: &LoopProject<'_>,
    round: usize,
) -> Result<Duration, Box<dyn Error>> {
    let folder = toolbox.folder.join(format!("checkout-{round}"));
    let name = folder.to_string_lossy();
    project.git(&["clone", "-q", "--shared", "--no-checkout", ".", &name])?;
    let began = Instant::now();
    project.git(&["-C", &name, "checkout", "-q", "main"])?;
    let taken = began.elapsed();
    fs::remove_dir_all(&folder)?;
    Ok(taken)
}
