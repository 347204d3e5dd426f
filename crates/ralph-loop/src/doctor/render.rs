//! A checkup as text for people: the lines in their groups, the kinds, and at the end once more whatever
//! stands in the way.

use isolation::Isolation;
use unicode_width::UnicodeWidthStr;

use super::Checkup;
use super::check::{Check, Fix, Group, State};
use super::isolation::{AgentIsolation, KindState, Readiness};
use crate::report::words::isolation_words;
use crate::report::{Line, Look, Role, wrapped};

/// Where nobody says how wide it may be.
const USUAL_WIDTH: usize = 80;

/// Behind the longest name of a isolation.
const INDENT: usize = 12;

pub(crate) fn render(checkup: &Checkup, look: &Look) -> String {
    let sheet = Sheet::new(checkup, look);
    let mut lines = Vec::new();
    for group in Group::ALL {
        lines.extend(sheet.group(group, &checkup.checks));
    }
    lines.extend(checkup.isolation.iter().flat_map(|agent| sheet.kinds(agent)));
    lines.extend(sheet.end(checkup));
    lines.iter().map(|line| line.paint(&look.palette) + "\n").collect()
}

/// Where the columns of the lines begin.
struct Sheet<'l> {
    look: &'l Look,
    width: usize,
    mark: usize,
    title: usize,
}

impl<'l> Sheet<'l> {
    fn new(checkup: &Checkup, look: &'l Look) -> Self {
        let marks = [look.marks.ok, look.marks.warning, look.marks.failed, look.marks.dot];
        let titles = checkup.checks.iter().map(|check| check.title.width());
        Self {
            look,
            width: look.width.unwrap_or(USUAL_WIDTH),
            mark: marks.iter().map(|mark| mark.width()).max().unwrap_or(0),
            title: titles.max().unwrap_or(0),
        }
    }

    fn group(&self, group: Group, checks: &[Check]) -> Vec<Line> {
        let own: Vec<&Check> = checks.iter().filter(|check| check.id.group() == group).collect();
        if own.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![Line::empty().with(Role::Strong, group.to_string())];
        lines.extend(own.into_iter().flat_map(|check| self.check(check)));
        lines.push(Line::empty());
        lines
    }

    fn check(&self, check: &Check) -> Vec<Line> {
        let (role, mark) = self.mark(check.state);
        let padding = " ".repeat(self.mark.saturating_sub(mark.width()) + 1);
        let title = format!("{}{}", check.title, " ".repeat(self.title - check.title.width() + 2));
        let start = Line::indented(2).with(role, mark).with(Role::Plain, padding);
        let start = start.with(Role::Plain, title);
        let indent = 2 + self.mark + 1 + self.title + 2;
        let words = match check.state {
            State::NotChecked => Role::Dim,
            _ => Role::Plain,
        };
        let mut lines = self.paragraph(start, indent, words, &check.found);
        for note in &check.notes {
            lines.extend(self.paragraph(Line::indented(indent), indent + 2, Role::Dim, note));
        }
        lines.extend(check.fix.iter().flat_map(|fix| self.fix(fix, indent)));
        lines
    }

    fn fix(&self, fix: &Fix, indent: usize) -> Vec<Line> {
        let start = Line::indented(indent).with(Role::Accent, "fix: ");
        match fix {
            // To be copied: the terminal may break it, and nobody else.
            Fix::Run(command) => vec![start.with(Role::Plain, command)],
            Fix::Do(words) => self.paragraph(start, indent + 5, Role::Plain, words),
        }
    }

    /// `text` behind `start`, and below it from `indent` on.
    fn paragraph(&self, start: Line, indent: usize, role: Role, text: &str) -> Vec<Line> {
        let text = crate::report::neutral_line(text);
        let room = self.width.saturating_sub(indent.max(start.width())).max(20);
        let mut pieces = wrapped(&text, room).into_iter();
        let first = start.with(role, pieces.next().unwrap_or_default());
        let rest = pieces.map(|piece| Line::indented(indent).with(role, piece));
        std::iter::once(first).chain(rest).collect()
    }

    fn end(&self, checkup: &Checkup) -> Vec<Line> {
        let marks = self.look.marks;
        let problems: Vec<&Check> =
            checkup.checks.iter().filter(|check| check.state == State::Problem).collect();
        let kinds: Vec<&AgentIsolation> =
            checkup.isolation.iter().filter(|agent| agent.problem.is_some()).collect();
        if problems.is_empty() && kinds.is_empty() {
            let words = format!("{} nothing stands in the way of a run", marks.ok);
            return vec![Line::empty().with(Role::Good, words)];
        }
        let head = "In the way of a run:";
        let mut lines = vec![Line::empty().with(Role::Bad, head)];
        for check in problems {
            let start = Line::indented(2).with(Role::Strong, format!("{}: ", check.title));
            lines.extend(self.paragraph(start, 4, Role::Plain, &check.found));
            lines.extend(check.fix.iter().flat_map(|fix| self.fix(fix, 4)));
        }
        for agent in kinds {
            let start =
                Line::indented(2).with(Role::Strong, format!("isolation of {}: ", agent.agent));
            let problem = agent.problem.as_deref().unwrap_or_default();
            lines.extend(self.paragraph(start, 4, Role::Plain, problem));
        }
        lines
    }

    fn mark(&self, state: State) -> (Role, &'static str) {
        let marks = self.look.marks;
        match state {
            State::Ok => (Role::Good, marks.ok),
            State::Warning => (Role::Warn, marks.warning),
            State::Problem => (Role::Bad, marks.failed),
            State::NotChecked => (Role::Dim, marks.dot),
        }
    }
}

impl Sheet<'_> {
    fn kinds(&self, agent: &AgentIsolation) -> Vec<Line> {
        let marks = self.look.marks;
        let head = format!("Isolation of {}", agent.agent);
        let mut lines = vec![Line::empty().with(Role::Strong, head)];
        lines.extend(agent.kinds.iter().flat_map(|kind| self.kind(kind, agent.isolation)));
        let (role, mark, text) = match (&agent.problem, agent.isolation) {
            (Some(problem), _) => {
                (Role::Bad, marks.failed, format!("a run does not begin: {problem}"))
            }
            (None, isolation) => {
                let isolation = isolation.unwrap_or(Isolation::Open);
                let role = match isolation {
                    Isolation::Docker | Isolation::Container | Isolation::Os => Role::Good,
                    Isolation::Guard | Isolation::Open => Role::Warn,
                };
                (
                    role,
                    marks.start,
                    format!("a run has {}", isolation_words(&agent.agent, isolation)),
                )
            }
        };
        let start = Line::indented(2).with(role, mark).with(Role::Plain, " ");
        lines.extend(self.paragraph(start, 4, Role::Plain, &text));
        lines.push(Line::empty());
        lines
    }

    fn kind(&self, kind: &KindState, used: Option<Isolation>) -> Vec<Line> {
        let marks = self.look.marks;
        let (role, mark) = match kind.state {
            Readiness::Ready => (Role::Good, marks.ok),
            Readiness::OnRequest => (Role::Warn, marks.warning),
            Readiness::Missing => (Role::Dim, marks.failed),
        };
        let here = if used == Some(kind.isolation) { " (in use)" } else { "" };
        let what = match (&kind.by, &kind.why) {
            (Some(by), Some(why)) => format!("{by}; only when asked for: {why}"),
            (Some(by), None) => format!("{by}{here}"),
            (None, why) => why.clone().unwrap_or_default(),
        };
        let name = format!("{:<10}", kind.isolation.name());
        let start = Line::indented(2).with(Role::Plain, name).with(role, mark);
        let mut lines = self.paragraph(start.with(Role::Plain, " "), INDENT, Role::Plain, &what);
        if let Some(fix) = &kind.fix {
            let fix = format!("to have it: {fix}");
            lines.extend(self.paragraph(Line::indented(INDENT), INDENT + 2, Role::Dim, &fix));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use isolation::{Availability, Obstacle, Survey, Wanted};

    use super::*;
    use crate::doctor::check::Id;
    use crate::report::{Marks, Palette};

    fn shown(wanted: Wanted, docker: Availability) -> String {
        let obstacle = Obstacle {
            why: "bwrap is not in PATH".into(),
            fix: Some("apt-get install bubblewrap".into()),
        };
        let survey = Survey {
            docker,
            container: Availability::Missing(obstacle.clone()),
            os: Availability::Missing(obstacle),
            guard: Availability::Ready { by: "command-guard".into() },
        };
        let agent = AgentIsolation::of("claude", isolation::choose(wanted, &survey), &survey);
        render(&Checkup::new(Vec::new(), None, vec![agent]), &look())
    }

    fn look() -> Look {
        Look { palette: Palette::plain(), marks: Marks::ASCII, width: None }
    }

    fn ready() -> Availability {
        Availability::Ready { by: "sbx 0.12".into() }
    }

    fn asked_for() -> Availability {
        let why = Obstacle { why: "nobody signed in".into(), fix: None };
        Availability::OnRequest { by: "sbx 0.12".into(), why }
    }

    #[test]
    fn walls_that_are_up_and_walls_that_could_be_are_named_with_the_way_to_them() {
        let text = shown(Wanted::Strongest, ready());
        assert!(text.contains("docker    [OK] sbx 0.12 (in use)"), "{text}");
        assert!(text.contains("os        [ERR] bwrap is not in PATH"), "{text}");
        assert!(text.contains("to have it: apt-get install bubblewrap"), "{text}");
        assert!(text.contains("a run has docker"), "{text}");
    }

    #[test]
    fn what_is_there_and_not_chosen_by_itself_says_so() {
        let text = shown(Wanted::Strongest, asked_for());
        assert!(text.contains("only when asked for: nobody signed in"), "{text}");
        assert!(text.contains("a run has guard"), "{text}");
    }

    #[test]
    fn what_the_settings_ask_for_and_the_machine_does_not_have_is_a_problem() {
        let text = shown(Wanted::Exactly(Isolation::Os), ready());
        assert!(text.contains("a run does not begin"), "{text}");
    }

    fn checkup(checks: Vec<Check>) -> Checkup {
        Checkup::new(checks, None, Vec::new())
    }

    #[test]
    fn lines_stand_in_their_groups_with_their_fixes_and_problems_come_again_at_the_end() {
        let checks = vec![
            Check::ok(Id::Git, "2.47.3"),
            Check::problem(Id::TaskList, "it has 2 problems", Fix::run("ralph-loop validate"))
                .with_notes(["no title".into()]),
            Check::not_checked(Id::Plugin, "Claude Code is not installed"),
        ];
        let text = render(&checkup(checks), &look());
        let expected = "\
Agents
  |      plugin     Claude Code is not installed

This machine
  [OK]   git        2.47.3

This project
  [ERR]  task list  it has 2 problems
                    no title
                    fix: ralph-loop validate

In the way of a run:
  task list: it has 2 problems
    fix: ralph-loop validate
";
        assert_eq!(text, expected);
    }

    #[test]
    fn nothing_but_a_command_is_wider_than_the_screen() {
        let words = "a word after the other ".repeat(12);
        let long = format!("rm {}", "x".repeat(100));
        let checks = vec![
            Check::warning(Id::Marker, words.clone(), Fix::todo(words.clone())).with_notes([words]),
            Check::warning(Id::GitLock, "left", Fix::run(long.clone())),
        ];
        let text = render(&checkup(checks), &look());
        for line in text.lines().filter(|line| !line.contains(&long)) {
            assert!(line.width() <= USUAL_WIDTH, "{line}");
        }
        assert!(text.contains(&format!("fix: {long}\n")), "{text}");
        assert!(text.ends_with("[OK] nothing stands in the way of a run\n"), "{text}");
    }
}
