//! What the coordinator costs with many lanes: CPU time, memory, and how late it books a session that ended.
//!
//! The agents wait. The first sessions of all lanes sleep at the same time, in which the coordinator is measured alone.
//! Then they end one after the other.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use events::{LoopEvent, Stamped};
use serde_json::json;
use slurm_cluster::Cluster;

use crate::grid::{Grid, NOTHING};
use crate::loop_project::LoopProject;
use crate::process_usage::ProcessUsage;
use crate::times::quantile;
use crate::toolbox::Toolbox;

const FILES: usize = 100;
/// In between, also measured.
const SOME: usize = 20;
/// How long the coordinator is measured while all agents sleep.
const SLEEP: Duration = Duration::from_secs(20);
/// After the last agent started, before it is measured.
const REST: Duration = Duration::from_secs(5);
/// Between the ends of two sessions: more than a merge takes, or the queue of merges grows.
const STAGGER_MS: &str = "500";
const POLL: Duration = Duration::from_millis(100);
/// A run without progress is an error.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Variables of the coordinator that the agent needs on a node.
const FOR_AGENTS: [&str; 8] = [
    "PATH",
    "HOME",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
    "IS_SANDBOX",
    "WAITING_AGENT",
    "WAITING_FOLDER",
    "WAITING_STAGGER_MS",
];

pub(crate) fn measure(
    toolbox: &Toolbox,
    lanes: usize,
    log: &mut dyn Write,
) -> Result<Vec<Grid>, Box<dyn Error>> {
    let mut counts = vec![1, SOME.min(lanes), lanes];
    counts.dedup();
    let (mut costs, mut times) = (Vec::new(), Vec::new());
    for engine in ["local", "slurm"] {
        if engine == "slurm" && !is_installed("slurmctld") {
            writeln!(log, "warning: Slurm is not installed, so its rows will not be measured")?;
            continue;
        }
        for &lanes in &counts {
            writeln!(log, "measuring: {lanes} lanes with sessions as {engine} processes")?;
            let run = ManyLanes::prepare(toolbox, engine, lanes)?;
            let measured = run.measure()?;
            costs.push(measured.costs(engine, lanes));
            times.push(measured.times(engine, lanes)?);
        }
    }
    let costs = Grid {
        title: "runner, many lanes: what the coordinator uses".into(),
        note: format!(
            "A project of {FILES} files, as many independent stories as lanes, the check `true`; one process, without \
             agents, checks, workers and git. First while all agents sleep, for {} s; then for each session of the \
             whole run, with those of reviews, and with its merge. \"With its programs\" adds git and the programs of \
             Slurm; local agents are such programs, too. Memory is the peak.",
            SLEEP.as_secs()
        ),
        columns: vec![
            "sessions as",
            "lanes",
            "asleep, CPU s per min",
            "asleep, CPU ms per min and lane",
            "CPU ms per session",
            "with its programs",
            "memory, MiB",
            "threads",
            "open files",
            "state.json, KiB",
            "disk per lane, MiB",
        ],
        rows: costs,
    };
    let times = Grid {
        title: "runner, many lanes: events and delays".into(),
        note: format!(
            "The same runs. The first sessions end {STAGGER_MS} ms apart; noticed: from the end of the agent to \
             `agent-ended`; booked: to `iteration-ended`, after rules and checks. Merge: from `merge-started` to \
             `story-merged`, one at a time. Median and 95 %."
        ),
        columns: vec![
            "sessions as",
            "lanes",
            "events per session",
            "most events in a second",
            "noticed, ms",
            "95 %",
            "booked, ms",
            "95 %",
            "merge, ms",
            "95 %",
            "waited for the merge, ms",
        ],
        rows: times,
    };
    Ok(vec![costs, times])
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A run that is about to start.
struct ManyLanes<'t> {
    toolbox: &'t Toolbox,
    project: LoopProject<'t>,
    lanes: usize,
    /// Of this run, outside the project.
    folder: PathBuf,
    cluster: Option<Cluster>,
}

impl<'t> ManyLanes<'t> {
    fn prepare(toolbox: &'t Toolbox, engine: &str, lanes: usize) -> Result<Self, Box<dyn Error>> {
        let name = format!("{engine}-{lanes}");
        let mut project = LoopProject::create(toolbox, &name, FILES, lanes)?;
        project.tasks["verifyCommands"] = json!(["true"]);
        for story in project.tasks["userStories"].as_array_mut().into_iter().flatten() {
            story["dependsOn"] = json!([]);
        }
        project.save_tasks()?;
        // Runners write their own.
        fs::remove_file(project.root().join("ralph/prompt.md"))?;
        let folder = toolbox.folder.join(format!("{name}.run"));
        for part in ["waiting", "nodes"] {
            fs::create_dir_all(folder.join(part))?;
        }
        // Each node claims enough processors for all lanes.
        let cluster = (engine == "slurm").then(|| Cluster::with_cpus(lanes.max(2)));
        if let Some(cluster) = &cluster {
            let executor = json!({
                "config": cluster.config(),
                "args": [format!("--export={}", FOR_AGENTS.join(","))],
                "folder": folder.join("nodes"),
            });
            let settings = json!({
                "on": "slurm", "executors": {"slurm": executor}, "isolation": {"kind": "guard"},
            });
            project.write(".ralph/settings.json", &settings.to_string())?;
        }
        project.commit()?;
        project.git(&["gc", "-q"])?;
        Ok(Self { toolbox, project, lanes, folder, cluster })
    }

    fn start(&self) -> Result<Child, Box<dyn Error>> {
        let (jobs, iterations) = (self.lanes.to_string(), (4 * self.lanes).to_string());
        let program = self.toolbox.binary("ralph-loop");
        let program = program.with(&["-j", &jobs, "-n", &iterations, "--separate", "--no-sandbox"]);
        let program = program
            .with(&["--output", "json", "--lanes-dir"])
            .with_path(&self.folder.join("lanes"))
            .with(&["--agent-program"])
            .with_path(&self.toolbox.binary("waiting-agent").path);
        let mut invocation = self.toolbox.invocation(program, self.project.root());
        let agent = self.toolbox.binary("simulated-agent").path;
        invocation.env.extend([
            ("WAITING_AGENT".to_owned(), agent.into_os_string()),
            ("WAITING_FOLDER".to_owned(), self.folder.join("waiting").into_os_string()),
            ("WAITING_STAGGER_MS".to_owned(), STAGGER_MS.into()),
            // Sessions on a node have no other variable for it.
            ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".into()),
            // The agent ignores it, but the runner requires it.
            ("IS_SANDBOX".to_owned(), "1".into()),
        ]);
        invocation.stdout = self.folder.join("output");
        Ok(invocation.spawn()?)
    }

    fn measure(&self) -> Result<Measured, Box<dyn Error>> {
        let mut child = Running(self.start()?);
        let waiting = self.folder.join("waiting");
        child
            .wait_until("all agents sleep", || Ok(fs::read_dir(&waiting)?.count() >= self.lanes))?;
        thread::sleep(REST);
        let (before, began) = (child.usage()?, Instant::now());
        thread::sleep(SLEEP);
        let (asleep, took) = (child.usage()?, began.elapsed());
        let disk = size_of(&self.folder.join("lanes"));
        let state = fs::metadata(self.project.root().join(".ralph/state.json"))?.len();
        fs::write(waiting.join("go"), "")?;
        let mut last = asleep;
        child.wait_until_gone(|usage| last = usage)?;
        let asleep_cpu = asleep.cpu.saturating_sub(before.cpu);
        let printed = fs::read_to_string(self.folder.join("output"))?;
        let events = printed.lines().filter_map(|line| Stamped::from_line(line.as_bytes()).ok());
        let ends = fs::read_to_string(waiting.join("ends"))?;
        let measured = Measured {
            asleep_per_minute: asleep_cpu.mul_f64(60.0 / took.as_secs_f64()),
            active: last.cpu.saturating_sub(asleep_cpu),
            programs: last.cpu_of_programs,
            is_local: self.cluster.is_none(),
            asleep,
            peak_kib: last.peak_kib,
            state,
            disk,
            events: events.collect(),
            ends: ends.lines().filter_map(parse_end).collect(),
        };
        fs::remove_dir_all(&self.folder)?;
        fs::remove_dir_all(self.project.root())?;
        Ok(measured)
    }
}

/// Ended with its value, so that a failed measurement leaves no run.
struct Running(Child);

impl Running {
    fn usage(&self) -> Result<ProcessUsage, Box<dyn Error>> {
        Ok(ProcessUsage::read(self.0.id())?)
    }

    fn wait_until(
        &mut self,
        what: &str,
        is_reached: impl Fn() -> Result<bool, Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let deadline = Instant::now() + PATIENCE;
        while !is_reached()? {
            if let Some(status) = self.0.try_wait()? {
                return Err(format!("the run ended with {status} before {what}").into());
            }
            if Instant::now() > deadline {
                return Err(format!("waited too long until {what}").into());
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    fn wait_until_gone(
        &mut self,
        mut on_usage: impl FnMut(ProcessUsage),
    ) -> Result<(), Box<dyn Error>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // The last one before its end counts.
            if let Ok(usage) = self.usage() {
                on_usage(usage);
            }
            match self.0.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(format!("the run ended with {status}").into()),
                None if Instant::now() > deadline => return Err("the run does not end".into()),
                None => thread::sleep(POLL),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lane and its end in nanoseconds since 1970.
fn parse_end(line: &str) -> Option<(u64, u64)> {
    let (lane, at) = line.split_once(' ')?;
    Some((lane.parse().ok()?, at.parse().ok()?))
}

/// Of a folder, as `du` counts it.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => blocks(&found),
        Err(_) => 0,
    };
    fs::metadata(folder).map_or(0, |found| blocks(&found)) + entries.map(size).sum::<u64>()
}

fn blocks(found: &fs::Metadata) -> u64 {
    found.blocks() * 512
}

struct Measured {
    asleep_per_minute: Duration,
    /// In the rest of the run.
    active: Duration,
    programs: Duration,
    is_local: bool,
    asleep: ProcessUsage,
    peak_kib: u64,
    state: u64,
    disk: u64,
    events: Vec<Stamped>,
    /// Lanes, and the end of the agent of their first session.
    ends: Vec<(u64, u64)>,
}

impl Measured {
    fn sessions(&self) -> usize {
        self.count(|event| matches!(event, LoopEvent::AgentEnded(_))).max(1)
    }

    fn count(&self, is_wanted: fn(&LoopEvent) -> bool) -> usize {
        self.events.iter().filter(|stamped| is_wanted(&stamped.event)).count()
    }

    fn costs(&self, engine: &str, lanes: usize) -> Vec<String> {
        let sessions = self.sessions() as f64;
        let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
        let asleep = self.asleep_per_minute.as_secs_f64();
        let with_programs = (self.active + self.programs).as_secs_f64() * 1000.0 / sessions;
        vec![
            engine.to_owned(),
            lanes.to_string(),
            format!("{asleep:.2}"),
            format!("{:.1}", asleep * 1000.0 / lanes as f64),
            format!("{:.0}", self.active.as_secs_f64() * 1000.0 / sessions),
            if self.is_local { NOTHING.into() } else { format!("{with_programs:.0}") },
            format!("{:.1}", mebibytes(self.peak_kib as f64 * 1024.0)),
            self.asleep.threads.to_string(),
            self.asleep.open_files.to_string(),
            format!("{:.0}", self.state as f64 / 1024.0),
            format!("{:.2}", mebibytes(self.disk as f64) / lanes as f64),
        ]
    }

    fn times(&self, engine: &str, lanes: usize) -> Result<Vec<String>, String> {
        let mut in_second: BTreeMap<i64, usize> = BTreeMap::new();
        for stamped in &self.events {
            *in_second.entry(stamped.at.timestamp()).or_default() += 1;
        }
        let most = in_second.into_values().max().unwrap_or_default();
        let noticed = self.delays(|event| matches!(event, LoopEvent::AgentEnded(_)));
        let booked = self.delays(|event| matches!(event, LoopEvent::IterationEnded(_)));
        let queued = |event: &LoopEvent| matches!(event, LoopEvent::StoryQueued { .. });
        let begun = |event: &LoopEvent| matches!(event, LoopEvent::MergeStarted { .. });
        let merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { .. });
        let waited = self.spans(queued, begun);
        let merges = self.spans(begun, merged);
        if booked.len() != lanes || merges.len() != lanes {
            let (booked, merged) = (booked.len(), merges.len());
            return Err(format!("{lanes} lanes, but {booked} sessions booked and {merged} merged"));
        }
        let shown = |times: &[Duration], quantiles: &[f64]| -> Vec<String> {
            let of = |at: &f64| format!("{}", quantile(times, *at).as_millis());
            quantiles.iter().map(of).collect()
        };
        let mut cells = vec![
            engine.to_owned(),
            lanes.to_string(),
            format!("{:.0}", self.events.len() as f64 / self.sessions() as f64),
            most.to_string(),
        ];
        for times in [&noticed, &booked, &merges] {
            cells.extend(shown(times, &[0.5, 0.95]));
        }
        cells.extend(shown(&waited, &[0.5]));
        Ok(cells)
    }

    /// From the end of the agent to the first such event of its lane afterwards.
    fn delays(&self, is_wanted: fn(&LoopEvent) -> bool) -> Vec<Duration> {
        let delay = |&(lane, ended): &(u64, u64)| {
            let of_lane = self.events.iter().filter(|stamped| stamped.lane == Some(lane));
            let found = of_lane.filter(|stamped| is_wanted(&stamped.event)).map(nanoseconds);
            // The times of events are rounded down to milliseconds.
            Some(Duration::from_nanos(found.min()?.saturating_sub(ended)))
        };
        self.ends.iter().filter_map(delay).collect()
    }

    /// From one event of a lane to the next of another kind.
    fn spans(&self, from: fn(&LoopEvent) -> bool, to: fn(&LoopEvent) -> bool) -> Vec<Duration> {
        let (mut open, mut spans) = (BTreeMap::<_, VecDeque<u64>>::new(), Vec::new());
        for stamped in &self.events {
            if from(&stamped.event) {
                open.entry(stamped.lane).or_default().push_back(nanoseconds(stamped));
            } else if to(&stamped.event)
                && let Some(began) = open.get_mut(&stamped.lane).and_then(VecDeque::pop_front)
            {
                spans.push(Duration::from_nanos(nanoseconds(stamped).saturating_sub(began)));
            }
        }
        spans
    }
}

fn nanoseconds(stamped: &Stamped) -> u64 {
    let at = stamped.at.timestamp_nanos_opt().and_then(|at| u64::try_from(at).ok());
    at.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(lane: u64, second: u64, event: &str) -> Stamped {
        let line = format!(
            r#"{{"v":1,"at":"1970-01-01T00:00:0{second}.000Z","run":"r","lane":{lane},{event}}}"#
        );
        Stamped::from_line(line.as_bytes()).unwrap()
    }

    fn measured(events: Vec<Stamped>, ends: Vec<(u64, u64)>) -> Measured {
        Measured {
            asleep_per_minute: Duration::ZERO,
            active: Duration::ZERO,
            programs: Duration::ZERO,
            is_local: true,
            asleep: ProcessUsage::default(),
            peak_kib: 0,
            state: 0,
            disk: 0,
            events,
            ends,
        }
    }

    #[test]
    fn delays_and_spans_are_those_of_a_lane() {
        let (begun, merged) = (
            r#""type":"merge-started","story":"US-1","branch":"b""#,
            r#""type":"story-merged","story":"US-1","branch":"b","commit":"c""#,
        );
        let events =
            vec![event(1, 1, begun), event(2, 2, begun), event(2, 4, merged), event(1, 6, merged)];
        let measured = measured(events, vec![(1, 500_000_000), (2, 3_000_000_000)]);
        let is_merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { .. });
        let begun = |event: &LoopEvent| matches!(event, LoopEvent::MergeStarted { .. });
        assert_eq!(measured.delays(is_merged), [5500, 1000].map(Duration::from_millis));
        assert_eq!(measured.spans(begun, is_merged), [2, 5].map(Duration::from_secs));
    }

    #[test]
    fn the_end_of_a_session_has_a_lane_and_a_time() {
        assert_eq!(parse_end("12 345"), Some((12, 345)));
        assert_eq!(parse_end("12"), None);
    }
}
