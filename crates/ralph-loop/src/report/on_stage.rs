//! The human reporter of `run --tui`: a dashboard as long as somebody looks at it, ordinary lines from
//! there on, and for the end of the run.

use std::io;

use console::Term;
use dashboard::Live;
use engine::{LoopEvent, Stamped};

use super::{HumanOptions, Reporter, RunView, Terminal};

#[derive(Debug)]
pub(crate) struct OnStage {
    face: Face,
    options: HumanOptions,
}

#[derive(Debug)]
enum Face {
    /// With the run as it stands, for the lines that may follow.
    Dashboard(Live, Box<RunView>),
    Lines(Terminal<Term>),
}

impl OnStage {
    pub(crate) fn new(live: Live, options: HumanOptions) -> Self {
        Self { face: Face::Dashboard(live, Box::default()), options }
    }
}

impl Reporter for OnStage {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if let Face::Dashboard(live, view) = &mut self.face {
            let ends = matches!(stamped.event, LoopEvent::RunEnded { .. });
            if live.is_on() && !ends {
                live.event(stamped);
                view.apply(stamped);
                return Ok(());
            }
            live.close();
            let view = std::mem::take(&mut **view);
            self.face = Face::Lines(Terminal::stdout_from(self.options.clone(), view)?);
        }
        match &mut self.face {
            Face::Lines(lines) => lines.event(stamped),
            Face::Dashboard(..) => Ok(()),
        }
    }
}
