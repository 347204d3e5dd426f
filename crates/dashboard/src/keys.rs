//! Key bindings.

use events::{Pause, Role};
use project::orders::Order;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::draw::panels;
use crate::line_editor::LineEditor;
use crate::search::Search;
use crate::state::{DashboardMode, DashboardState, Effect, Focus, Prompt};
use crate::stream::SearchDirection;

/// A row of the help, and of docs/watch.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHelp {
    pub keys: &'static str,
    pub does: &'static str,
    pub when: When,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    /// While the run is running.
    Live,
    Replay,
}

const fn key(keys: &'static str, when: When, does: &'static str) -> KeyHelp {
    KeyHelp { keys, does, when }
}

pub const KEYS: &[KeyHelp] = &[
    key("q, Esc", When::Always, "leave; the loop continues"),
    key("Ctrl-C", When::Always, "leave; in `run --tui`, stop the loop"),
    key("Ctrl-Z", When::Always, "suspend"),
    key("?", When::Always, "help"),
    key("Tab", When::Always, "next panel"),
    key("Up, Down, k, j", When::Always, "scroll a line"),
    key("PgUp, PgDn", When::Always, "scroll a page"),
    key("g, G", When::Always, "first, last line"),
    key("/", When::Always, "search; n, N: older, newer match"),
    key("r", When::Always, "newest run"),
    key("p", When::Live, "pause after this iteration, resume"),
    key("s", When::Live, "skip the story (asks)"),
    key("x", When::Live, "stop (asks); again: kill the agent"),
    key("t, :", When::Live, "steer: add an instruction"),
    key("Space", When::Replay, "pause, play, restart"),
    key("+, -", When::Replay, "faster, slower"),
    key("Left, Right", When::Replay, "previous, next iteration"),
    key("Home, End", When::Replay, "start, end of the run"),
];

impl DashboardState {
    pub fn key(&mut self, key: KeyEvent) -> Option<Effect> {
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
            Prompt::Search(line) => self.search_key(key, line),
            Prompt::Steer(line) => self.steer_key(key, line),
        }
    }

    pub fn paste(&mut self, text: &str) {
        match &mut self.prompt {
            Prompt::Search(line) | Prompt::Steer(line) => line.insert(text),
            Prompt::Nothing | Prompt::Help | Prompt::Confirm(_) => {}
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
            KeyCode::Char('/') => self.prompt = Prompt::Search(LineEditor::default()),
            KeyCode::Char('n') => self.find(SearchDirection::Earlier),
            KeyCode::Char('N') => self.find(SearchDirection::Later),
            KeyCode::Char('r') if self.newer.is_some() => return Some(Effect::ToNewerRun),
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
                let running = self.view.iteration();
                let story = running.and_then(|running| running.story.clone());
                self.prompt = Prompt::Confirm(Order::Skip { story });
            }
            KeyCode::Char('x') => self.prompt = Prompt::Confirm(Order::Stop),
            KeyCode::Char('t' | ':') => self.prompt = Prompt::Steer(LineEditor::default()),
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

    fn search_key(&mut self, key: KeyEvent, mut line: LineEditor) -> Option<Effect> {
        match key.code {
            KeyCode::Esc => self.search = None,
            KeyCode::Enter => {
                self.search = Search::new(&line.text());
                self.focus = Focus::Stream;
                if self.search.is_some() {
                    self.find(SearchDirection::Earlier);
                }
            }
            _ => {
                line.key(key);
                self.prompt = Prompt::Search(line);
            }
        }
        None
    }

    fn steer_key(&mut self, key: KeyEvent, mut line: LineEditor) -> Option<Effect> {
        match key.code {
            KeyCode::Esc => self.set_notice(Role::Dim, "cancelled"),
            KeyCode::Enter => match Order::steer(&line.text()) {
                Ok(order) => return Some(Effect::Order(order)),
                Err(error) => {
                    self.set_notice(Role::Warn, error.to_string());
                    self.prompt = Prompt::Steer(line);
                }
            },
            _ => {
                line.key(key);
                self.prompt = Prompt::Steer(line);
            }
        }
        None
    }

    fn replay_key(&mut self, code: KeyCode) {
        let Some(replay) = self.replay_mut() else { return };
        match code {
            KeyCode::Char(' ') => replay.toggle(),
            KeyCode::Char('+' | '=') => replay.faster(),
            KeyCode::Char('-') => replay.slower(),
            KeyCode::Left => replay.previous_iteration(),
            KeyCode::Right => replay.next_iteration(),
            KeyCode::Home => replay.go_to_beginning(),
            KeyCode::End => replay.go_to_end(),
            code => self.scroll_key(code),
        }
    }

    /// Scrolls to the next match before or after the last visible line.
    fn find(&mut self, direction: SearchDirection) {
        let Some(search) = &self.search else {
            return self.set_notice(Role::Dim, "press / to search the stream");
        };
        let from = self.scroll.stream.unwrap_or(self.stream.end());
        match self.stream.find(search, from, direction) {
            Some(found) => self.scroll.stream = Some(found),
            None => {
                let text = format!("\"{}\" not found in the stream", search.wanted());
                self.set_notice(Role::Warn, text);
            }
        }
    }

    fn scroll_key(&mut self, code: KeyCode) {
        let Some(by) = By::of(code) else { return };
        let page = panels(self).rows_of(self.focus).max(1);
        match self.focus {
            Focus::Stream => self.scroll_stream(by),
            Focus::Stories => {
                let listed = self.listed();
                let at = self.scroll.stories.unwrap_or_else(|| self.last_story_seen(page));
                self.scroll.stories = by.moved(at, page, listed);
            }
            Focus::Log => {
                let entries = self.log.entries().len();
                let at = self.scroll.log.unwrap_or(entries.saturating_sub(1));
                let moved = by.moved(at, page, entries);
                // At the end it follows again.
                self.scroll.log = moved.filter(|&last| last + 1 < entries);
            }
        }
    }

    fn scroll_stream(&mut self, by: By) {
        let (stream, panel) = (&self.stream, panels(self).stream);
        let (width, rows) = (usize::from(panel.width), usize::from(panel.height));
        let last = stream.end().saturating_sub(1);
        let at = self.scroll.stream.unwrap_or(last);
        // The last line of the first page.
        let top = stream.first() + stream.lines_down_from(stream.first(), width, rows).max(1) - 1;
        let moved = match by {
            By::LineUp => at.saturating_sub(1),
            By::LineDown => at + 1,
            By::PageUp => at.saturating_sub(stream.lines_up_from(at, width, rows).max(2) - 1),
            By::PageDown => at + stream.lines_down_from(at, width, rows).max(2) - 1,
            By::ToTop => top,
            By::ToEnd => last,
        };
        let moved = moved.max(top);
        self.scroll.stream = (moved < last).then_some(moved);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    LineUp,
    LineDown,
    PageUp,
    PageDown,
    ToTop,
    ToEnd,
}

impl By {
    fn of(code: KeyCode) -> Option<Self> {
        Some(match code {
            KeyCode::Up | KeyCode::Char('k') => Self::LineUp,
            KeyCode::Down | KeyCode::Char('j') => Self::LineDown,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            KeyCode::Home | KeyCode::Char('g') => Self::ToTop,
            KeyCode::End | KeyCode::Char('G') => Self::ToEnd,
            _ => return None,
        })
    }

    /// The new last visible line; `None` without lines.
    fn moved(self, at: usize, page: usize, lines: usize) -> Option<usize> {
        let (last, top) = (lines.checked_sub(1)?, page.min(lines) - 1);
        let moved = match self {
            Self::LineUp => at.saturating_sub(1),
            Self::LineDown => at + 1,
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at + page,
            Self::ToTop => top,
            Self::ToEnd => last,
        };
        Some(moved.clamp(top, last))
    }
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
