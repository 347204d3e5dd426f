//! The human reporter of `run --tui`: the dashboard until it is closed, then ordinary lines, also for the
//! end of the run.

use std::io;

use console::Term;
use dashboard::Live;
use events::{LoopEvent, Stamped};

use super::{LineRenderer, Reporter, RunView, Terminal};

pub(crate) struct DashboardReporter {
    output: ActiveOutput,
    renderer: LineRenderer,
}

enum ActiveOutput {
    /// With the state of the run, for the lines that may follow.
    Dashboard(Live, Box<RunView>),
    Lines(Terminal<Term>),
}

impl DashboardReporter {
    pub(crate) fn new(live: Live, renderer: LineRenderer) -> Self {
        Self { output: ActiveOutput::Dashboard(live, Box::default()), renderer }
    }
}

impl Reporter for DashboardReporter {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        match &mut self.output {
            ActiveOutput::Lines(lines) => lines.event(stamped),
            ActiveOutput::Dashboard(live, view)
                if live.is_on() && !matches!(stamped.event, LoopEvent::RunEnded { .. }) =>
            {
                live.event(stamped);
                view.apply(stamped);
                Ok(())
            }
            ActiveOutput::Dashboard(live, view) => {
                live.close();
                let view = std::mem::take(&mut **view);
                let mut lines = Terminal::on(Term::stdout(), self.renderer, view)?;
                let reported = lines.event(stamped);
                self.output = ActiveOutput::Lines(lines);
                reported
            }
        }
    }
}
