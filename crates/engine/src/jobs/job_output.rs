//! Copies the output of a job into its log, for an engine that does not write it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use job_engines::{JobEngine, OutputId};
use supervise::{
    ChildEvent, Keeper, Launch, Limits, ProgramCall, Reaction, Source, Stop, StopRequests,
    WaitResult,
};

/// Before the program is started again. The worker's lines have numbers, so none counts twice.
const PAUSE: Duration = Duration::from_secs(1);

/// In bytes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// The copy that runs now.
pub(super) struct OutputCopy<'e> {
    keeper: &'e Keeper,
    folder: &'e Path,
    log: PathBuf,
    current: Option<(OutputId, StopRequests, JoinHandle<()>)>,
}

impl<'e> OutputCopy<'e> {
    pub(super) fn new(keeper: &'e Keeper, folder: &'e Path, log: &Path) -> Self {
        Self { keeper, folder, log: log.to_path_buf(), current: None }
    }

    /// The output of an earlier start is not copied any more.
    pub(super) fn switch_to(&mut self, output: OutputId, engine: &dyn JobEngine) {
        if self.current.as_ref().is_some_and(|(current, ..)| *current == output) {
            return;
        }
        self.stop();
        let Some((program, args)) = engine.output_program(&output) else { return };
        let stop = StopRequests::new();
        let copied = launch(&program, args, self.keeper, self.folder);
        let (log, stopped) = (self.log.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            // Without it, the job counts as one without a result, and its session is tried again.
            if let Ok(mut log) = OpenOptions::new().create(true).append(true).open(log) {
                copy(&copied, &stopped, &mut log);
            }
        });
        self.current = Some((output, stop, thread));
    }

    fn stop(&mut self) {
        if let Some((_, stop, thread)) = self.current.take() {
            stop.raise(Stop::Now);
            let _ = thread.join();
        }
    }
}

impl Drop for OutputCopy<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn copy(launch: &Launch, stop: &StopRequests, log: &mut File) {
    loop {
        // A connection that is cut is made again. An error of the program appears in the status of the job, too.
        let _ = supervise::run(launch.clone(), stop, &mut |event| {
            if let ChildEvent::Line(line) = event
                && line.source == Source::Stdout
            {
                let _ = log.write_all(&[line.bytes, b"\n"].concat());
            }
            Reaction::Nothing
        });
        if stop.wait(PAUSE) == WaitResult::Stopped {
            return;
        }
    }
}

fn launch(program: &Path, args: Vec<OsString>, keeper: &Keeper, folder: &Path) -> Launch {
    let launch = ProgramCall::new(program, args, Duration::MAX).launch(keeper, folder);
    let limits = Limits { total: None, longest_line: LONGEST_LINE, ..launch.limits };
    Launch { limits, ..launch }
}
