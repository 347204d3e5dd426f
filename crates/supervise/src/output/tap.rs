//! Reads a pipe on a thread of its own, into a few buffers that go round.
//!
//! When all of them wait for the runner the pipe waits too, so memory stays bounded while the
//! channel itself need not be: a stop request never queues behind output.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::Source;
use crate::event::Event;

use super::LineSplitter;

/// A pipe seldom holds more, so a larger one would not fill.
const CHUNK: usize = 64 * 1024;

/// Enough for the reader to fill one while the runner looks at another.
const CHUNKS: usize = 4;

/// Bytes of a pipe, on the way to the runner.
#[derive(Debug)]
pub(crate) struct Chunk {
    buffer: Box<[u8]>,
    filled: usize,
}

#[derive(Debug)]
pub(crate) struct Tap {
    splitter: LineSplitter,
    empty: Sender<Box<[u8]>>,
}

impl Tap {
    /// The thread ends with the pipe. If somebody holds the pipe for longer than the runner reads
    /// it, it ends with the next byte.
    pub(crate) fn open(
        source: Source,
        pipe: Option<impl Read + Send + 'static>,
        longest_line: usize,
        events: Sender<Event>,
    ) -> Self {
        let (empty, buffers) = channel();
        for _ in 0..CHUNKS {
            // The receiver is right here.
            let _ = empty.send(vec![0; CHUNK].into_boxed_slice());
        }
        std::thread::spawn(move || {
            if let Some(mut pipe) = pipe {
                pour(source, &mut pipe, &buffers, &events);
            }
            // Nobody listens any more if the runner has left.
            let _ = events.send(Event::Closed(source));
        });
        Self { splitter: LineSplitter::new(longest_line), empty }
    }

    /// Hands out the lines that end in this chunk, and the chunk back to the reader.
    pub(crate) fn take(&mut self, chunk: Chunk, deliver: impl FnMut(&[u8], u64)) {
        self.splitter.feed(&chunk.buffer[..chunk.filled], deliver);
        // A reader that is gone needs no buffers.
        let _ = self.empty.send(chunk.buffer);
    }

    /// Hands out a last line without a newline.
    pub(crate) fn finish(&mut self, deliver: impl FnMut(&[u8], u64)) {
        self.splitter.finish(deliver);
    }
}

fn pour(
    source: Source,
    pipe: &mut impl Read,
    buffers: &Receiver<Box<[u8]>>,
    events: &Sender<Event>,
) {
    for mut buffer in buffers {
        let Some(filled) = fill(pipe, &mut buffer) else { return };
        if events.send(Event::Printed(source, Chunk { buffer, filled })).is_err() {
            return;
        }
    }
}

/// A pipe that cannot be read is at its end.
fn fill(pipe: &mut impl Read, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match pipe.read(buffer) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
