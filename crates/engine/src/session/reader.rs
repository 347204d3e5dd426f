//! Reads the output of a session: records and decodes its lines, and emits the events of the loop.

use std::path::Path;

use agents::{Decode, LineKind, ProcessExit};
use supervise::{EndReason, Ended, Exit, OutputLine, Reaction, Source};

use crate::event_sink::EventSink;
use crate::session::recording::Recording;
use crate::session::run_session::SessionRequest;
use crate::session::watch::{Conclusion, SessionWatch};

pub(crate) struct SessionReader<'c> {
    call: &'c SessionRequest<'c>,
    decoder: Box<dyn Decode>,
    recording: Recording,
    stderr_recording: Recording,
    watch: SessionWatch,
}

impl<'c> SessionReader<'c> {
    /// `root` is the folder in which the agent works.
    pub(super) fn new(call: &'c SessionRequest<'c>, root: &Path) -> Self {
        Self {
            call,
            decoder: call.agent.decoder(call.prompt),
            recording: Recording::create(call.recording),
            stderr_recording: Recording::on_demand(call.recording.with_extension("stderr.log")),
            watch: SessionWatch::new(root, call.context_window),
        }
    }

    /// Forgets what was read: the agent starts again, in folder `root`. The recording goes on.
    pub(super) fn restart(&mut self, root: &Path) {
        self.decoder = self.call.agent.decoder(self.call.prompt);
        self.watch = SessionWatch::new(root, self.call.context_window);
    }

    pub(super) fn line(&mut self, line: OutputLine<'_>, sink: &EventSink<'_>) -> Reaction {
        let Self { decoder, recording, stderr_recording, watch, .. } = self;
        match line.source {
            Source::Stderr => {
                stderr_recording.line(line.bytes);
                watch.error_line(line.bytes);
                if let Some(event) = watch.stderr(line.bytes) {
                    sink.emit(event);
                }
            }
            Source::Stdout => {
                recording.line(line.bytes);
                let kind = decoder.line(line.bytes, &mut |event| {
                    if let Some(event) = watch.event(event) {
                        sink.emit(event);
                    }
                });
                if kind == LineKind::Noise {
                    watch.error_line(line.bytes);
                }
            }
        }
        watch.reaction()
    }

    /// A line that may explain a crash.
    pub(super) fn error_line(&mut self, text: &str) {
        self.watch.error_line(text.as_bytes());
    }

    pub(super) fn exited(&mut self, ended: &Ended, sink: &EventSink<'_>) {
        let exit = match (ended.how, ended.exit) {
            (EndReason::ByItself | EndReason::Lingered, Some(Exit::Code(code))) => {
                ProcessExit::Code(code)
            }
            _ => ProcessExit::Cut,
        };
        let watch = &mut self.watch;
        self.decoder.ended(exit, &mut |event| {
            if let Some(event) = watch.event(event) {
                sink.emit(event);
            }
        });
    }

    pub(super) fn conclude(self, ended: &Ended, sink: &EventSink<'_>) -> Conclusion {
        let Self { call, recording, stderr_recording, watch, .. } = self;
        for error in [recording.finish(), stderr_recording.finish()].into_iter().flatten() {
            sink.warn(format!("the recording of the session is incomplete: {error}"));
        }
        watch.conclude(ended, call.completion, call.expected_hooks)
    }
}
