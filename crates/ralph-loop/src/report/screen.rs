//! Draws scrolling lines above fixed status lines and a progress bar; each change is one write.
//!
//! Not indicatif: it pads lines with spaces to the full width, which breaks copied text and resized
//! windows.

use std::io::{self, Write};

use chrono::{DateTime, Utc};
use events::Stamped;

use super::status_line::{bar_line, lane_lines, status_line};
use super::{LineRenderer, RunView, is_closed};

/// Synchronized output: terminals that know it do not show partial frames; others ignore it.
const DRAWING: &str = "\x1b[?2026h";
const DRAWN: &str = "\x1b[?2026l";
const ERASE_BELOW: &str = "\r\x1b[J";

pub(super) struct Screen<W: Write> {
    out: W,
    /// The current number of columns.
    width: Box<dyn Fn() -> usize + Send>,
    renderer: LineRenderer,
    view: RunView,
    /// The painted lines at the bottom, each with its width.
    bottom: Vec<(String, usize)>,
    /// The effect of the last signal.
    stopping: Option<String>,
    is_closed: bool,
}

impl<W: Write> Screen<W> {
    /// `view` is the state so far; earlier events are not shown.
    pub(super) fn new(
        out: W,
        width: impl Fn() -> usize + Send + 'static,
        renderer: LineRenderer,
        view: RunView,
    ) -> Self {
        let (bottom, stopping, is_closed) = (Vec::new(), None, false);
        Self { out, width: Box::new(width), renderer, view, bottom, stopping, is_closed }
    }

    pub(super) fn event(&mut self, stamped: &Stamped, now: DateTime<Utc>) -> io::Result<()> {
        let renderer = self.renderer.with_width(Some(self.columns()));
        let text = renderer.painted(stamped, &self.view);
        self.view.apply(stamped);
        self.draw(&text, now)
    }

    pub(super) fn stopping(&mut self, text: String, now: DateTime<Utc>) -> io::Result<()> {
        self.stopping = Some(text);
        self.draw("", now)
    }

    /// Writes `text` above the bottom, and updates the times there.
    pub(super) fn draw(&mut self, text: &str, now: DateTime<Utc>) -> io::Result<()> {
        let bottom = self.bottom_at(now);
        if self.is_closed || (text.is_empty() && bottom == self.bottom) {
            return Ok(());
        }
        let painted: Vec<&str> = bottom.iter().map(|(text, _)| text.as_str()).collect();
        let whole = format!("{DRAWING}{}{text}{}{DRAWN}", self.erasure(), painted.join("\n"));
        self.bottom = bottom;
        let written = self.out.write_all(whole.as_bytes()).and_then(|()| self.out.flush());
        self.is_closed = is_closed(written)?;
        Ok(())
    }

    fn bottom_at(&self, now: DateTime<Utc>) -> Vec<(String, usize)> {
        if self.view.start.is_none() || self.view.end.is_some() {
            return Vec::new();
        }
        let renderer = self.renderer.with_width(Some(self.columns()));
        let (look, stopping) = (&renderer.look, self.stopping.as_deref());
        let status = status_line(&self.view, stopping, now, look, renderer.offset);
        let status = Some(status).filter(|line| line.width() > 0);
        let lanes = lane_lines(&self.view, now, look, renderer.offset);
        let lines = status.into_iter().chain(lanes).chain([bar_line(&self.view, now, look)]);
        lines.map(|line| (line.paint(&look.palette), line.width())).collect()
    }

    /// Erases the bottom; the cursor is at its end. A window that got narrower has wrapped its lines.
    fn erasure(&self) -> String {
        let columns = (self.width)().max(1);
        let rows: usize = self.bottom.iter().map(|(_, width)| width.div_ceil(columns).max(1)).sum();
        match rows {
            0 => String::new(),
            1 => ERASE_BELOW.to_owned(),
            rows => format!("\x1b[{}A{ERASE_BELOW}", rows - 1),
        }
    }

    /// One column stays free: some terminals wrap a line that fills the last column.
    fn columns(&self) -> usize {
        (self.width)().saturating_sub(1)
    }
}

impl<W: Write> Drop for Screen<W> {
    /// The next output starts where the bottom was.
    fn drop(&mut self) {
        if !self.is_closed && !self.bottom.is_empty() {
            let erasure = self.erasure();
            let _ = self.out.write_all(erasure.as_bytes()).and_then(|()| self.out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use events::LoopEvent;

    use super::*;
    use crate::report::test_events::{a_run, a_run_with_lanes, at, stamped};
    use crate::report::{Marks, VerboseLines};

    /// A terminal of 24 rows, which drops replacement characters.
    #[derive(Clone)]
    struct Emulator(Arc<Mutex<vt100::Parser>>);

    impl Emulator {
        fn new(columns: u16) -> Self {
            Self(Arc::new(Mutex::new(vt100::Parser::new(24, columns, 0))))
        }

        fn contents(&self) -> String {
            self.0.lock().unwrap().screen().contents()
        }
    }

    impl Write for Emulator {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // A terminal in its usual mode turns a line feed into CR LF.
            let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
            self.0.lock().unwrap().process(text.as_bytes());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn screen(emulator: &Emulator, columns: usize) -> Screen<Emulator> {
        let options = LineRenderer::coloured();
        Screen::new(emulator.clone(), move || columns, options, RunView::default())
    }

    #[test]
    fn two_lines_stay_below_the_scrolling_ones_and_their_times_advance() {
        let emulator = Emulator::new(80);
        let mut screen = screen(&emulator, 80);
        for stamped in &a_run()[..9] {
            screen.event(stamped, stamped.at).unwrap();
        }
        let above = "shop · branch ralph/shop · claude (opus) · ralph-loop 0.1.0
  3 stories, 1 done · up to 15 iterations · up to 5 reviews a story
    up to 5 attempts a story · up to 1h 00m · up to $20.00
  ↺ resumed after 2 iterations and $1.50
  ▲ isolation: guard: command filter only, no sandbox
      os not used: bwrap is not in PATH
  › estimate: 2 stories, about 3 iterations each: about 6; $0.75 an iteration
    so far, about $4.50 in total
  ↺ a marker of a run that was killed; removed
  ▲ the plugin is not installed
    hooks come from settings

━━ iteration 3/15 · review · US-002 Sums with tax
  claude-opus-4, version 2.1.0
  I will look at the diff first.

      let x = 1;]0;pwned
";
        let bottom = "⠋ iteration 3/15 · review · US-002 · 2s
  ━━━━━━━━━━────────────────────  1/3 stories · $1.50 · 4s";
        assert_eq!(emulator.contents(), format!("{above}{bottom}"));
        screen.draw("", at(126)).unwrap();
        let bottom = bottom.replace("· 2s", "· 2m 04s").replace("· 4s", "· 2m 06s");
        assert_eq!(emulator.contents(), format!("{above}{bottom}"));
    }

    #[test]
    fn each_lane_has_a_line_at_the_bottom() {
        let emulator = Emulator::new(80);
        let mut screen = screen(&emulator, 80);
        let bottom_at = |screen: &mut Screen<Emulator>, seconds| {
            screen.draw("", at(seconds)).unwrap();
            let contents = emulator.contents();
            let lines: Vec<_> = contents.lines().map(str::to_owned).collect();
            lines[lines.len() - 4..].to_vec()
        };
        let mut events = a_run_with_lanes().into_iter().peekable();
        while let Some(one) = events.next_if(|one| one.at < at(110)) {
            screen.event(&one, one.at).unwrap();
        }
        assert_eq!(
            bottom_at(&mut screen, 110),
            [
                "⠋ 1 US-001 · implement · 1m 30s · context 20% · Bash(cargo test US-001)",
                "⠋ 2 US-002 · implement · 1m 28s · context 20% · Bash(cargo test US-002)",
                "⏸ 3 US-003 · working · 1m 26s · waiting to retry · 21s left · until 01:02",
                "  ──────────────────────────────  0/5 stories · $0.25 · 1m 50s",
            ]
        );
        events.for_each(|one| screen.event(&one, one.at).unwrap());
        assert_eq!(
            bottom_at(&mut screen, 810),
            [
                "⠋ 1 US-005 · implement · 1m 18s · context 20% · Bash(cargo test US-005)",
                "⏸ 2 US-004 · waiting for merge · 9s",
                "⠋ 3 US-003 · merging · 30s · check 1/1, 29s: cargo test",
                "  ━━━━━━━━━━━━──────────────────  2/5 stories · $2.75 · 13m 30s",
            ]
        );
        let stop = LoopEvent::StopRequested { signal: "SIGINT".into(), text: "stopping".into() };
        screen.event(&stamped(811, stop), at(811)).unwrap();
        let contents = emulator.contents();
        assert!(contents.lines().any(|line| line == "⠋ stopping"), "{contents}");
    }

    #[test]
    fn lines_with_the_time_before_them_still_fit() {
        let emulator = Emulator::new(40);
        let options = LineRenderer { timestamps: true, ..LineRenderer::plain(Marks::EMOJI) };
        let mut screen = Screen::new(emulator.clone(), || 40, options, RunView::default());
        let text = LoopEvent::AgentText { text: "one two three four five six seven".into() };
        screen.event(&stamped(0, text), at(0)).unwrap();
        let expected = "[01:00:00]   one two three four five\n[01:00:00]   six seven";
        assert_eq!(emulator.contents(), expected);
    }

    #[test]
    fn lines_of_verbose_scroll_with_the_others_above_the_bottom() {
        let emulator = Emulator::new(60);
        let options =
            LineRenderer { verbose: VerboseLines::Details, ..LineRenderer::plain(Marks::EMOJI) };
        let mut screen = Screen::new(emulator.clone(), || 60, options, RunView::default());
        for stamped in &a_run()[..9] {
            screen.event(stamped, stamped.at).unwrap();
        }
        let contents = emulator.contents();
        let at = |text: &str| contents.lines().position(|line| line == text).unwrap();
        let starting = at("━━ iteration 3/15 · review · US-002 Sums with tax");
        assert_eq!(at("[ralph] agent command: claude -p --model opus"), starting + 1);
        assert_eq!(at("⠋ iteration 3/15 · review · US-002 · 2s"), contents.lines().count() - 2);
    }

    #[test]
    fn the_bottom_is_erased_after_the_end() {
        let emulator = Emulator::new(100);
        let mut screen = screen(&emulator, 100);
        for stamped in a_run() {
            screen.event(&stamped, stamped.at).unwrap();
        }
        let contents = emulator.contents();
        assert!(!contents.contains("stories ·"), "{contents}");
        assert!(contents.ends_with("commits of the run"), "{contents}");
    }

    #[test]
    fn the_bottom_is_erased_when_a_run_breaks_off() {
        let emulator = Emulator::new(80);
        let mut screen = screen(&emulator, 80);
        for stamped in &a_run()[..9] {
            screen.event(stamped, stamped.at).unwrap();
        }
        assert!(emulator.contents().contains("stories ·"));
        drop(screen);
        assert!(!emulator.contents().contains("stories ·"), "{}", emulator.contents());
        assert!(emulator.contents().ends_with("pwned"));
    }

    #[test]
    fn nothing_is_written_while_nothing_changes() {
        let mut screen =
            Screen::new(Vec::new(), || 80, LineRenderer::plain(Marks::EMOJI), RunView::default());
        screen.event(&a_run()[0], at(0)).unwrap();
        let written = screen.out.len();
        screen.draw("", at(0)).unwrap();
        assert_eq!(screen.out.len(), written);
        screen.draw("", at(1)).unwrap();
        assert!(screen.out.len() > written);
    }

    #[test]
    fn lines_that_a_narrower_window_wrapped_are_erased_completely() {
        static COLUMNS: AtomicUsize = AtomicUsize::new(80);
        let width = || COLUMNS.load(Ordering::Relaxed);
        let mut screen =
            Screen::new(Vec::new(), width, LineRenderer::plain(Marks::EMOJI), RunView::default());
        screen.event(&a_run()[0], at(0)).unwrap();
        screen.draw("", at(1)).unwrap();
        assert!(String::from_utf8_lossy(&screen.out).contains("\x1b[1A\r\x1b[J"));
        screen.out.clear();
        COLUMNS.store(20, Ordering::Relaxed);
        screen.draw("", at(2)).unwrap();
        // "⠋ between iterations" has 20 columns, the bar 58.
        assert!(String::from_utf8_lossy(&screen.out).contains("\x1b[3A\r\x1b[J"));
    }
}
