//! Reads a pipe on a thread into a fixed set of recycled buffers.
//!
//! While all buffers wait for the runner, the pipe blocks. So memory is bounded although the
//! channel is not, and a stop request never queues behind output.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::Source;
use crate::child_event::Event;

use super::LineSplitter;

/// A pipe rarely holds more.
const CHUNK: usize = 64 * 1024;

/// The reader can fill one while the runner processes another.
const CHUNKS: usize = 4;

#[derive(Debug)]
pub(crate) struct Chunk {
    buffer: Box<[u8]>,
    filled: usize,
}

#[derive(Debug)]
pub(crate) struct PipeReader {
    splitter: LineSplitter,
    empty: Sender<Box<[u8]>>,
}

impl PipeReader {
    /// The thread ends with the pipe. If a process holds the pipe after the runner stops reading,
    /// it ends with the next byte.
    pub(crate) fn open(
        source: Source,
        pipe: Option<impl Read + Send + 'static>,
        longest_line: usize,
        events: Sender<Event>,
    ) -> Self {
        let (empty, buffers) = channel();
        for _ in 0..CHUNKS {
            // The receiver is in scope.
            let _ = empty.send(vec![0; CHUNK].into_boxed_slice());
        }
        std::thread::spawn(move || {
            if let Some(mut pipe) = pipe {
                read_all(source, &mut pipe, &buffers, &events);
            }
            // The receiver is gone if the runner has stopped.
            let _ = events.send(Event::Closed(source));
        });
        Self { splitter: LineSplitter::new(longest_line), empty }
    }

    /// Passes on the lines that end in this chunk and returns the buffer to the reader.
    pub(crate) fn take(&mut self, chunk: Chunk, deliver: impl FnMut(&[u8], u64)) {
        self.splitter.feed(&chunk.buffer[..chunk.filled], deliver);
        // A finished reader needs no buffers.
        let _ = self.empty.send(chunk.buffer);
    }

    /// Passes on a last line without a newline.
    pub(crate) fn finish(&mut self, deliver: impl FnMut(&[u8], u64)) {
        self.splitter.finish(deliver);
    }
}

fn read_all(
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

/// A read error counts as end-of-file.
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
