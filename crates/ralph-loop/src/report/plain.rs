//! The human reporter without a terminal: plain lines.

use std::io::{self, Write};

use events::Stamped;

use super::line_renderer::LineRenderer;
use super::{HumanOptions, Reporter, RunView, is_closed};

#[derive(Debug)]
pub struct Plain<W> {
    out: W,
    renderer: LineRenderer,
    options: HumanOptions,
    view: RunView,
    is_closed: bool,
}

impl<W: Write> Plain<W> {
    pub fn new(out: W, options: &HumanOptions) -> Self {
        let (renderer, options) = (options.renderer(None), options.clone());
        Self { out, renderer, options, view: RunView::default(), is_closed: false }
    }
}

impl<W: Write> Reporter for Plain<W> {
    fn name(&self) -> &'static str {
        "output"
    }

    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let lines = self.renderer.lines(stamped, &self.view);
        self.view.apply(stamped);
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for line in lines {
            let line = self.options.with_timestamp(line, stamped);
            text.push_str(&line.paint(&self.renderer.look.palette));
            text.push('\n');
        }
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        self.is_closed = is_closed(written)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events;
    use crate::report::{Marks, Palette};

    fn rendered(options: &HumanOptions) -> String {
        let mut out = Vec::new();
        let mut reporter = Plain::new(&mut out, options);
        for stamped in test_events::a_run() {
            reporter.event(&stamped).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn without_colour_and_emoji_there_is_no_escape_and_nothing_but_ascii() {
        let plain = rendered(&HumanOptions::plain());
        assert!(!plain.contains('\x1b'));
        let ascii = rendered(&HumanOptions { marks: Marks::ASCII, ..HumanOptions::plain() });
        assert!(
            ascii.lines().all(|line| line.is_ascii() || line.contains(['\u{fffd}', '日'])),
            "{ascii}"
        );
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let options = HumanOptions { palette: Palette::coloured(), ..HumanOptions::plain() };
        let coloured = rendered(&options);
        assert!(coloured.contains("\x1b["));
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(stripped, rendered(&HumanOptions::plain()));
    }

    #[test]
    fn every_line_can_carry_the_time_in_the_users_zone() {
        let options = HumanOptions {
            timestamps: true,
            offset: chrono::FixedOffset::east_opt(3600).unwrap(),
            ..HumanOptions::plain()
        };
        let text = rendered(&options);
        assert!(text.starts_with("[02:00:00] shop · branch ralph/shop"), "{text}");
        assert!(text.lines().all(|line| line.is_empty() || &line[3..4] == ":"), "{text}");
    }

    #[test]
    fn the_agents_stream_can_be_hidden_and_the_loops_own_lines_stay() {
        let options = HumanOptions { agent_stream: false, ..HumanOptions::plain() };
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
        let mut reporter = Plain::new(&mut closed, &HumanOptions::plain());
        for stamped in test_events::a_run() {
            reporter.event(&stamped).unwrap();
        }
        assert_eq!(closed.tried, 1);
    }

    #[test]
    fn any_other_failure_is_returned() {
        let mut full = Closed { kind: io::ErrorKind::StorageFull, tried: 0 };
        let mut reporter = Plain::new(&mut full, &HumanOptions::plain());
        let error = reporter.event(&test_events::a_run()[0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
