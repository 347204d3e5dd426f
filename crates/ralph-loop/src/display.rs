//! Output of a run: which reporters it has, where they write, and whether with colours and emoji.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use chrono::Local;
use dashboard::Live;
use engine::{Observer, StopSwitch};
use events::{LogCheck, LogHead, LoopEvent, Stamped, StopSignal};
use project::Layout;
use run_options::ColorWhen;
use settings::{Display, LoadedSettings, Settings};
use supervise::{Stop, StopRequests};

use crate::cli::{LoopArgs, OutputFormat};
use crate::command_error::{self, precondition};
use crate::notices::Notices;
use crate::report::{
    DashboardReporter, HumanOptions, Line, Look, Marks, OutputLimits, Palette, Plain, Reporters,
    Role, SessionLog, Terminal, VerboseLines, verbose_line,
};
use crate::{run_report, signals};

/// The stream for human-readable output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputStream {
    Stdout,
    Stderr,
}

impl OutputStream {
    /// Machine-readable output takes standard output.
    fn beside(output: OutputFormat) -> Self {
        match output {
            OutputFormat::Human => Self::Stdout,
            OutputFormat::Json | OutputFormat::Result => Self::Stderr,
        }
    }

    fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Stderr => io::stderr().is_terminal(),
        }
    }

    fn write(self, text: &str) {
        // A closed pipe is no error.
        let _ = match self {
            Self::Stdout => io::stdout().write_all(text.as_bytes()),
            Self::Stderr => io::stderr().write_all(text.as_bytes()),
        };
    }

    /// Whether escape sequences can be used.
    fn can_redraw(self) -> bool {
        self.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

pub(crate) fn look(display: &Display) -> Look {
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    Look { palette: palette(display.color, OutputStream::Stdout), marks: marks(display), width }
}

pub(crate) fn dashboard_look(display: &Display) -> dashboard::Look {
    dashboard::Look {
        coloured: is_coloured(display.color, OutputStream::Stdout),
        signs: if display.emoji { dashboard::Signs::UNICODE } else { dashboard::Signs::ASCII },
    }
}

/// For a command that needs a full-screen terminal; `hint` names the alternative.
pub(crate) fn refuse_no_terminal(hint: &str) -> Result<()> {
    if OutputStream::Stdout.can_redraw() && io::stdin().is_terminal() {
        return Ok(());
    }
    Err(precondition("not running in an interactive terminal", hint))
}

pub(crate) fn offset() -> chrono::FixedOffset {
    *events::now().with_timezone(&Local).offset()
}

fn human_options(settings: &Settings, stream: OutputStream) -> HumanOptions {
    let display = &settings.display;
    HumanOptions {
        palette: palette(display.color, stream),
        marks: marks(display),
        timestamps: display.timestamps,
        agent_stream: settings.stream_agent_output,
        output: OutputLimits {
            lines: usize::try_from(display.max_output_lines).unwrap_or(usize::MAX),
            chars: usize::try_from(display.max_output_chars).unwrap_or(usize::MAX),
        },
        verbose: VerboseLines::None,
        offset: offset(),
    }
}

fn marks(display: &Display) -> &'static Marks {
    if display.emoji { Marks::EMOJI } else { Marks::ASCII }
}

fn palette(color: ColorWhen, stream: OutputStream) -> Palette {
    if is_coloured(color, stream) { Palette::coloured() } else { Palette::plain() }
}

fn is_coloured(color: ColorWhen, stream: OutputStream) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced =
        std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !value.is_empty() && value != "0");
    match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if is_set("NO_COLOR") => false,
        ColorWhen::Auto => forced || stream.can_redraw(),
    }
}

/// The look of the dashboard and of the lines after it; `None` without `--tui`.
fn dashboard(
    settings: &Settings,
    args: &LoopArgs,
) -> Result<Option<(dashboard::Look, HumanOptions)>> {
    if !args.tui {
        return Ok(None);
    }
    refuse_no_terminal("run without --tui for plain lines")?;
    let mut options = human_options(settings, OutputStream::Stdout);
    if args.verbose {
        options.verbose = VerboseLines::Details;
    }
    Ok(Some((dashboard_look(&settings.display), options)))
}

/// Before the run: the settings files and the merged settings, without secrets.
fn print_settings(loaded: &LoadedSettings) {
    let mut lines: Vec<String> =
        loaded.files.iter().map(|file| format!("Loading settings from {file}")).collect();
    let merged = serde_json::to_string(&loaded.settings).unwrap_or_default();
    lines.push(format!("Merged configuration: {merged}"));
    let text: String = lines.iter().map(|line| verbose_line(line) + "\n").collect();
    // A closed standard error is no error.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Shows the effect of a signal.
type ShowStop = Box<dyn Fn(String) + Send>;

/// All consumers of a run's events: reporters, dashboard, notifications and the run's own files.
pub(crate) struct RunOutput {
    reporters: Reporters,
    /// With `--tui`, until the run begins.
    dashboard: Option<(dashboard::Look, HumanOptions)>,
    stopping: ShowStop,
    notices: Notices,
    layout: Layout,
    /// The run whose own files are open: from its first event, which has the run's id.
    recorded_run: Option<String>,
    /// The line that the log of a resumed run must contain.
    saved: Option<LogHead>,
    /// The stream and the look of the last line.
    closing: (OutputStream, HumanOptions),
}

impl RunOutput {
    pub(crate) fn new(loaded: &LoadedSettings, args: &LoopArgs, layout: Layout) -> Result<Self> {
        if args.verbose {
            print_settings(loaded);
        }
        let dashboard = dashboard(&loaded.settings, args)?;
        let (reporters, stopping) = match &dashboard {
            Some(_) => (Reporters::default(), on_stderr()),
            None => {
                Self::reporters(&loaded.settings, args).context("cannot write to the terminal")?
            }
        };
        let notices = Notices::new(&loaded.settings, &layout)?;
        let stream = OutputStream::beside(args.output);
        let closing = (stream, human_options(&loaded.settings, stream));
        let (recorded_run, saved) = (None, None);
        Ok(Self { reporters, dashboard, stopping, notices, layout, recorded_run, saved, closing })
    }

    /// Opens the dashboard, if there is one. The returned function shows the effect of a signal without
    /// disturbing the screen.
    pub(crate) fn open(&mut self, switch: &StopSwitch) -> Result<Box<dyn Fn(Stop) + Send>> {
        let show_stop = std::mem::replace(&mut self.stopping, on_stderr());
        let Some((look, options)) = self.dashboard.take() else {
            return Ok(Box::new(move |stop| show_stop(signals::describe(stop))));
        };
        let switch = switch.clone();
        let interrupted = move || signals::describe(switch.request(StopSignal::Interrupt));
        let live = Live::open(self.layout.clone(), look, offset(), interrupted);
        let live = live.context("cannot use the terminal")?;
        let stopping = live.stopping();
        self.reporters.add(DashboardReporter::new(live, options));
        Ok(Box::new(move |stop| {
            let text = signals::describe(stop);
            if !stopping(text.clone()) {
                show_stop(text);
            }
        }))
    }

    /// The reporters, and the function that shows the effect of a signal on the same screen.
    fn reporters(settings: &Settings, args: &LoopArgs) -> io::Result<(Reporters, ShowStop)> {
        let mut reporters = Reporters::default();
        let stream = OutputStream::beside(args.output);
        if args.output == OutputFormat::Json {
            reporters.print_lines(io::stdout());
        }
        let mut options = human_options(settings, stream);
        // If standard error is also the redrawn terminal, its lines must go through the same writer.
        let is_redrawn = stream.can_redraw() && OutputStream::Stderr.is_terminal();
        if args.verbose && (is_redrawn || stream == OutputStream::Stderr) {
            options.verbose = VerboseLines::Details;
        } else if args.verbose {
            reporters.add(Plain::new(io::stderr(), &HumanOptions::verbose(options.offset)));
        }
        let terminal = match (stream.can_redraw(), stream) {
            (true, OutputStream::Stdout) => Terminal::stdout(options)?,
            (true, OutputStream::Stderr) => Terminal::stderr(options)?,
            (false, stream) => {
                match stream {
                    OutputStream::Stdout => reporters.add(Plain::new(io::stdout(), &options)),
                    OutputStream::Stderr => reporters.add(Plain::new(io::stderr(), &options)),
                }
                return Ok((reporters, on_stderr()));
            }
        };
        let stopping = terminal.stopping();
        reporters.add(terminal);
        Ok((reporters, Box::new(stopping)))
    }

    /// Returns an event if the log was altered.
    fn record(&mut self, run: &str) -> io::Result<Option<LoopEvent>> {
        let folder = self.layout.run_dir(run);
        let altered = self.reporters.open_log(&folder, self.saved).map_err(io::Error::other)?;
        self.reporters.add(SessionLog::append(&folder.join("session.log"))?);
        self.recorded_run = Some(run.to_owned());
        Ok(altered)
    }

    /// Reports changes by another program before the next event is written.
    fn inspect_log(&mut self, next: &Stamped) -> io::Result<()> {
        let altered = match self.recorded_run {
            None => self.record(&next.run)?,
            Some(_) => self.reporters.inspect_log(&next.event).map_err(io::Error::other)?,
        };
        altered.map_or(Ok(()), |event| self.report(&Stamped::now(&next.run, event)))
    }

    fn report(&mut self, stamped: &Stamped) -> io::Result<()> {
        let reported = self.reporters.event(stamped).map_err(io::Error::other);
        reported.and(Self::warn(&mut self.reporters, &stamped.run, self.notices.handle(stamped)))
    }

    /// Failures of notifications are reported as warnings, but cause no notification.
    fn warn(reporters: &mut Reporters, run: &str, texts: Vec<String>) -> io::Result<()> {
        texts.into_iter().try_for_each(|text| {
            let warning = Stamped::now(run, LoopEvent::Warning { text });
            reporters.event(&warning).map_err(io::Error::other)
        })
    }

    /// Prints `text` if there was nothing to do, so that no run was recorded.
    pub(crate) fn print_nothing_to_do(self, text: &str) {
        let Self { reporters, closing: (stream, _), .. } = self;
        drop(reporters);
        stream.write(text);
    }

    /// Waits for the last notifications, restores the terminal and writes the report. A report that
    /// cannot be written is only a warning: the events are recorded.
    pub(crate) fn close(self, stop: &StopRequests) {
        let Self { mut reporters, notices, layout, recorded_run, closing, .. } = self;
        let Some(run) = recorded_run else { return };
        // The run has ended, so write errors are ignored.
        let failed = notices.close(stop, || {
            let text = "sending the last notification; press Ctrl-C to skip it".to_owned();
            let _ = reporters.event(&Stamped::now(&run, LoopEvent::LeftoverFound { text }));
        });
        let _ = Self::warn(&mut reporters, &run, failed);
        let log = reporters.log_check();
        drop(reporters);
        log.iter().for_each(|log| say_log(log, &closing));
        if let Err(error) = run_report::write(&layout, &run, offset()) {
            let text = format!("warning: cannot write the report of the run: {error}");
            command_error::say(&text, &mut anstream::stderr());
        }
    }
}

impl Observer for RunOutput {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let inspected = self.inspect_log(stamped);
        inspected.and(self.report(stamped))
    }

    fn resumes_after(&mut self, saved: LogHead) {
        self.saved = Some(saved);
    }

    fn log_head(&self) -> Option<LogHead> {
        self.reporters.log_head()
    }
}

/// Without a status line, signals are reported on standard error.
fn on_stderr() -> ShowStop {
    Box::new(|text| signals::say(&text))
}

/// Number of events and digest, to be compared with those of `status` and `report` later.
fn say_log(log: &LogCheck, (stream, options): &(OutputStream, HumanOptions)) {
    let altered = log.altered().map(|text| {
        Line::indented(2)
            .with(Role::Alarm, options.marks.warning)
            .with(Role::Plain, format!(" {text}"))
    });
    let figures = Line::indented(2).with(Role::Dim, format!("event log: {}", log.figures()));
    let lines = altered.into_iter().chain([figures]);
    let text: String = lines.map(|line| line.paint(&options.palette) + "\n").collect();
    stream.write(&text);
}
