//! The human reporter on a terminal: lines scroll above a status line and a progress bar, which a thread
//! keeps up to date.

use std::io::{self, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use chrono::{DateTime, Utc};
use console::Term;
use events::Stamped;

use super::screen::Screen;
use super::{LineRenderer, Reporter, RunView};

const TICK: Duration = Duration::from_millis(100);

pub(crate) struct Terminal<W: Write> {
    screen: Arc<Mutex<Screen<W>>>,
    clock: fn() -> DateTime<Utc>,
    /// Updates the times between two events. Dropping the sender ends the thread.
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Terminal<Term> {
    /// Continues a run from `view`; earlier events are not shown.
    pub(crate) fn on(term: Term, renderer: LineRenderer, view: RunView) -> io::Result<Self> {
        // On Windows this call enables escape sequences.
        let _ = term.features().colors_supported();
        let sized = term.clone();
        let width = move || usize::from(sized.size().1);
        Self::showing(Screen::new(term, width, renderer, view), events::now)
    }
}

impl<W: Write + Send + 'static> Terminal<W> {
    fn showing(screen: Screen<W>, clock: fn() -> DateTime<Utc>) -> io::Result<Self> {
        let screen = Arc::new(Mutex::new(screen));
        let (stop, stopped) = channel();
        let ticking = Arc::clone(&screen);
        let thread = std::thread::Builder::new().name("terminal".into()).spawn(move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                // The next event meets the same failure and returns it.
                let _ = locked(&ticking).draw("", clock());
            }
        })?;
        Ok(Self { screen, clock, ticker: Some((stop, thread)) })
    }

    /// For the signal thread: shows the effect of a signal on the status line at once.
    pub(crate) fn stopping(&self) -> impl Fn(String) + Send + use<W> {
        // A weak reference: the last owner of the screen erases its bottom, and the signal thread never ends.
        let (screen, clock) = (Arc::downgrade(&self.screen), self.clock);
        move |text| {
            if let Some(screen) = screen.upgrade() {
                // The next event meets the same failure and returns it.
                let _ = locked(&screen).stopping(text, clock());
            }
        }
    }
}

impl<W: Write> Reporter for Terminal<W> {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        locked(&self.screen).event(stamped, (self.clock)())
    }
}

impl<W: Write> Drop for Terminal<W> {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            // The thread also owns the screen, and the last owner erases its bottom.
            let _ = thread.join();
        }
    }
}

/// The screen stays usable after a panic in another thread.
fn locked<W: Write>(screen: &Mutex<Screen<W>>) -> MutexGuard<'_, Screen<W>> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender};

    use super::*;
    use crate::report::Marks;
    use crate::report::test_events::a_run;

    /// Sends every write to a channel.
    struct Wire(Sender<String>);

    impl Write for Wire {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // The receiver is dropped when a test ends.
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn on_a_wire() -> (Terminal<Wire>, Receiver<String>) {
        let (sender, written) = channel();
        let renderer = LineRenderer::plain(Marks::EMOJI);
        let screen = Screen::new(Wire(sender), || 80, renderer, RunView::default());
        let terminal = Terminal::showing(screen, events::now);
        (terminal.unwrap(), written)
    }

    #[test]
    fn it_updates_between_events() {
        let (mut terminal, written) = on_a_wire();
        terminal.event(&a_run()[0]).unwrap();
        let first = written.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(first.contains("shop"), "{first}");
        let second = written.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(second.contains("stories") && !second.contains("shop"), "{second}");
    }

    #[test]
    fn the_effect_of_a_signal_is_shown_without_an_event() {
        let (mut terminal, written) = on_a_wire();
        terminal.event(&a_run()[0]).unwrap();
        let stopping = terminal.stopping();
        stopping("stopping: killing the agent".into());
        stopping("stopping: it is killed".into());
        drop(terminal);
        stopping("too late".into());
        let all: Vec<String> = written.try_iter().collect();
        let shown = |text: &str| all.iter().position(|drawn| drawn.contains(text));
        let (first, second) = (shown("killing the agent"), shown("it is killed"));
        assert!(first.is_some() && first < second, "{all:?}");
        assert!(!all[second.unwrap()].contains("killing the agent"), "{all:?}");
        assert!(all.last().unwrap().ends_with("\r\x1b[J"), "{all:?}");
    }

    #[test]
    fn it_cleans_up_and_ends_its_thread_when_it_is_dropped() {
        let (mut terminal, written) = on_a_wire();
        terminal.event(&a_run()[0]).unwrap();
        drop(terminal);
        let all: Vec<String> = written.try_iter().collect();
        assert!(all.last().unwrap().ends_with("\r\x1b[J"), "{all:?}");
    }
}
