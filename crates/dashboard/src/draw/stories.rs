//! The stories, or the iterations of a loop without stories.

use events::describe::story_in_work;
use events::format::{GiveUpState, duration, given_up, iteration_status, money, story_state};
use events::{IterationRecord, Role, StoryBrief};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::{PanelTitle, bar, put, titled};
use crate::state::{DashboardState, Focus};
use crate::text::{padded, shown};

/// Columns of a loop without stories besides the title.
const STATE: usize = 21;
const COST: usize = 9;
/// The width of the progress bar.
const BAR: usize = 10;
/// Below this width column names are shorter.
const NARROW: usize = 76;

/// The cells of a row besides the title.
struct Row<'s> {
    story: &'s StoryBrief,
    is_running: bool,
    role: Role,
    mark: &'static str,
    /// State, reviews, failed attempts and cost.
    cells: [String; 4],
}

fn names(width: usize) -> [&'static str; 4] {
    match width {
        ..NARROW => ["state", "rev", "fail", "cost"],
        _ => ["state", "reviews", "failed", "cost"],
    }
}

/// The widths of the columns after the title, each with a space before it. The title gets the rest.
fn widths(names: [&str; 4], rows: &[Row<'_>]) -> [usize; 4] {
    std::array::from_fn(|at| {
        let cells = rows.iter().map(|row| row.cells[at].width());
        1 + cells.chain([names[at].width()]).max().unwrap_or(0)
    })
}

impl DashboardState {
    /// The number of lines of the panel.
    pub(crate) fn listed(&self) -> usize {
        let stories = self.view.stories.len();
        if self.has_stories() { stories } else { self.view.records.len() }
    }

    /// The last line of the panel without scrolling: the running story is in the middle.
    pub(crate) fn last_story_seen(&self, page: usize) -> usize {
        let listed = self.listed();
        let (last, top) = (listed.saturating_sub(1), page.min(listed).saturating_sub(1));
        if !self.has_stories() {
            return last;
        }
        self.running_story().map_or(top, |at| (at + page / 2).clamp(top, last))
    }

    pub(crate) fn has_stories(&self) -> bool {
        !self.view.stories.is_empty()
    }

    fn running_story(&self) -> Option<usize> {
        let view = &self.view;
        let of_lane = self.shown_lane_view().and_then(|lane| lane.story.as_ref());
        let running = of_lane.or(self.iteration().and_then(|running| running.story.as_ref()))?;
        view.stories.iter().position(|story| story.id == *running)
    }
}

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    // One line for the rule above.
    let page = usize::from(area.height.saturating_sub(1));
    let last = state.scroll.stories.unwrap_or_else(|| state.last_story_seen(page));
    let last = last.min(state.listed().saturating_sub(1));
    let first = (last + 1).saturating_sub(page);
    let rows = rows(state, first, page);
    let names = names(usize::from(area.width));
    let widths = widths(names, &rows);
    let (left, right) =
        if state.has_stories() { head(state, area, names, widths) } else { loop_head(state) };
    let has_focus = state.focus == Focus::Stories;
    let inner = titled(&state.look, frame, area, PanelTitle { left, right, has_focus });
    let width = usize::from(inner.width);
    let lines: Vec<Line<'_>> = if state.has_stories() {
        let ids = rows.iter().map(|row| row.story.id.as_str().len());
        let id = ids.max().unwrap_or(0).min(14);
        rows.iter().map(|row| line(state, row, id, width, widths)).collect()
    } else {
        let shown = state.view.records.iter().skip(first).take(page);
        shown.map(|record| iteration_row(state, record, width)).collect()
    };
    put(&state.look, frame, inner, &lines);
}

fn head(
    state: &DashboardState,
    area: Rect,
    names: [&str; 4],
    widths: [usize; 4],
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let look = &state.look;
    let stories = &state.view.stories;
    let done = stories.iter().filter(|story| story.passes).count();
    let done_of = format!("Stories {done}/{} done", stories.len());
    let mut title = vec![look.span(Role::Strong, done_of)];
    let given_up = given_up_counts(state).into_iter();
    title.extend(given_up.map(|(style, text)| Span::styled(format!(", {text}"), style)));
    let dim = look.style(Role::Dim);
    let label = |at: usize| Span::styled(format!(" {:<1$}", names[at], widths[at] - 1), dim);
    let all = [0, 1, 2, 3].map(label);
    // The width of rule and gaps.
    let space = usize::from(area.width).saturating_sub(3 + width_of(&title));
    let right = if width_of(&all) <= space { all.to_vec() } else { all[1..].to_vec() };
    if width_of(&right) + 1 + BAR <= space {
        title.push(Span::raw(" "));
        title.extend(bar(look, Role::Good, BAR, done as f64 / stories.len().max(1) as f64));
    }
    (title, right)
}

/// `2 failed` and `1 skipped`, as far as there are any.
pub(super) fn given_up_counts(state: &DashboardState) -> Vec<(Style, String)> {
    let stories = &state.view.stories;
    let kinds =
        [(GiveUpState::Failed, Role::Bad, "failed"), (GiveUpState::Skipped, Role::Dim, "skipped")];
    let counts = kinds.map(|(kind, role, word)| {
        (stories.iter().filter(|story| given_up(story) == kind).count(), role, word)
    });
    let some = counts.into_iter().filter(|(count, ..)| *count > 0);
    some.map(|(count, role, word)| (state.look.style(role), format!("{count} {word}"))).collect()
}

fn width_of(spans: &[Span<'_>]) -> usize {
    spans.iter().map(Span::width).sum()
}

fn rows<'s>(state: &'s DashboardState, first: usize, page: usize) -> Vec<Row<'s>> {
    let view = &state.view;
    let blocked = view.blocked();
    let listed = view.stories.iter().skip(first).take(page);
    listed.map(|story| Row::of(state, story, blocked.contains_key(&story.id))).collect()
}

impl<'s> Row<'s> {
    fn of(state: &DashboardState, story: &'s StoryBrief, is_blocked: bool) -> Self {
        let (look, view) = (&state.look, &state.view);
        let signs = look.signs;
        let (mut role, mut words) =
            story_state(story, is_blocked, view.verdicts.get(&story.id).copied());
        let mut mark = match role {
            _ if story.passes => signs.done,
            Role::Bad => signs.failed,
            Role::Plain | Role::Dim => signs.open,
            _ => signs.under_way,
        };
        let mut cost = story.cost_usd;
        let iteration = view.running().find(|one| one.story.as_ref() == Some(&story.id));
        if let Some(doing) = story_in_work(view, &story.id) {
            (role, mark, words) = match iteration {
                None => (Role::Accent, signs.under_way, doing),
                Some(_) if state.is_dead() => (Role::Warn, signs.under_way, "interrupted"),
                Some(_) => (Role::Accent, signs.running, doing),
            };
        }
        cost += iteration.and_then(|one| one.cost_usd).unwrap_or_default();
        let cap = view.start.as_ref().and_then(|start| start.review_cap);
        let most = view.start.as_ref().and_then(|start| start.max_attempts);
        let failed =
            if story.failed_attempts > 0 { of(story.failed_attempts, most) } else { String::new() };
        let cost = if cost > 0.0 { money(cost) } else { String::new() };
        let cells = [words.to_owned(), of(story.review_count, cap), failed, cost];
        Self { story, is_running: iteration.is_some(), role, mark, cells }
    }
}

fn line(
    state: &DashboardState,
    row: &Row<'_>,
    id: usize,
    all: usize,
    widths: [usize; 4],
) -> Line<'static> {
    let look = &state.look;
    let Row { story, is_running, role, mark, cells } = row;
    let space = all.saturating_sub(3 + id + widths.iter().sum::<usize>());
    let style = look.style(*role);
    let title = look.style(if *is_running { Role::Strong } else { Role::Plain });
    let dots = look.signs.ellipsis;
    let [state, reviews, failed, cost] =
        std::array::from_fn(|at| padded(&format!(" {}", cells[at]), widths[at], dots));
    Line::from(vec![
        Span::styled(format!("{mark} "), style),
        Span::styled(padded(story.id.as_str(), id, dots), style),
        Span::styled(format!(" {}", padded(&shown(&story.title), space, dots)), title),
        Span::styled(state, style),
        Span::raw(reviews),
        look.span(Role::Warn, failed),
        Span::raw(cost),
    ])
}

/// `2/5`; empty for 0.
fn of(count: u64, most: Option<u64>) -> String {
    match (count, most) {
        (0, None) => String::new(),
        (count, None) => count.to_string(),
        (count, Some(most)) => format!("{count}/{most}"),
    }
}

fn loop_head(state: &DashboardState) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let count = state.view.records.len();
    let title = format!("Iterations {count}");
    (vec![state.look.span(Role::Strong, title)], Vec::new())
}

fn iteration_row(state: &DashboardState, record: &IterationRecord, width: usize) -> Line<'static> {
    let look = &state.look;
    let signs = look.signs;
    let (role, words, took) = match &record.end {
        Some(end) => {
            let (role, words) = iteration_status(end.status, record.verdict);
            (role, words, duration(end.seconds))
        }
        None if state.view.iteration().is_some() && !state.is_dead() => {
            (Role::Accent, "running", String::new())
        }
        None => (Role::Bad, "cut off", String::new()),
    };
    let mark = match role {
        Role::Good => signs.done,
        Role::Bad => signs.failed,
        Role::Accent => signs.running,
        _ => signs.under_way,
    };
    let space = width.saturating_sub(10 + STATE + COST + COST);
    let text = format!(" {} {}", record.mode, shown(&record.title));
    let cost = record.cost().filter(|usd| *usd > 0.0).map(money).unwrap_or_default();
    let style = look.style(role);
    Line::from(vec![
        Span::styled(format!("{mark} {:>4}", record.number), style),
        Span::raw(padded(&text, space, signs.ellipsis)),
        Span::styled(padded(&format!(" {words}"), STATE, signs.ellipsis), style),
        Span::raw(padded(&format!(" {took}"), COST, signs.ellipsis)),
        Span::raw(padded(&format!(" {cost}"), COST, signs.ellipsis)),
    ])
}
