//! Key bindings.

use events::{Pause, Role};
use project::orders::Order;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::draw::panels;
use crate::line_editor::LineEditor;
use crate::search::Search;
use crate::state::{DashboardMode, DashboardState, Effect, Focus, Prompt, Wanted};
use crate::stream::SearchDirection;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// While the run is running.
    Live,
    Replay,
    /// In a run with lanes.
    Lanes,
}

/// Keys, when they work and what they do: the rows of the help, and of docs/watch.md.
pub(crate) const KEYS: &[(&str, When, &str)] = &[
    ("q, Esc", When::Always, "leave; the loop continues"),
    ("Ctrl-C", When::Always, "leave; in `run --tui`, stop the loop"),
    ("Ctrl-Z", When::Always, "suspend"),
    ("?", When::Always, "help"),
    ("Tab", When::Always, "next panel"),
    ("Up, Down, k, j", When::Always, "scroll a line"),
    ("PgUp, PgDn", When::Always, "scroll a page"),
    ("g, G", When::Always, "first, last line"),
    ("/", When::Always, "search; n, N: older, newer match"),
    ("r", When::Always, "newest run"),
    ("1 - 9", When::Lanes, "show lane 1 to 9"),
    ("[, ]", When::Lanes, "show the previous, next lane"),
    ("p", When::Live, "pause after this iteration, resume"),
    ("s", When::Live, "skip the story (asks)"),
    ("x", When::Live, "stop (asks); again: kill the agent"),
    ("t, :", When::Live, "steer: add an instruction"),
    ("Space", When::Replay, "pause, play, restart"),
    ("+, -", When::Replay, "faster, slower"),
    ("Left, Right", When::Replay, "previous, next iteration"),
    ("Home, End", When::Replay, "start, end of the run"),
];

impl DashboardState {
    pub(crate) fn input(&mut self, event: Event) -> Option<Effect> {
        match event {
            Event::Key(key) => return self.key(key),
            Event::Paste(text) => self.paste(&text),
            // The next frame reads the window size.
            Event::Resize(..) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
        }
        None
    }

    pub(crate) fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.notice = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            self.prompt = Prompt::Nothing;
            return Some(match self.mode {
                DashboardMode::Running => Effect::Interrupt,
                DashboardMode::Watching | DashboardMode::Replaying(_) => Effect::Leave,
            });
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('z') {
            return Some(Effect::Suspend);
        }
        match std::mem::replace(&mut self.prompt, Prompt::Nothing) {
            Prompt::Nothing => self.command(key),
            Prompt::Help => None,
            Prompt::Confirm(order) => self.confirm(key, order),
            Prompt::Line(wanted, line) => self.line_key(key, wanted, line),
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if let Prompt::Line(_, line) = &mut self.prompt {
            line.insert(text);
        }
    }

    fn command(&mut self, key: KeyEvent) -> Option<Effect> {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return None;
        }
        match key.code {
            KeyCode::Esc if self.search.is_some() => self.search = None,
            KeyCode::Char('q') | KeyCode::Esc => return Some(Effect::Leave),
            KeyCode::Char('?' | 'h') => self.prompt = Prompt::Help,
            KeyCode::Char('/') => self.prompt = Prompt::Line(Wanted::Search, LineEditor::default()),
            KeyCode::Char('n') => self.find(SearchDirection::Earlier),
            KeyCode::Char('N') => self.find(SearchDirection::Later),
            KeyCode::Char('r') if self.newer.is_some() => return Some(Effect::ToNewerRun),
            KeyCode::Char('[') => self.move_to_lane(SearchDirection::Earlier),
            KeyCode::Char(']') => self.move_to_lane(SearchDirection::Later),
            KeyCode::Char(digit @ '1'..='9') => {
                self.show_lane(u64::from(digit).saturating_sub(u64::from('0')));
            }
            KeyCode::Tab => self.focus = self.focus.next(),
            KeyCode::BackTab => self.focus = self.focus.next().next(),
            code if self.replay().is_some() => self.replay_key(code),
            code => {
                self.scroll_key(code);
                if self.accepts_orders() {
                    return self.order_key(code);
                }
            }
        }
        None
    }

    fn order_key(&mut self, code: KeyCode) -> Option<Effect> {
        match code {
            KeyCode::Char('p') => return Some(Effect::Order(self.pause_or_resume())),
            KeyCode::Char('s') if self.view.stories.is_empty() => {
                self.set_notice(Role::Warn, "this loop has no stories to skip");
            }
            KeyCode::Char('s') => {
                let of_lane = self.shown_lane_view().and_then(|lane| lane.story.as_ref());
                let running = self.iteration().and_then(|running| running.story.as_ref());
                let story = of_lane.or(running).cloned();
                self.prompt = Prompt::Confirm(Order::Skip { story });
            }
            KeyCode::Char('x') => self.prompt = Prompt::Confirm(Order::Stop),
            KeyCode::Char('t' | ':') => {
                self.prompt = Prompt::Line(Wanted::Instruction, LineEditor::default());
            }
            _ => {}
        }
        None
    }

    /// Shows the request at once, although the run reads the order later.
    fn pause_or_resume(&mut self) -> Order {
        let pause = &mut self.view.pending_orders.pause;
        match pause {
            Pause::No => {
                *pause = Pause::Requested;
                Order::Pause
            }
            Pause::Requested => {
                *pause = Pause::No;
                Order::GoOn
            }
            Pause::Waiting { .. } => Order::GoOn,
        }
    }

    fn confirm(&mut self, key: KeyEvent, order: Order) -> Option<Effect> {
        match key.code {
            KeyCode::Char('y' | 'Y') => return Some(Effect::Order(order)),
            _ => self.set_notice(Role::Dim, "cancelled"),
        }
        None
    }

    fn line_key(&mut self, key: KeyEvent, wanted: Wanted, mut line: LineEditor) -> Option<Effect> {
        match (key.code, wanted) {
            (KeyCode::Esc, Wanted::Search) => self.search = None,
            (KeyCode::Esc, Wanted::Instruction) => self.set_notice(Role::Dim, "cancelled"),
            (KeyCode::Enter, Wanted::Search) => {
                self.search = Search::new(&line.text());
                self.focus = Focus::Stream;
                if self.search.is_some() {
                    self.find(SearchDirection::Earlier);
                }
            }
            (KeyCode::Enter, Wanted::Instruction) => match Order::steer(&line.text()) {
                Ok(order) => return Some(Effect::Order(order)),
                Err(error) => {
                    self.set_notice(Role::Warn, error.to_string());
                    self.prompt = Prompt::Line(wanted, line);
                }
            },
            _ => {
                line.key(key);
                self.prompt = Prompt::Line(wanted, line);
            }
        }
        None
    }

    fn replay_key(&mut self, code: KeyCode) {
        let DashboardMode::Replaying(replay) = &mut self.mode else { return };
        match code {
            KeyCode::Char(' ') => replay.toggle(),
            KeyCode::Char('+' | '=') => replay.faster(),
            KeyCode::Char('-') => replay.slower(),
            KeyCode::Left => replay.previous_iteration(),
            KeyCode::Right => replay.next_iteration(),
            KeyCode::Home => replay.go_to(0.0),
            KeyCode::End => replay.go_to(f64::INFINITY),
            code => self.scroll_key(code),
        }
    }

    /// Scrolls to the next match before or after the last visible line.
    fn find(&mut self, direction: SearchDirection) {
        let Some(search) = &self.search else {
            return self.set_notice(Role::Dim, "press / to search the stream");
        };
        let from = self.scroll.stream.unwrap_or(self.stream().end());
        match self.stream().find(search, from, direction) {
            Some(found) => self.scroll.stream = Some(found),
            None => {
                let text = format!("\"{}\" not found in the stream", search.wanted);
                self.set_notice(Role::Warn, text);
            }
        }
    }

    fn scroll_key(&mut self, code: KeyCode) {
        let page = panels(self).rows_of(self.focus).max(1);
        match self.focus {
            Focus::Stream => self.scroll_stream(code),
            Focus::Stories => {
                let at = self.scroll.stories.unwrap_or_else(|| self.last_story_seen(page));
                let moved = moved_in_list(code, at, page, self.listed());
                self.scroll.stories = moved.or(self.scroll.stories);
            }
            Focus::Log => {
                let entries = self.log.len();
                let at = self.scroll.log.unwrap_or(entries.saturating_sub(1));
                if let Some(moved) = moved_in_list(code, at, page, entries) {
                    // At the end it follows again.
                    self.scroll.log = Some(moved).filter(|&last| last + 1 < entries);
                }
            }
        }
    }

    fn scroll_stream(&mut self, code: KeyCode) {
        let (stream, panel) = (self.stream(), panels(self).stream);
        let (width, rows) = (usize::from(panel.width), usize::from(panel.height));
        let last = stream.end().saturating_sub(1);
        let at = self.scroll.stream.unwrap_or(last);
        // The last line of the first page.
        let top = stream.dropped + stream.lines_down_from(stream.dropped, width, rows).max(1) - 1;
        let up = stream.lines_up_from(at, width, rows).max(2) - 1;
        let down = stream.lines_down_from(at, width, rows).max(2) - 1;
        if let Some(moved) = moved(code, at, [up, down], [top, last]) {
            self.scroll.stream = (moved < last).then_some(moved);
        }
    }
}

/// The new last visible line after a key that scrolls, between `top` and `last`. A page up and a page down may differ.
fn moved(code: KeyCode, at: u64, [up, down]: [u64; 2], [top, last]: [u64; 2]) -> Option<u64> {
    let moved = match code {
        KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => at + 1,
        KeyCode::PageUp => at.saturating_sub(up),
        KeyCode::PageDown => at + down,
        KeyCode::Home | KeyCode::Char('g') => top,
        KeyCode::End | KeyCode::Char('G') => last,
        _ => return None,
    };
    Some(moved.max(top).min(last))
}

/// The same in a list of so many lines; `None` also without lines.
fn moved_in_list(code: KeyCode, at: usize, page: usize, lines: usize) -> Option<usize> {
    let (last, top) = (lines.checked_sub(1)?, page.min(lines) - 1);
    let [at, page, top, last] = [at, page, top, last].map(|number| number as u64);
    usize::try_from(moved(code, at, [page; 2], [top, last])?).ok()
}

impl Focus {
    fn next(self) -> Self {
        match self {
            Self::Stories => Self::Stream,
            Self::Stream => Self::Log,
            Self::Log => Self::Stories,
        }
    }
}
