//! The human reporter without a terminal: plain lines.

use std::io::{self, Write};

use events::Stamped;

use super::{LineRenderer, Reporter, RunView, is_closed};

#[derive(Debug)]
pub(crate) struct Plain<W> {
    out: W,
    renderer: LineRenderer,
    view: RunView,
    is_closed: bool,
}

impl<W: Write> Plain<W> {
    pub(crate) fn new(out: W, renderer: LineRenderer) -> Self {
        Self { out, renderer, view: RunView::default(), is_closed: false }
    }
}

impl<W: Write> Reporter for Plain<W> {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let text = self.renderer.painted(stamped, &self.view);
        self.view.apply(stamped);
        if !self.is_closed && !text.is_empty() {
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            self.is_closed = is_closed(written)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Marks, test_events};

    fn rendered(options: &LineRenderer) -> String {
        let mut out = Vec::new();
        let mut reporter = Plain::new(&mut out, *options);
        for stamped in test_events::a_run() {
            reporter.event(&stamped).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn without_colour_and_emoji_there_is_no_escape_and_nothing_but_ascii() {
        let plain = rendered(&LineRenderer::plain(Marks::EMOJI));
        assert!(!plain.contains('\x1b'));
        let ascii = rendered(&LineRenderer::plain(Marks::ASCII));
        assert!(
            ascii.lines().all(|line| line.is_ascii() || line.contains(['\u{fffd}', '日'])),
            "{ascii}"
        );
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let options = LineRenderer::coloured();
        let coloured = rendered(&options);
        assert!(coloured.contains("\x1b["));
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(stripped, rendered(&LineRenderer::plain(Marks::EMOJI)));
    }

    #[test]
    fn every_line_can_carry_the_time_in_the_users_zone() {
        let options = LineRenderer {
            timestamps: true,
            offset: chrono::FixedOffset::east_opt(3600).unwrap(),
            ..LineRenderer::plain(Marks::EMOJI)
        };
        let text = rendered(&options);
        assert!(text.starts_with("[02:00:00] shop · branch ralph/shop"), "{text}");
        assert!(text.lines().all(|line| line.is_empty() || &line[3..4] == ":"), "{text}");
    }

    #[test]
    fn the_agents_stream_can_be_hidden_and_the_loops_own_lines_stay() {
        let options = LineRenderer { agent_stream: false, ..LineRenderer::plain(Marks::EMOJI) };
        let text = rendered(&options);
        assert!(!text.contains("I will look") && !text.contains("cargo test -p cart"), "{text}");
        assert!(text.contains("stop-guard blocked") && text.contains("broke a rule"), "{text}");
    }

    struct Closed {
        kind: io::ErrorKind,
        tried: usize,
    }

    impl Write for &mut Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.tried += 1;
            Err(self.kind.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_output_does_not_fail_the_run() {
        let mut closed = Closed { kind: io::ErrorKind::BrokenPipe, tried: 0 };
        let mut reporter = Plain::new(&mut closed, LineRenderer::plain(Marks::EMOJI));
        for stamped in test_events::a_run() {
            reporter.event(&stamped).unwrap();
        }
        assert_eq!(closed.tried, 1);
    }

    #[test]
    fn any_other_failure_is_returned() {
        let mut full = Closed { kind: io::ErrorKind::StorageFull, tried: 0 };
        let mut reporter = Plain::new(&mut full, LineRenderer::plain(Marks::EMOJI));
        let error = reporter.event(&test_events::a_run()[0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
