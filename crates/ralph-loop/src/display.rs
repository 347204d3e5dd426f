//! Output of a run: which reporters it has, where they write, and whether with colours and emoji.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::Receiver;

use anyhow::{Context, Result};
use chrono::Local;
use console::Term;
use dashboard::Live;
use engine::{Observer, StopSwitch};
use events::{LogCheck, LogHead, LoopEvent, RunView, Stamped, StopSignal};
use project::Layout;
use run_options::ColorWhen;
use settings::{Display, LoadedSettings, Settings};
use supervise::{Stop, StopRequests};

use crate::cli::{LoopArgs, OutputFormat};
use crate::command_error::{self, precondition};
use crate::notices::Notices;
use crate::report::{
    DashboardReporter, EventLog, Line, LineRenderer, Look, Marks, Palette, Plain, Reporters, Role,
    SessionLog, Terminal, VerboseLines, verbose_line,
};
use crate::run_export::RunExport;
use crate::{run_report, signals};

/// The stream for human-readable output: machine-readable output takes standard output.
fn beside(output: OutputFormat) -> Term {
    match output {
        OutputFormat::Human => Term::stdout(),
        OutputFormat::Json | OutputFormat::Result => Term::stderr(),
    }
}

/// Whether escape sequences can be used.
fn can_redraw(stream: &Term) -> bool {
    stream.is_term() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

pub(crate) fn look(display: &Display) -> Look {
    let stdout = Term::stdout();
    Look {
        width: stdout.size_checked().map(|(_, columns)| usize::from(columns)),
        ..look_on(&stdout, display)
    }
}

fn look_on(stream: &Term, display: &Display) -> Look {
    Look {
        palette: Palette { is_coloured: is_coloured(display.color, stream) },
        marks: if display.emoji { Marks::EMOJI } else { Marks::ASCII },
        width: None,
    }
}

pub(crate) fn dashboard_look(display: &Display) -> dashboard::Look {
    dashboard::Look {
        coloured: is_coloured(display.color, &Term::stdout()),
        signs: if display.emoji { dashboard::Signs::UNICODE } else { dashboard::Signs::ASCII },
    }
}

/// For a command that needs a full-screen terminal; `hint` names the alternative.
pub(crate) fn refuse_no_terminal(hint: &str) -> Result<()> {
    if can_redraw(&Term::stdout()) && io::stdin().is_terminal() {
        return Ok(());
    }
    Err(precondition("not running in an interactive terminal", hint))
}

pub(crate) fn offset() -> chrono::FixedOffset {
    *events::now().with_timezone(&Local).offset()
}

fn renderer(settings: &Settings, stream: &Term) -> LineRenderer {
    let display = &settings.display;
    LineRenderer {
        look: look_on(stream, display),
        timestamps: display.timestamps,
        agent_stream: settings.stream_agent_output,
        output_lines: usize::try_from(display.max_output_lines).unwrap_or(usize::MAX),
        output_chars: usize::try_from(display.max_output_chars).unwrap_or(usize::MAX),
        verbose: VerboseLines::None,
        offset: offset(),
    }
}

fn is_coloured(color: ColorWhen, stream: &Term) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced =
        std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !value.is_empty() && value != "0");
    match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if is_set("NO_COLOR") => false,
        ColorWhen::Auto => forced || can_redraw(stream),
    }
}

/// Before the run: the settings files and the merged settings, without secrets.
fn print_settings(loaded: &LoadedSettings) {
    let files = loaded.files.iter().map(|file| format!("Loading settings from {file}"));
    let merged = serde_json::to_string(&loaded.settings).unwrap_or_default();
    let lines = files.chain([format!("Merged configuration: {merged}")]);
    let text: String = lines.map(|line| verbose_line(&line) + "\n").collect();
    // A closed standard error is no error.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Shows the effect of a signal.
type ShowStop = Box<dyn Fn(String) + Send>;

/// All consumers of a run's events: reporters, dashboard, notifications and the run's own files.
pub(crate) struct RunOutput {
    reporters: Reporters,
    /// The look of the dashboard of `--tui` and of the lines after it, until the run begins.
    dashboard: Option<(dashboard::Look, LineRenderer)>,
    stopping: ShowStop,
    notices: Notices,
    export: Option<RunExport>,
    /// Gets the name of what prevents sleep.
    awake: Option<Receiver<&'static str>>,
    layout: Layout,
    /// The run whose own files are open: from its first event, which has the run's id.
    recorded_run: Option<String>,
    /// The line that the log of a resumed run must contain.
    saved: Option<LogHead>,
    /// The stream and the look of the last line.
    closing: (Term, Look),
}

impl RunOutput {
    pub(crate) fn new(loaded: &LoadedSettings, args: &LoopArgs, layout: Layout) -> Result<Self> {
        let settings = &loaded.settings;
        if args.verbose {
            print_settings(loaded);
        }
        let (mut dashboard, mut reporters, mut stopping) =
            (None, Reporters::default(), on_stderr());
        if args.tui {
            refuse_no_terminal("run without --tui for plain lines")?;
            let mut lines = renderer(settings, &Term::stdout());
            if args.verbose {
                lines.verbose = VerboseLines::Details;
            }
            dashboard = Some((dashboard_look(&settings.display), lines));
        } else {
            (reporters, stopping) =
                Self::reporters(settings, args).context("cannot write to the terminal")?;
        }
        let notices = Notices::new(settings, &layout)?;
        let export = RunExport::new(settings, &layout)?;
        let stream = beside(args.output);
        let look = look_on(&stream, &settings.display);
        let (recorded_run, saved, closing) = (None, None, (stream, look));
        Ok(Self {
            reporters,
            dashboard,
            stopping,
            notices,
            export,
            awake: None,
            layout,
            recorded_run,
            saved,
            closing,
        })
    }

    /// Reports when sleep is prevented.
    pub(crate) fn announces_awake(&mut self, in_effect: Receiver<&'static str>) {
        self.awake = Some(in_effect);
    }

    /// Opens the dashboard, if there is one. The returned function shows the effect of a signal without
    /// disturbing the screen.
    pub(crate) fn open(&mut self, switch: &StopSwitch) -> Result<Box<dyn Fn(Stop) + Send>> {
        let show_stop = std::mem::replace(&mut self.stopping, on_stderr());
        let Some((look, renderer)) = self.dashboard.take() else {
            return Ok(Box::new(move |stop| show_stop(signals::describe(stop))));
        };
        let switch = switch.clone();
        let interrupted = move || signals::describe(switch.request(StopSignal::Interrupt));
        let live = Live::open(self.layout.clone(), look, offset(), interrupted);
        let live = live.context("cannot use the terminal")?;
        let stopping = live.stopping();
        self.reporters.add("terminal", DashboardReporter::new(live, renderer));
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
        if args.output == OutputFormat::Json {
            reporters.lines = Some(Box::new(io::stdout()));
        }
        let stream = beside(args.output);
        let mut renderer = renderer(settings, &stream);
        // If standard error is also the redrawn terminal, its lines must go through the same writer.
        let is_redrawn = can_redraw(&stream) && io::stderr().is_terminal();
        if args.verbose && (is_redrawn || args.output != OutputFormat::Human) {
            renderer.verbose = VerboseLines::Details;
        } else if args.verbose {
            let plain = LineRenderer::plain(Marks::EMOJI);
            let (verbose, offset) = (VerboseLines::All, renderer.offset);
            let details = LineRenderer { agent_stream: false, verbose, offset, ..plain };
            reporters.add("output", Plain::new(io::stderr(), details));
        }
        if !can_redraw(&stream) {
            reporters.add("output", Plain::new(stream, renderer));
            return Ok((reporters, on_stderr()));
        }
        let terminal = Terminal::on(stream, renderer, RunView::default())?;
        let stopping = terminal.stopping();
        reporters.add("terminal", terminal);
        Ok((reporters, Box::new(stopping)))
    }

    /// Returns an event if the log was altered.
    fn record(&mut self, run: &str) -> io::Result<Option<LoopEvent>> {
        if let Some(export) = &mut self.export {
            export.resume(&self.layout, run);
        }
        let folder = self.layout.run_dir(run);
        let altered = self.reporters.open_log(&folder, self.saved)?;
        self.reporters.add("session.log", SessionLog::append(&folder.join("session.log"))?);
        self.recorded_run = Some(run.to_owned());
        Ok(altered)
    }

    /// Reports changes by another program before the next event is written.
    fn inspect_log(&mut self, next: &Stamped) -> io::Result<()> {
        let altered = match self.recorded_run {
            None => self.record(&next.run)?,
            Some(_) => self.reporters.inspect_log(&next.event)?,
        };
        altered.map_or(Ok(()), |event| self.report(&Stamped::now(&next.run, event)))
    }

    fn report(&mut self, stamped: &Stamped) -> io::Result<()> {
        let reported = self.reporters.event(stamped);
        let mut failed = self.notices.handle(stamped);
        failed.extend(self.export.iter_mut().flat_map(|export| export.handle(stamped)));
        reported.and(Self::warn(&mut self.reporters, &stamped.run, failed))
    }

    /// Once sleep is prevented, reports it after an event of the run.
    fn report_awake(&mut self, last: &Stamped) -> io::Result<()> {
        let by = self.awake.as_ref().and_then(|in_effect| in_effect.try_recv().ok());
        match (by, &last.event) {
            (None, _) | (_, LoopEvent::RunEnded { .. }) => Ok(()),
            (Some(by), _) => {
                let event = LoopEvent::SleepPrevented { by: by.to_owned() };
                self.report(&Stamped::now(&last.run, event))
            }
        }
    }

    /// Failures to send are reported as warnings, but cause no notification.
    fn warn(reporters: &mut Reporters, run: &str, texts: Vec<String>) -> io::Result<()> {
        let mut warnings = texts.into_iter().map(|text| LoopEvent::Warning { text });
        warnings.try_for_each(|warning| reporters.event(&Stamped::now(run, warning)))
    }

    /// Prints `text` if there was nothing to do, so that no run was recorded.
    pub(crate) fn print_nothing_to_do(self, text: &str) {
        drop(self.reporters);
        let (mut stream, _) = self.closing;
        // A closed pipe is no error.
        let _ = stream.write_all(text.as_bytes());
    }

    /// Waits for what is being sent, restores the terminal and writes the report. A report that
    /// cannot be written is only a warning: the events are recorded.
    pub(crate) fn close(self, stop: &StopRequests) {
        let Self { mut reporters, notices, export, layout, recorded_run, closing, .. } = self;
        let Some(run) = recorded_run else { return };
        // The run has ended, so write errors are ignored.
        let waits = |reporters: &mut Reporters, what: &str| {
            let text = format!("sending the last {what}; press Ctrl-C to skip it");
            let _ = reporters.event(&Stamped::now(&run, LoopEvent::LeftoverFound { text }));
        };
        let mut failed = notices.close(stop, || waits(&mut reporters, "notification"));
        if let Some(export) = export {
            failed.extend(export.close(stop, || waits(&mut reporters, "trace")));
        }
        let _ = Self::warn(&mut reporters, &run, failed);
        let log = reporters.log.as_ref().map(EventLog::check);
        drop(reporters);
        if let Some(log) = log {
            say_log(&log, closing);
        }
        if let Err(error) = run_report::write(&layout, &run, offset()) {
            let text = format!("warning: cannot write the report of the run: {error}");
            command_error::say(&text, &mut anstream::stderr());
        }
    }
}

impl Observer for RunOutput {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let inspected = self.inspect_log(stamped);
        let reported = inspected.and(self.report(stamped));
        reported.and(self.report_awake(stamped))
    }

    fn resumes_after(&mut self, saved: LogHead) {
        self.saved = Some(saved);
    }

    fn log_head(&self) -> Option<LogHead> {
        self.reporters.log.as_ref()?.head
    }
}

/// Without a status line, signals are reported on standard error.
fn on_stderr() -> ShowStop {
    Box::new(|text| signals::say(&text))
}

/// Number of events and digest, to be compared with those of `status` and `report` later.
fn say_log(log: &LogCheck, (mut stream, look): (Term, Look)) {
    let altered = log.altered().map(|text| {
        let mark = Line::indented(2).with(Role::Alarm, look.marks.warning);
        mark.with(Role::Plain, format!(" {text}"))
    });
    let figures = Line::indented(2).with(Role::Dim, format!("event log: {}", log.figures()));
    let lines: Vec<Line> = altered.into_iter().chain([figures]).collect();
    // A closed pipe is no error.
    let _ = stream.write_all(look.paint(&lines).as_bytes());
}
