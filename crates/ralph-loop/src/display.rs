//! Who watches, and what they can see: colours, marks, a terminal or not.

use std::io::{self, IsTerminal};

use chrono::Local;
use engine::{Observer, Stamped};
use project::Layout;

use crate::cli::{ColorWhen, LookArgs, OutputFormat, RunArgs};
use crate::report::{
    AgentStream, HumanOptions, JsonLines, Look, Marks, Palette, Plain, Reporters, SessionLog,
    Terminal, Timestamps,
};

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
pub(crate) fn look(args: &LookArgs) -> Look {
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    Look { palette: palette(args.color, Screen::Stdout), marks: marks(args), width }
}

pub(crate) fn offset() -> chrono::FixedOffset {
    *Local::now().offset()
}

pub(crate) fn human_options(args: &RunArgs, screen: Screen) -> HumanOptions {
    HumanOptions {
        palette: palette(args.look.color, screen),
        marks: marks(&args.look),
        timestamps: if args.timestamps { Timestamps::Shown } else { Timestamps::Hidden },
        stream: if args.no_stream_agent_output { AgentStream::Hidden } else { AgentStream::Shown },
        offset: offset(),
    }
}

fn marks(args: &LookArgs) -> &'static Marks {
    if args.no_emoji { Marks::ASCII } else { Marks::EMOJI }
}

fn palette(color: ColorWhen, screen: Screen) -> Palette {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced =
        std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !value.is_empty() && value != "0");
    let coloured = match color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if is_set("NO_COLOR") => false,
        ColorWhen::Auto => forced || screen.can_redraw(),
    };
    if coloured { Palette::coloured() } else { Palette::plain() }
}

/// Everybody who hears of a run: people, machines, and the run's own folder.
pub(crate) struct Audience {
    reporters: Reporters,
    layout: Layout,
    /// The run's own files are opened with its first event, which says where they are.
    recording: Recording,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recording {
    NotYet,
    Open,
}

impl Audience {
    pub(crate) fn new(args: &RunArgs, layout: Layout) -> io::Result<Self> {
        let mut reporters = Reporters::default();
        let screen = match args.output {
            OutputFormat::Human => Screen::Stdout,
            OutputFormat::Json => {
                reporters.add(JsonLines::new("standard output", io::stdout()));
                Screen::Stderr
            }
        };
        let options = human_options(args, screen);
        match (screen.can_redraw(), screen) {
            (true, Screen::Stdout) => reporters.add(Terminal::stdout(options)?),
            (true, Screen::Stderr) => reporters.add(Terminal::stderr(options)?),
            (false, Screen::Stdout) => reporters.add(Plain::new(io::stdout(), &options)),
            (false, Screen::Stderr) => reporters.add(Plain::new(io::stderr(), &options)),
        }
        Ok(Self { reporters, layout, recording: Recording::NotYet })
    }

    fn record(&mut self, run: &str) -> io::Result<()> {
        let folder = self.layout.run_dir(run);
        self.reporters.add(JsonLines::append(&folder.join("events.jsonl"))?);
        self.reporters.add(SessionLog::append(&folder.join("session.log"))?);
        self.recording = Recording::Open;
        Ok(())
    }
}

impl Observer for Audience {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let opened = match self.recording {
            Recording::Open => Ok(()),
            Recording::NotYet => self.record(&stamped.run),
        };
        let told = self.reporters.event(stamped).map_err(io::Error::other);
        opened.and(told)
    }
}
