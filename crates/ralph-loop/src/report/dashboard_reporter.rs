//! The human reporter of `run --tui`: the dashboard until it is closed, then ordinary lines, also for the
//! end of the run.

use std::io;

use console::Term;
use dashboard::Live;
use events::{LoopEvent, Stamped};

use super::{HumanOptions, Reporter, RunView, Terminal};

#[derive(Debug)]
pub(crate) struct DashboardReporter {
    output: ActiveOutput,
    options: HumanOptions,
}

#[derive(Debug)]
enum ActiveOutput {
    /// With the state of the run, for the lines that may follow.
    Dashboard(Live, Box<RunView>),
    Lines(Terminal<Term>),
}

impl DashboardReporter {
    pub(crate) fn new(live: Live, options: HumanOptions) -> Self {
        Self { output: ActiveOutput::Dashboard(live, Box::default()), options }
    }
}

impl Reporter for DashboardReporter {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if let ActiveOutput::Dashboard(live, view) = &mut self.output {
            let ends = matches!(stamped.event, LoopEvent::RunEnded { .. });
            if live.is_on() && !ends {
                live.event(stamped);
                view.apply(stamped);
                return Ok(());
            }
            live.close();
            let view = std::mem::take(&mut **view);
            self.output = ActiveOutput::Lines(Terminal::stdout_from(self.options.clone(), view)?);
        }
        match &mut self.output {
            ActiveOutput::Lines(lines) => lines.event(stamped),
            ActiveOutput::Dashboard(..) => Ok(()),
        }
    }
}
