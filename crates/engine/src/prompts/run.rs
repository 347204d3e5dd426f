//! One run of a prompt loop, as it is driven.

use std::collections::BTreeSet;
use std::time::Duration;

use project::orders::Order;
use project::{Layout, RunLock};
use vcs::WorkTree;

use crate::clock::RunClock;
use crate::decide::{Counters, Ended, Outlook, Try};
use crate::drive::Driven;
use crate::event_sink::EventSink;
use crate::finish::Closing;
use crate::isolation::docker::DockerSandbox;
use crate::options::{PromptOptions, PromptSource, RunOptions};
use crate::orders::Orders;
use crate::prompts::acceptance::Acceptance;
use crate::prompts::owners_files::OwnersFiles;
use crate::prompts::plan::Plan;
use crate::prompts::state::PromptState;
use crate::prompts::template::{self, Standing};
use crate::session_context::SessionContext;
use crate::user_instructions::UserInstructions;
use crate::variables::Expanded;
use crate::{RunEnd, RunError, StopSwitch, closing_words};

pub(crate) struct PromptRun<'a> {
    pub(crate) options: &'a PromptOptions,
    pub(crate) layout: &'a Layout,
    /// None where the project has no git and the loop needs none.
    pub(crate) tree: Option<WorkTree>,
    /// The user's settings, as the run began with them.
    pub(crate) owners: OwnersFiles,
    pub(crate) branch: String,
    pub(crate) state: PromptState,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) sink: EventSink<'a>,
    pub(crate) progress: Progress,
    pub(crate) clock: RunClock,
    pub(crate) orders: Orders,
    /// Spent in guardrails by the iteration that runs.
    pub(crate) gate_time: Duration,
    /// How the agent failed last, in its words.
    pub(crate) trouble: String,
    /// Variables that the user was told nobody knows.
    pub(crate) unknown_told: BTreeSet<String>,
    /// Held for as long as the run goes on; a dry run needs none.
    pub(crate) lock: Option<RunLock>,
    /// Decides instead of the agent whether the work is done.
    pub(crate) acceptance: Option<&'a mut dyn Acceptance>,
    /// Where its agent works, if not on the host.
    pub(crate) sandbox: Option<DockerSandbox>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Open,
    Complete,
}

impl<'a> PromptRun<'a> {
    pub(crate) fn session_context(&mut self) -> SessionContext<'_, 'a> {
        SessionContext {
            options: &self.options.run,
            run_id: &self.state.run_id,
            switch: self.switch,
            sink: &mut self.sink,
            clock: &mut self.clock,
            orders: &mut self.orders,
            sandbox: self.sandbox.as_mut(),
        }
    }

    pub(crate) fn prompt(&self, iteration: u64) -> Result<Expanded, RunError> {
        let template = self.options.source.read(self.layout)?;
        let standing = Standing {
            iteration,
            branch: &self.branch,
            failed: &self.state.failed,
            objections: &self.state.objections,
            user_instructions: &self.state.user_instructions,
        };
        Ok(template::assemble(&template, self.options, standing))
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan::read(&self.layout.root().join(&self.options.plan_file))
    }

    /// `build` has nothing to work from without a plan.
    pub(crate) fn refuse_missing_plan(&self) -> Result<(), RunError> {
        if self.options.source == PromptSource::Build && self.plan() == Plan::Missing {
            return Err(RunError::PlanMissing { path: self.options.plan_file.clone() });
        }
        Ok(())
    }
}

impl<'a> Driven<'a> for PromptRun<'a> {
    type Work = ();

    fn options(&self) -> &'a RunOptions {
        &self.options.run
    }

    fn switch(&self) -> &'a StopSwitch {
        self.switch
    }

    fn sink(&mut self) -> &mut EventSink<'a> {
        &mut self.sink
    }

    fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    fn clock(&mut self) -> &mut RunClock {
        &mut self.clock
    }

    fn orders(&mut self) -> &mut Orders {
        &mut self.orders
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        &mut self.state.user_instructions
    }

    fn take_orders(&mut self) -> Result<(), RunError> {
        self.session_context().apply_orders();
        let taken = self.orders.taken();
        if taken.is_empty() {
            return Ok(());
        }
        for order in taken {
            match order {
                Order::Steer { text } => {
                    self.state.user_instructions.add_or_refuse(text, &mut self.sink)
                }
                skip @ Order::Skip { .. } => self.sink.refuse(skip, "there are no stories here"),
                Order::Pause | Order::GoOn | Order::Stop => {}
            }
        }
        self.save()?;
        self.orders.forget_taken(&mut self.sink);
        Ok(())
    }

    fn report_stop(&mut self) {
        self.orders.report_stop(self.switch, &mut self.sink);
    }

    fn obey_while_waiting(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn save(&mut self) -> Result<(), RunError> {
        Ok(self.state.save(self.layout)?)
    }

    fn end(&mut self, end: RunEnd) -> Result<(), RunError> {
        self.state.ended = Some(end);
        self.save()
    }

    fn closing(&mut self, end: RunEnd) -> Closing {
        let spent = self.state.counters.cost_usd;
        let is_draft = matches!(self.options.source, PromptSource::Draft { .. });
        let text = match end {
            RunEnd::Complete if is_draft => "the plan has no errors".into(),
            RunEnd::IterationsUsed if is_draft => "the plan still has errors".into(),
            RunEnd::Complete if self.options.run.guardrails.is_empty() => {
                "the agent says that everything is done".into()
            }
            RunEnd::Complete => {
                "the agent says that everything is done, and every guardrail passes".into()
            }
            _ => closing_words::of(end, &self.options.run.policy, spent, &self.trouble),
        };
        Closing { text, stories: Vec::new(), blocked: Vec::new(), waiting: Vec::new() }
    }

    fn is_unjudged(&self) -> bool {
        false
    }

    fn look(&mut self) -> Result<Outlook<()>, RunError> {
        if self.progress == Progress::Complete {
            return Ok(Outlook::Complete);
        }
        self.refuse_missing_plan()?;
        Ok(Outlook::Work(()))
    }

    fn iterate(&mut self, attempt: Try, (): ()) -> Result<Ended, RunError> {
        self.iterate_prompt(attempt)
    }
}
