//! How fast the runner reads an endless stream of an agent, and with how much memory.

use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::grid::{Grid, NOTHING, met};
use crate::launch::{Invocation, Program};
use crate::loop_project::LoopProject;
use crate::measure::ratio;
use crate::stream_block;
use crate::times::quantile;
use crate::toolbox::Toolbox;

const LEAST_RATE: f64 = 300.0;
const MOST_MEMORY_KIB: u64 = 64 * 1024;
const ROUNDS: usize = 3;
/// Poll interval, short compared with a run.
const PACE: Duration = Duration::from_millis(2);

const MEGABYTE: f64 = 1e6;

pub(crate) fn measure(
    toolbox: &Toolbox,
    megabytes: usize,
    log: &mut dyn Write,
) -> Result<Grid, Box<dyn Error>> {
    let flood = Flood::prepare(toolbox, megabytes)?;
    let mut rows = Vec::new();
    for (what, block, is_judged) in [
        ("a session of work", stream_block::of_work(), true),
        ("only text", stream_block::of_words(), false),
    ] {
        writeln!(log, "measuring: {megabytes} MB of a stream, {what} ({ROUNDS} rounds)")?;
        fs::write(&flood.block, block)?;
        let (mut pipes, mut runs, mut memory) = (Vec::new(), Vec::new(), Some(0));
        for _ in 0..ROUNDS {
            pipes.push(flood.through_a_pipe()?);
            let run = flood.through_the_runner()?;
            runs.push(run.taken);
            memory = memory.zip(run.peak_kib).map(|(most, peak): (u64, u64)| most.max(peak));
        }
        let (pipe, run) = (quantile(&pipes, 0.5), quantile(&runs, 0.5));
        rows.push(row(what, flood.bytes, pipe, run, memory, is_judged));
    }
    let note = format!(
        "An agent that prints {megabytes} MB as fast as the pipe takes it. The runner reads, decodes \
         and records it and prints its events, with `--output json`, from its own start to its end; \
         the same bytes through a pipe to a reader that drops them are the measure. Budgets: at \
         least {LEAST_RATE} MB/s and at most {} MiB resident. Medians of {ROUNDS} rounds, the \
         largest peak of them.",
        MOST_MEMORY_KIB / 1024
    );
    Ok(Grid {
        title: format!("runner, a stream of {megabytes} MB"),
        note,
        columns: vec!["stream", "MB/s", "MB/s of the pipe", "share", "peak MiB", "met?"],
        rows,
    })
}

fn row(
    what: &str,
    bytes: u64,
    pipe: Duration,
    run: Duration,
    memory: Option<u64>,
    is_judged: bool,
) -> Vec<String> {
    let rate = |time: Duration| bytes as f64 / MEGABYTE / time.as_secs_f64();
    let kept = [rate(run) >= LEAST_RATE, memory.is_none_or(|kib| kib <= MOST_MEMORY_KIB)];
    vec![
        what.to_owned(),
        format!("{:.0}", rate(run)),
        format!("{:.0}", rate(pipe)),
        format!("{:.2}", ratio(pipe, run)),
        memory.map_or(NOTHING.into(), |kib| format!("{:.1}", kib as f64 / 1024.0)),
        if is_judged { met(&kept) } else { NOTHING.to_owned() },
    ]
}

struct Flood<'t> {
    toolbox: &'t Toolbox,
    project: LoopProject<'t>,
    block: PathBuf,
    bytes: u64,
}

struct Run {
    taken: Duration,
    /// `None` if the system does not report it.
    peak_kib: Option<u64>,
}

impl<'t> Flood<'t> {
    fn prepare(toolbox: &'t Toolbox, megabytes: usize) -> Result<Self, Box<dyn Error>> {
        let project = LoopProject::create(toolbox, "stream", 10, 3)?;
        let block = toolbox.folder.join("block.jsonl");
        Ok(Self { toolbox, project, block, bytes: megabytes as u64 * MEGABYTE as u64 })
    }

    fn through_a_pipe(&self) -> Result<Duration, Box<dyn Error>> {
        let mut command = self.invocation(self.toolbox.binary("flood-agent")).piped()?;
        let began = Instant::now();
        let mut child = command.spawn()?;
        let mut buffer = vec![0; 64 * 1024];
        if let Some(mut pipe) = child.stdout.take() {
            while pipe.read(&mut buffer)? > 0 {}
        }
        child.wait()?;
        Ok(began.elapsed())
    }

    fn through_the_runner(&self) -> Result<Run, Box<dyn Error>> {
        let program = self
            .toolbox
            .binary("ralph-loop")
            .with(&["-n", "1", "--fresh", "--no-sandbox", "--output", "json", "--agent-program"])
            .with_path(&self.toolbox.binary("flood-agent").path);
        let mut invocation = self.invocation(program);
        invocation.stdout = "/dev/null".into();
        let began = Instant::now();
        let mut child = invocation.spawn()?;
        let mut peak_kib = None;
        while child.try_wait()?.is_none() {
            peak_kib = peak_memory(child.id()).or(peak_kib);
            std::thread::sleep(PACE);
        }
        let taken = began.elapsed();
        self.forget_runs()?;
        Ok(Run { taken, peak_kib })
    }

    /// Checks that the stream was read to its end, and resets for the next run.
    fn forget_runs(&self) -> Result<(), Box<dyn Error>> {
        let runs = self.project.root().join(".ralph/runs");
        let complete = fs::read_dir(&runs)?.flatten().any(|run| {
            let events = fs::read(run.path().join("events.jsonl")).unwrap_or_default();
            let ended = br#""type":"agent-ended","outcome":"answered""#;
            events.windows(ended.len()).any(|window| window == ended)
        });
        if !complete {
            return Err("the runner did not read the stream to its end".into());
        }
        Ok(fs::remove_dir_all(runs)?)
    }

    fn invocation(&self, program: Program) -> Invocation {
        let mut invocation = self.toolbox.invocation(program, self.project.root());
        invocation.env.extend([
            ("FLOOD_BLOCK".to_owned(), self.block.clone().into_os_string()),
            ("FLOOD_BYTES".to_owned(), self.bytes.to_string().into()),
            ("IS_SANDBOX".to_owned(), "1".into()),
        ]);
        invocation
    }
}

/// Peak resident memory.
fn peak_memory(pid: u32) -> Option<u64> {
    let status: io::Result<String> =
        fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"));
    let status = status.ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_judges_rate_and_memory() {
        let second = Duration::from_secs(1);
        let judged = |bytes, memory| row("s", bytes, second / 4, second, memory, true);
        assert_eq!(judged(300_000_000, Some(65_536)), ["s", "300", "1200", "0.25", "64.0", "yes"]);
        assert_eq!(judged(300_000_000, Some(65_537)).last().unwrap(), "**no**");
        assert_eq!(judged(299_000_000, None).last().unwrap(), "**no**");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_used_memory() {
        assert!(peak_memory(std::process::id()).unwrap() > 100);
        assert_eq!(peak_memory(u32::MAX), None);
    }
}
