//! Plays the processes that a run starts: checks by their command, sessions by a function of the test.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use supervise::{
    ChildEvent, EndReason, Ended, Exit, Launch, Leftovers, OutputLine, Reaction, Source, Stop,
    StopRequests, SuperviseError,
};

use crate::control::executor::Executor;

/// The answer of a session that ends with exit code 3.
pub(crate) const CRASH: &str = "crash";

type Session<'a> = Box<dyn Fn(&Path, &str) -> String + Send + Sync + 'a>;

pub(crate) struct PlayedProcesses<'a> {
    /// Gets the folder and the prompt of a session, acts as the agent and returns its answer.
    session: Session<'a>,
    /// Acts as a check that is called `act`.
    act: Box<dyn Fn() + Send + Sync + 'a>,
    pub(crate) checks_run: Mutex<Vec<String>>,
    /// The arguments of each session.
    pub(crate) sessions: Mutex<Vec<Vec<String>>>,
    /// The span that each session gets.
    pub(crate) spans: Mutex<Vec<String>>,
}

impl<'a> PlayedProcesses<'a> {
    pub(crate) fn new(
        session: impl FnMut(&str) -> String + Send + 'a,
        act: impl Fn() + Send + Sync + 'a,
    ) -> Self {
        let session = Mutex::new(session);
        Self::in_lanes(move |_, prompt| (session.lock().unwrap())(prompt), act)
    }

    /// Sessions of several lanes run at the same time.
    pub(crate) fn in_lanes(
        session: impl Fn(&Path, &str) -> String + Send + Sync + 'a,
        act: impl Fn() + Send + Sync + 'a,
    ) -> Self {
        Self {
            session: Box::new(session),
            act: Box::new(act),
            checks_run: Mutex::default(),
            sessions: Mutex::default(),
            spans: Mutex::default(),
        }
    }

    pub(crate) fn checks_only() -> Self {
        Self::new(|_| panic!("no session is expected"), || {})
    }

    /// `pass`, `fail`, `fail TEXT`, `has FILE`, `prints FILE`, which fails if the file exists, `act`, `not-in-lane N` or `apart FILE FILE NEEDED`, which fails if both
    /// files exist and the third does not: exit code and output.
    fn check(&self, command: &str, folder: &Path, lane: &str) -> (i32, String) {
        self.checks_run.lock().unwrap().push(command.to_owned());
        match command.split_once(' ').unwrap_or((command, "")) {
            ("pass", text) => (0, text.to_owned()),
            ("fail", text) => (1, text.to_owned()),
            ("has", file) => (i32::from(!folder.join(file).exists()), format!("{file} is missing")),
            ("prints", file) => match std::fs::read_to_string(folder.join(file)) {
                Ok(text) => (1, text),
                Err(_) => (0, String::new()),
            },
            ("not-in-lane", number) => (i32::from(lane == number), format!("in lane {lane}")),
            ("apart", files) => {
                let there: Vec<bool> =
                    files.split(' ').map(|file| folder.join(file).exists()).collect();
                (i32::from(there == [true, true, false]), format!("wrong together: {files}"))
            }
            ("act", _) => {
                (self.act)();
                (0, String::new())
            }
            other => panic!("unknown check {other:?}"),
        }
    }
}

impl Executor for PlayedProcesses<'_> {
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError> {
        let elapsed = Duration::from_millis(1);
        if matches!(stop.current(), Some(Stop::Politely | Stop::Now)) {
            let leftovers = Leftovers::default();
            return Ok(Ended { how: EndReason::Stopped, exit: None, leftovers, elapsed });
        }
        let (code, output) = if launch.program.ends_with("agent") {
            let args = launch.args.iter().map(|arg| arg.to_string_lossy().into_owned());
            self.sessions.lock().unwrap().push(args.collect());
            let spans = launch.environment.iter().filter(|(name, _)| name == "TRACEPARENT");
            let spans = spans.filter_map(|(_, span)| Some(span.as_ref()?.to_str()?.to_owned()));
            self.spans.lock().unwrap().extend(spans);
            let prompt = String::from_utf8(launch.input).unwrap();
            match (self.session)(&launch.folder, &prompt) {
                answer if answer == CRASH => (3, String::new()),
                answer => (0, answer),
            }
        } else if launch.program.ends_with("git") {
            let args: Vec<&str> = launch.args.iter().map(|arg| arg.to_str().unwrap()).collect();
            (0, test_repo::git(&launch.folder, &args))
        } else {
            let lane = launch.environment.iter().find(|(name, _)| name == "RALPH_LANE");
            let lane = lane.and_then(|(_, lane)| lane.as_ref()?.to_str()).unwrap_or_default();
            self.check(launch.args.last().unwrap().to_str().unwrap(), &launch.folder, lane)
        };
        for line in output.lines() {
            on_event(ChildEvent::Line(OutputLine {
                source: Source::Stdout,
                bytes: line.as_bytes(),
                cut: 0,
            }));
        }
        let (how, exit) = (EndReason::ByItself, Some(Exit::Code(code)));
        Ok(Ended { how, exit, leftovers: Leftovers::default(), elapsed })
    }
}
