//! Runs the tests of a story's proof at a commit.

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use chrono::{Offset, Utc};
use clap::Parser;
use engine::{InterruptedIteration, Observer, ProofCommits, StopSwitch};
use events::{LoopEvent, RunView, Stamped, format};
use project::Layout;
use settings::Agent;

use super::{ShownProof, Source, VERSION};
use crate::cli::{Cli, ProofArgs};
use crate::command_error::{self, say};
use crate::commands::outside;
use crate::run_report::ProofReport;
use crate::{resolve, signals};

/// The exit code says whether all tests pass. No proof if a signal ended it.
pub(super) fn rerun(
    args: &ProofArgs,
    layout: &Layout,
    at: &str,
) -> Result<(Option<ShownProof>, ExitCode)> {
    let mut common = Cli::try_parse_from(["ralph-loop"])?.run.common;
    common.isolation.no_sandbox = args.no_sandbox;
    let left_as_is = InterruptedIteration::LeftAsIs;
    let loaded = resolve::loop_settings(layout, &common, &common.flags(), left_as_is)?;
    let tree = outside::repository(layout.root())?;
    let tests_of = args.tests_of.as_deref().unwrap_or("HEAD");
    let [work, tests] = [at, tests_of].map(|name| outside::commit(&tree, name));
    let commits = ProofCommits { work: work?, tests: tests? };
    let (folder, _lock) = outside::folder(&loaded, layout, "proofs")?;
    // No agent is started, and none has to be installed.
    let agent =
        Agent { command: std::env::current_exe()?.display().to_string(), ..Agent::default() };
    let options = outside::options(agent, &common, layout.clone(), loaded.clone())?;
    let switch = StopSwitch::new(std::time::Duration::ZERO);
    signals::listen(switch.clone(), |_| say("stopping the tests", &mut anstream::stderr()))?;
    let [shown_at, shown_tests] =
        [&commits.work, &commits.tests].map(|commit| format::short_id(commit.as_str()));
    let story = &args.story;
    let what = format!("running the tests of {story} of {shown_tests} at {shown_at}, in a clone");
    say(&what, &mut anstream::stderr());
    let setup = &loaded.settings.lanes.setup;
    let of = (story, &commits);
    let mut warnings = Warnings::default();
    let done = engine::rerun_proof(&options, of, setup, &folder.join("1"), &switch, &mut warnings)?;
    let Some(done) = done else {
        let code = switch.requested().map_or(1, |signal| signal.end().exit_code());
        return Ok((None, ExitCode::from(code)));
    };
    let code = ExitCode::from(u8::from(!done.run.accepted));
    let proof = ProofReport::of_run(done.title, done.run);
    let (at, tests_of) = (commits.work.to_string(), commits.tests.to_string());
    let source = Source::Commits { at, tests_of };
    Ok((Some(ShownProof { version: VERSION, source, proof }), code))
}

/// Warnings, on standard error.
#[derive(Default)]
struct Warnings(RunView);

impl Observer for Warnings {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if let LoopEvent::Warning { .. } | LoopEvent::TimeWarning { .. } = &stamped.event {
            let statements = events::describe::describe(stamped, &self.0, Utc.fix());
            if let Some((_, text)) = events::describe::one_line(&statements) {
                command_error::say(&text, &mut anstream::stderr());
            }
        }
        self.0.apply(stamped);
        Ok(())
    }
}
