//! `ralph-bench`: the cost of the hooks and the runner, as ratios measured in one run, against
//! their budgets. The report is Markdown on stdout, progress goes to stderr.
//!
//! Before a measurement, every contender must give the expected answers. A missed budget is in the
//! report; it does not change the exit code.

mod command_guard;
mod commands;
mod context;
mod entry;
mod grid;
mod guard;
mod guard_cases;
mod hook_answer;
mod iterations;
mod lanes;
mod launch;
mod loop_project;
#[cfg(target_os = "linux")]
mod many_lanes;
mod measure;
mod options;
#[cfg(target_os = "linux")]
mod process_usage;
mod proofs;
mod report;
mod report_times;
mod sandbox;
mod stream;
mod stream_block;
mod task_list;
mod times;
mod toolbox;
mod transcript;

use std::error::Error;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use measure::Table;
use options::{HookRounds, Load, Options};
use toolbox::Toolbox;

fn main() -> ExitCode {
    let mut log = stderr().lock();
    match run(&mut stdout().lock(), &mut log) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If stderr is closed, the error cannot be reported.
            let _ = writeln!(log, "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(out: &mut dyn Write, log: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let temporary = tempfile::Builder::new().prefix("ralph-bench-").tempdir()?;
    if options.load == Load::OneCore {
        // It ends with this process.
        std::thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
    }
    let toolbox = Toolbox::gather(temporary.path())?;
    for missing in toolbox.missing() {
        writeln!(log, "warning: {missing}, so its rows will not be measured")?;
    }

    let hooks = match options.hooks {
        Some(rounds) => hooks(&toolbox, rounds, log)?,
        None => Vec::new(),
    };
    let mut runner = Vec::new();
    if let Some(iterations) = options.iterations {
        runner.push(iterations::measure(&toolbox, iterations, options.load, log)?);
        runner.push(proofs::measure(&toolbox, iterations, log)?);
        runner.push(lanes::measure(&toolbox, log)?);
    }
    if let Some(lanes) = options.lanes {
        #[cfg(target_os = "linux")]
        runner.extend(many_lanes::measure(&toolbox, lanes, log)?);
        #[cfg(not(target_os = "linux"))]
        writeln!(log, "warning: {lanes} lanes are measured only on Linux")?;
    }
    if let Some(megabytes) = options.stream_megabytes {
        runner.push(stream::measure(&toolbox, megabytes, log)?);
    }
    report::write(out, &toolbox.describe()?, options.load, &hooks, &runner)?;
    temporary.close()?;
    Ok(())
}

fn hooks(
    toolbox: &Toolbox,
    rounds: HookRounds,
    log: &mut dyn Write,
) -> Result<Vec<Table>, Box<dyn Error>> {
    writeln!(log, "checking the answers of the context monitors")?;
    context::check_answers(toolbox)?;
    writeln!(log, "checking the answers of the stop guards")?;
    guard::check_answers(toolbox)?;

    writeln!(log, "checking the answers of the command guard")?;
    let commands = command_guard::scenarios(toolbox, rounds.cheap)?;

    let mut tables = Vec::new();
    for scenario in context::scenarios(toolbox, rounds.cheap)? {
        tables.push(scenario.measure(log)?);
    }
    for scenario in commands {
        tables.push(scenario.measure(log)?);
    }
    tables.push(entry::scenario(toolbox, rounds.cheap)?.measure(log)?);
    tables.push(sandbox::scenario(toolbox, rounds.cheap).measure(log)?);
    tables.push(report_times::scenario(toolbox, rounds.git)?.measure(log)?);
    tables.push(guard::no_loop(toolbox, rounds.cheap)?.measure(log)?);
    // In sequence, because they share one large repository.
    let mut large = guard::LargeProject::create(toolbox, log)?;
    tables.push(large.implement(toolbox, rounds.git)?.measure(log)?);
    tables.push(large.review(toolbox, rounds.git)?.measure(log)?);
    Ok(tables)
}
