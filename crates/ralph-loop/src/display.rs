//! Who watches, and what they can see: colours, marks, a terminal or not.

use std::io::{self, IsTerminal, Write};

use chrono::Local;
use dashboard::Live;
use engine::{LoopEvent, Observer, Stamped, StopSignal, StopSwitch};
use project::Layout;

use supervise::{Stop, StopRequests};

use settings::{ColorWhen, Display, Loaded, Settings};

use crate::cli::{LoopArgs, OutputFormat};
use crate::command_error::{self, CommandError};
use crate::notices::Notices;
use crate::report::{
    AgentStream, HumanOptions, JsonLines, Look, Marks, OnStage, OutputLimits, Palette, Plain,
    Reporters, SessionLog, Terminal, Timestamps, Verbose, Verbosity, verbose_line,
};
use crate::{run_report, signals};

/// Where people read along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Stdout,
    Stderr,
}

impl Screen {
    fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Stderr => io::stderr().is_terminal(),
        }
    }

    /// Whether it understands more than plain lines.
    fn can_redraw(self) -> bool {
        self.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

/// How a table on standard output looks.
pub(crate) fn look(display: &Display) -> Look {
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    Look { palette: palette(display.color, Screen::Stdout), marks: marks(display), width }
}

/// How the whole terminal looks.
pub(crate) fn dashboard_look(display: &Display) -> dashboard::Look {
    dashboard::Look {
        colour: match is_coloured(display.color, Screen::Stdout) {
            true => dashboard::Colour::Shown,
            false => dashboard::Colour::None,
        },
        signs: if display.emoji { dashboard::Signs::UNICODE } else { dashboard::Signs::ASCII },
    }
}

/// For a command that needs the whole terminal; `hint` says what does without one.
pub(crate) fn refuse_no_terminal(hint: &str) -> Result<(), CommandError> {
    if Screen::Stdout.can_redraw() && io::stdin().is_terminal() {
        return Ok(());
    }
    Err(CommandError::precondition("this is no terminal that could be drawn on", hint))
}

pub(crate) fn offset() -> chrono::FixedOffset {
    *Local::now().offset()
}

fn human_options(settings: &Settings, screen: Screen) -> HumanOptions {
    let display = &settings.display;
    HumanOptions {
        palette: palette(display.color, screen),
        marks: marks(display),
        timestamps: if display.timestamps { Timestamps::Shown } else { Timestamps::Hidden },
        stream: if settings.stream_agent_output { AgentStream::Shown } else { AgentStream::Hidden },
        output: OutputLimits {
            lines: usize::try_from(display.max_output_lines).unwrap_or(usize::MAX),
            chars: usize::try_from(display.max_output_chars).unwrap_or(usize::MAX),
        },
        verbosity: Verbosity::Usual,
        offset: offset(),
    }
}

fn marks(display: &Display) -> &'static Marks {
    if display.emoji { Marks::EMOJI } else { Marks::ASCII }
}

fn palette(color: ColorWhen, screen: Screen) -> Palette {
    if is_coloured(color, screen) { Palette::coloured() } else { Palette::plain() }
}

fn is_coloured(color: ColorWhen, screen: Screen) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced =
        std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !value.is_empty() && value != "0");
    match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if is_set("NO_COLOR") => false,
        ColorWhen::Auto => forced || screen.can_redraw(),
    }
}

/// How it looks, and the lines after it; `None` if nobody asked for one.
fn dashboard(
    settings: &Settings,
    args: &LoopArgs,
) -> Result<Option<(dashboard::Look, HumanOptions)>, CommandError> {
    if !args.tui {
        return Ok(None);
    }
    refuse_no_terminal("leave out --tui, and its lines go wherever you want them")?;
    let mut options = human_options(settings, Screen::Stdout);
    if args.verbose {
        options.verbosity = Verbosity::Verbose;
    }
    Ok(Some((dashboard_look(&settings.display), options)))
}

/// Which way the lines of `--verbose` take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    Stderr,
    /// They would tear what is redrawn on the terminal that standard error is too.
    Screen,
}

fn verbose_through(args: &LoopArgs, screen: Screen) -> Option<Through> {
    let through = match screen.can_redraw() && Screen::Stderr.is_terminal() {
        true => Through::Screen,
        false => Through::Stderr,
    };
    args.verbose.then_some(through)
}

/// Before there is a run: where its settings come from, and what holds. Secrets are none of it.
fn tell_settings(loaded: &Loaded) {
    let mut lines: Vec<String> =
        loaded.files.iter().map(|file| format!("Loading settings from {file}")).collect();
    let merged = serde_json::to_string(&loaded.settings).unwrap_or_default();
    lines.push(format!("Merged configuration: {merged}"));
    let text: String = lines.iter().map(|line| verbose_line(line) + "\n").collect();
    // Whoever closed standard error does not want to know.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Everybody who hears of a run: people, machines, and the run's own folder.
pub(crate) struct Audience {
    reporters: Reporters,
    /// A dashboard is asked for, and not there before the run begins.
    dashboard: Option<(dashboard::Look, HumanOptions)>,
    notices: Notices,
    layout: Layout,
    /// The run's own files are opened with its first event, which says where they are.
    recording: Recording,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Recording {
    NotYet,
    Open { run: String },
}

impl Audience {
    pub(crate) fn new(
        loaded: &Loaded,
        args: &LoopArgs,
        layout: Layout,
    ) -> Result<Self, CommandError> {
        if args.verbose {
            tell_settings(loaded);
        }
        let dashboard = dashboard(&loaded.settings, args)?;
        let reporters = match &dashboard {
            Some(_) => Reporters::default(),
            None => Self::reporters(&loaded.settings, args)
                .map_err(CommandError::io("write to the terminal"))?,
        };
        let notices = Notices::new(&loaded.settings, &layout)?;
        Ok(Self { reporters, dashboard, notices, layout, recording: Recording::NotYet })
    }

    /// Puts the dashboard up, if there is to be one. What is returned says what a signal does, where it
    /// can be read and tears nothing.
    pub(crate) fn take_seats(
        &mut self,
        switch: &StopSwitch,
    ) -> Result<Box<dyn Fn(Stop) + Send>, CommandError> {
        let Some((look, options)) = self.dashboard.take() else {
            return Ok(Box::new(|stop| signals::say(&signals::in_words(stop))));
        };
        let switch = switch.clone();
        let interrupted = move || signals::in_words(switch.hear(StopSignal::Interrupt));
        let live = Live::open(self.layout.clone(), look, offset(), interrupted);
        let live = live.map_err(CommandError::io("use the terminal"))?;
        let stopping = live.stopping();
        self.reporters.add(OnStage::new(live, options));
        Ok(Box::new(move |stop| {
            let text = signals::in_words(stop);
            if !stopping(text.clone()) {
                signals::say(&text);
            }
        }))
    }

    fn reporters(settings: &Settings, args: &LoopArgs) -> io::Result<Reporters> {
        let mut reporters = Reporters::default();
        let screen = match args.output {
            OutputFormat::Human => Screen::Stdout,
            OutputFormat::Json => {
                reporters.add(JsonLines::new("standard output", io::stdout()));
                Screen::Stderr
            }
        };
        let mut options = human_options(settings, screen);
        match verbose_through(args, screen) {
            None => {}
            Some(Through::Screen) => options.verbosity = Verbosity::Verbose,
            Some(Through::Stderr) => reporters.add(Verbose::new(io::stderr())),
        }
        match (screen.can_redraw(), screen) {
            (true, Screen::Stdout) => reporters.add(Terminal::stdout(options)?),
            (true, Screen::Stderr) => reporters.add(Terminal::stderr(options)?),
            (false, Screen::Stdout) => reporters.add(Plain::new(io::stdout(), &options)),
            (false, Screen::Stderr) => reporters.add(Plain::new(io::stderr(), &options)),
        }
        Ok(reporters)
    }

    fn record(&mut self, run: &str) -> io::Result<()> {
        let folder = self.layout.run_dir(run);
        self.reporters.add(JsonLines::append(&folder.join("events.jsonl"))?);
        self.reporters.add(SessionLog::append(&folder.join("session.log"))?);
        self.recording = Recording::Open { run: run.to_owned() };
        Ok(())
    }

    /// What went wrong with notices is told as everything is; they themselves hear nothing of it.
    fn warn(reporters: &mut Reporters, run: &str, texts: Vec<String>) -> io::Result<()> {
        texts.into_iter().try_for_each(|text| {
            let warning = Stamped::now(run, LoopEvent::Warning { text });
            reporters.event(&warning).map_err(io::Error::other)
        })
    }

    /// Waits for the last notices, gives the terminal back, then leaves the report of what was recorded.
    /// Without one the run is none the worse: its events are there.
    pub(crate) fn leave(self, stop: &StopRequests) {
        let Self { mut reporters, notices, layout, recording, dashboard: _ } = self;
        let Recording::Open { run } = recording else { return };
        // The run is over, and its record is no worse for what could not be added to it.
        let failed = notices.close(stop, || {
            let text = "sending the last notice; Ctrl-C leaves it".to_owned();
            let _ = reporters.event(&Stamped::now(&run, LoopEvent::Found { text }));
        });
        let _ = Self::warn(&mut reporters, &run, failed);
        drop(reporters);
        if let Err(error) = run_report::write(&layout, &run, offset()) {
            let text = format!("warning: the report of the run could not be written: {error}");
            command_error::say(&text, &mut anstream::stderr());
        }
    }
}

impl Observer for Audience {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let opened = match self.recording {
            Recording::Open { .. } => Ok(()),
            Recording::NotYet => self.record(&stamped.run),
        };
        let told = self.reporters.event(stamped).map_err(io::Error::other);
        let warned = Self::warn(&mut self.reporters, &stamped.run, self.notices.hear(stamped));
        opened.and(told).and(warned)
    }
}
