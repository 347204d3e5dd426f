//! What a proof costs the runner for each story, beyond the sessions and the tests themselves.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::grid::Grid;
use crate::iterations::{FILES, RunnerProject, milliseconds};
use crate::measure::ratio;
use crate::task_list;
use crate::times::{Times, quantile};
use crate::toolbox::Toolbox;

const TEST_RUNNER: &str = include_str!("../../../templates/demo/run-tests.sh");
/// In each round.
const MOST_STORIES: usize = 50;
/// The variants take turns, so that a slow phase of the machine affects both.
const ROUNDS: usize = 3;
/// Name, flags, and sessions of each story: implementation and review, with a proof also specify.
const VARIANTS: [(&str, &[&str], usize); 2] =
    [("ralph-loop", &[], 2), ("ralph-loop --proof", &["--proof"], 3)];

/// Times of stories, and of `git status`.
#[derive(Default)]
struct Measured {
    stories: Vec<Duration>,
    statuses: Vec<Duration>,
}

pub(crate) fn measure(
    toolbox: &Toolbox,
    iterations: usize,
    log: &mut dyn Write,
) -> Result<Grid, Box<dyn Error>> {
    // The last story is not measured.
    let stories = iterations.div_ceil(2 * ROUNDS).clamp(2, MOST_STORIES);
    let mut measured: [Measured; 2] = Default::default();
    for round in 0..ROUNDS {
        for ((name, flags, sessions), measured) in VARIANTS.into_iter().zip(&mut measured) {
            writeln!(log, "measuring: {stories} stories of {name}")?;
            let folder = format!("stories{}-{round}", flags.concat());
            let times = run(toolbox, &folder, flags, (stories, sessions))?;
            measured.stories.extend(of_stories(&times, sessions));
            measured.statuses.extend(times.statuses);
        }
    }
    let without = quantile(&measured[0].stories, 0.5);
    let row = |(name, measured): (&str, &Measured)| {
        let (median, status) =
            (quantile(&measured.stories, 0.5), quantile(&measured.statuses, 0.5));
        let milliseconds = [median, status].map(milliseconds);
        let ratios = [ratio(median, status), ratio(median, without)];
        let ratios = ratios.map(|ratio| format!("{ratio:.1}"));
        [vec![name.to_owned()], milliseconds.into(), ratios.into()].concat()
    };
    let names = VARIANTS.map(|(name, ..)| name);
    Ok(Grid {
        title: "runner, one story beyond agent, checks and tests".into(),
        note: format!(
            "{ROUNDS} rounds of {stories} stories in a repository of {FILES} files, otherwise as above. A story has \
             one test, a shell script, for all its criteria. All the time of its iterations in which neither the \
             agent nor a check nor the script ran."
        ),
        columns: vec![
            "runner",
            "median ms",
            "`git status`, ms",
            "× `git status`",
            "× without proof",
        ],
        rows: names.into_iter().zip(&measured).map(row).collect(),
    })
}

fn run(
    toolbox: &Toolbox,
    folder: &str,
    flags: &[&str],
    (stories, sessions): (usize, usize),
) -> Result<Times, Box<dyn Error>> {
    let ours = RunnerProject::prepare(toolbox, folder, FILES, stories)?;
    let stopwatch = toolbox.binary("stopwatch").path;
    let run = format!("REPORT={{junit}} '{}' -- sh tests/run.sh {{tests}}", stopwatch.display());
    ours.project.write("tests/run.sh", TEST_RUNNER)?;
    ours.project.write(".ralph/settings.json", &json!({"proof": {"run": run}}).to_string())?;
    ours.project.commit()?;
    fs::write(&ours.scenario, scenario(&ours.project.tasks).to_string())?;
    let all = stories * sessions;
    // A failed attempt would take more.
    let times = ours.run(ours.runner(toolbox, 2 * all, flags))?;
    let taken = times.overheads.len() + 1;
    if taken != all {
        return Err(format!("{stories} stories took {taken} sessions instead of {all}").into());
    }
    Ok(times)
}

/// The test of a story fails without its work, and all criteria have it.
fn scenario(tasks: &Value) -> Value {
    let stories = tasks["userStories"].as_array().map_or(0, Vec::len);
    let rule = |index| {
        let story = task_list::id(index);
        let file = format!("tests/{story}.sh");
        let test = json!([["custom", file, file]]);
        let tests = vec![test; task_list::CRITERIA];
        let mut files = json!({});
        files[&file] = format!("# {file}\ntest -e work/{story}.txt\n").into();
        json!({"when": {"mode": "specify", "story": story}, "acts": [{"specify": {"files": files, "tests": tests}}]})
    };
    json!({"rules": (0..stories).map(rule).collect::<Vec<Value>>()})
}

/// The overhead of each story. The last iteration has none, so the last story does not count.
fn of_stories(times: &Times, sessions: usize) -> Vec<Duration> {
    times.overheads.chunks_exact(sessions).map(|story| story.iter().sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_takes_the_overhead_of_its_sessions() {
        let overheads = [1, 2, 3, 10, 20].map(Duration::from_millis).into();
        let times = Times { overheads, statuses: Vec::new() };
        assert_eq!(of_stories(&times, 3), [Duration::from_millis(6)]);
        assert_eq!(of_stories(&times, 2), [3, 13].map(Duration::from_millis));
    }
}
