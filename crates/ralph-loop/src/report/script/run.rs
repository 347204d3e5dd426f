//! The words about a run as a whole: how it begins, rests and ends.

use engine::{LoopEvent, LoopKind, RestReason, RunEnd, Stamped, StoryBrief};
use unicode_width::UnicodeWidthStr;

use super::{Script, duration, money};
use crate::report::{
    Align, Column, Line, Look, Role, Room, RunView, count, moment, span, state_in_words,
    state_role, table,
};

const STORY_COLUMNS: [Column; 6] = [
    Column { name: "Story", align: Align::Left, room: Room::Kept },
    Column { name: "Title", align: Align::Flexible, room: Room::Kept },
    Column { name: "State", align: Align::Left, room: Room::Kept },
    Column { name: "Reviews", align: Align::Right, room: Room::IfThereIs },
    Column { name: "Failed", align: Align::Right, room: Room::IfThereIs },
    Column { name: "Cost", align: Align::Right, room: Room::IfThereIs },
];

const WIDEST: usize = 100;

/// The stories as a table.
pub(crate) fn story_table(stories: &[StoryBrief], look: &Look, indent: usize) -> Vec<Line> {
    // Without a terminal too, a table is something to take in at a glance.
    let look = &Look { width: look.width.or(Some(WIDEST)), ..look.clone() };
    // Many agents tell no cost, which is not the same as none.
    let told = stories.iter().any(|story| story.cost_usd > 0.0);
    let cost = |story: &StoryBrief| if told { money(story.cost_usd) } else { "-".to_owned() };
    let rows: Vec<_> = stories
        .iter()
        .map(|story| {
            let state = state_in_words(story.passes, story.review_status);
            let quiet = |number: u64| if number == 0 { Role::Dim } else { Role::Plain };
            let failed = if story.failed_attempts == 0 { Role::Dim } else { Role::Warn };
            vec![
                (Role::Strong, story.id.to_string()),
                (Role::Plain, story.title.clone()),
                (state_role(story.passes, story.review_status), state.to_owned()),
                (quiet(story.review_count), story.review_count.to_string()),
                (failed, story.failed_attempts.to_string()),
                (if told { Role::Plain } else { Role::Dim }, cost(story)),
            ]
        })
        .collect();
    table(&STORY_COLUMNS, &rows, look, indent)
}

impl Script {
    pub(super) fn about_run(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match &stamped.event {
            LoopEvent::RunStarted { .. } => self.run_started(&stamped.event),
            LoopEvent::Found { text } => self.note(Role::Accent, marks.back, text),
            LoopEvent::Warning { text } => self.note(Role::Warn, marks.warning, text),
            LoopEvent::StopRequested { signal, text } => {
                self.note(Role::Warn, marks.warning, &format!("{signal}: {text}"))
            }
            LoopEvent::Resting { reason, text, until } => {
                let left = span(*until - stamped.at);
                let until = moment(*until, stamped.at, self.offset);
                let text = match reason {
                    RestReason::Pause => format!("{text} ({left})"),
                    RestReason::Backoff | RestReason::UsageLimit => {
                        format!("{text}, on again at {until} (in {left})")
                    }
                };
                self.note(Role::Accent, marks.rest, &text)
            }
            LoopEvent::RunEnded { .. } => self.run_ended(stamped, view),
            _ => Vec::new(),
        }
    }

    fn run_started(&self, event: &LoopEvent) -> Vec<Line> {
        let LoopEvent::RunStarted {
            version,
            kind,
            name,
            branch,
            agent,
            model,
            max_iterations,
            review_cap,
            ceiling_usd,
            resumed,
            stories,
            ..
        } = event
        else {
            return Vec::new();
        };
        let agent = match model {
            Some(model) => format!("{agent} ({model})"),
            None => agent.clone(),
        };
        let most = format!("up to {}", count(*max_iterations, "iteration", "iterations"));
        let mut bounds = match kind {
            LoopKind::Stories => {
                let all = count(stories.len() as u64, "story", "stories");
                vec![format!("{all}, {} done", done(stories)), most, reviews(*review_cap)]
            }
            LoopKind::Plan => vec!["plan loop".into(), most],
            LoopKind::Build => vec!["build loop".into(), most],
            LoopKind::Prompt => vec!["prompt loop".into(), most],
        };
        bounds.extend(ceiling_usd.map(|usd| format!("up to {}", money(usd))));
        let mut head = vec![(Role::Strong, name.clone())];
        head.extend((!branch.is_empty()).then(|| (Role::Plain, format!("branch {branch}"))));
        head.push((Role::Plain, agent));
        head.push((Role::Dim, format!("ralph-loop {version}")));
        let mut lines = self.flow(Line::empty(), head);
        let bounds = bounds.into_iter().map(|text| (Role::Dim, text));
        lines.extend(self.flow(Line::indented(2), bounds));
        if let Some(resumed) = resumed {
            let so_far = count(resumed.iterations, "iteration", "iterations");
            let spent =
                (resumed.cost_usd > 0.0).then(|| format!(" and {}", money(resumed.cost_usd)));
            let text = format!("goes on after {so_far}{}", spent.unwrap_or_default());
            lines.extend(self.note(Role::Accent, self.look.marks.back, &text));
        }
        lines
    }

    fn run_ended(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let LoopEvent::RunEnded {
            end,
            exit_code,
            text,
            iterations,
            accepted,
            failed,
            seconds,
            cost_usd,
            stories,
            blocked,
        } = &stamped.event
        else {
            return Vec::new();
        };
        let marks = self.look.marks;
        let (role, mark) = match end {
            RunEnd::Complete => (Role::Good, marks.ok),
            RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
                (Role::Warn, marks.warning)
            }
            _ => (Role::Bad, marks.failed),
        };
        let rule = Line::empty().with(role, format!("{0}{0} ", marks.rule));
        let head = rule.with(role, format!("{mark} {end}")).with(
            Role::Dim,
            match exit_code {
                0 => String::new(),
                code => format!("  exit code {code}"),
            },
        );
        let mut lines = vec![Line::empty(), head];
        lines.extend(self.text_block(text, 2, Role::Plain));
        if !stories.is_empty() {
            lines.push(Line::empty());
            lines.extend(story_table(stories, &self.look, 2));
        }
        lines.push(Line::empty());
        let mut totals = Vec::new();
        if !stories.is_empty() {
            totals.push((Role::Strong, format!("{} of {} done", done(stories), stories.len())));
        }
        totals.extend([
            (Role::Plain, count(*iterations, "iteration", "iterations")),
            (Role::Plain, format!("{accepted} accepted, {failed} failed")),
            (Role::Plain, duration(*seconds)),
        ]);
        totals.extend((*cost_usd > 0.0).then(|| (Role::Plain, money(*cost_usd))));
        lines.extend(self.flow(Line::indented(2), totals));
        for reason in blocked {
            lines.extend(self.note(Role::Warn, marks.warning, reason));
        }
        lines.extend(self.where_to_look(&stamped.run, view));
        lines
    }

    fn where_to_look(&self, run: &str, view: &RunView) -> Vec<Line> {
        let mut places = vec![
            (format!(".ralph/runs/{run}/"), "every event, prompt and answer, and session.log"),
            ("ralph-loop status".to_owned(), "where things stand"),
        ];
        if let Some(start) = view.start.as_ref().filter(|start| !start.branch.is_empty()) {
            places.push((format!("git log {}", start.branch), "what was committed"));
        }
        let widest = places.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
        let lines = places.into_iter().map(|(place, what)| {
            let line = Line::indented(2).with(Role::Accent, format!("{place:widest$}  "));
            self.one_line(line.with(Role::Dim, what))
        });
        std::iter::once(Line::empty()).chain(lines).collect()
    }

    /// A remark of one or more lines that the mark stands before.
    pub(super) fn note(&self, role: Role, mark: &str, text: &str) -> Vec<Line> {
        self.toned_note(role, mark, Role::Plain, text)
    }

    /// A remark whose text plays a role of its own.
    pub(super) fn toned_note(&self, role: Role, mark: &str, tone: Role, text: &str) -> Vec<Line> {
        let indent = 2 + mark.width() + 1;
        let mut block = self.text_block(text, indent, tone).into_iter();
        let Some(first) = block.next() else { return Vec::new() };
        let first = Line::indented(2).with(role, mark).append(first.without_indent(indent - 1));
        std::iter::once(first).chain(block).collect()
    }
}

fn reviews(cap: Option<u64>) -> String {
    match cap {
        Some(cap) => format!("up to {}", count(cap, "review a story", "reviews a story")),
        None => "no reviews".into(),
    }
}

fn done(stories: &[StoryBrief]) -> usize {
    stories.iter().filter(|story| story.passes).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events::stories;
    use crate::report::{Marks, Palette};

    /// What stands in the last column.
    fn costs(costs: [f64; 3]) -> Vec<String> {
        let mut stories = stories();
        for (story, cost) in stories.iter_mut().zip(costs) {
            story.cost_usd = cost;
        }
        let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: None };
        let lines = story_table(&stories, &look, 0);
        let last = |line: &Line| line.paint(&look.palette).rsplit(' ').next().map(str::to_owned);
        lines.iter().filter_map(last).collect()
    }

    #[test]
    fn where_no_story_has_a_cost_nobody_told_one() {
        assert_eq!(costs([0.0, 0.42, 0.0]), ["Cost", "$0.00", "$0.42", "$0.00"]);
        assert_eq!(costs([0.0; 3]), ["Cost", "-", "-", "-"]);
    }
}
