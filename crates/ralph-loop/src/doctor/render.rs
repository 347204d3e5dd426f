//! Renders a checkup as text: the checks in groups, the isolation kinds, and all problems again at the end.

use isolation::Isolation;
use unicode_width::UnicodeWidthStr;

use super::Checkup;
use super::check::{Check, CheckGroup, CheckState, Fix};
use super::isolation::{AgentIsolation, KindState, Readiness};
use crate::report::format::isolation_text;
use crate::report::{Line, Look, Role, wrapped};

/// The width of the output without a terminal.
const USUAL_WIDTH: usize = 80;

/// Behind the longest name of an isolation kind.
const INDENT: usize = 12;

pub(crate) fn render(checkup: &Checkup, look: &Look) -> String {
    let renderer = CheckupRenderer::new(checkup, look);
    let mut lines = Vec::new();
    for group in CheckGroup::ALL {
        lines.extend(renderer.group(group, &checkup.checks));
    }
    lines.extend(checkup.isolation.iter().flat_map(|agent| renderer.kinds(agent)));
    lines.extend(renderer.end(checkup));
    lines.iter().map(|line| line.paint(&look.palette) + "\n").collect()
}

/// The columns of the output.
struct CheckupRenderer<'l> {
    look: &'l Look,
    width: usize,
    mark: usize,
    title: usize,
}

impl<'l> CheckupRenderer<'l> {
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

    fn group(&self, group: CheckGroup, checks: &[Check]) -> Vec<Line> {
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
        let role = match check.state {
            CheckState::NotChecked => Role::Dim,
            _ => Role::Plain,
        };
        let mut lines = self.paragraph(start, indent, role, &check.found);
        for note in &check.notes {
            lines.extend(self.paragraph(Line::indented(indent), indent + 2, Role::Dim, note));
        }
        lines.extend(check.fix.iter().flat_map(|fix| self.fix(fix, indent)));
        lines
    }

    fn fix(&self, fix: &Fix, indent: usize) -> Vec<Line> {
        let start = Line::indented(indent).with(Role::Accent, "fix: ");
        match fix {
            // Never wrapped, so that it can be copied.
            Fix::Run(command) => vec![start.with(Role::Plain, command)],
            Fix::Do(text) => self.paragraph(start, indent + 5, Role::Plain, text),
        }
    }

    /// `text` after `start`, wrapped to lines that begin at `indent`.
    fn paragraph(&self, start: Line, indent: usize, role: Role, text: &str) -> Vec<Line> {
        let text = crate::report::neutral_line(text);
        let width = self.width.saturating_sub(indent.max(start.width())).max(20);
        let mut pieces = wrapped(&text, width).into_iter();
        let first = start.with(role, pieces.next().unwrap_or_default());
        let rest = pieces.map(|piece| Line::indented(indent).with(role, piece));
        std::iter::once(first).chain(rest).collect()
    }

    fn end(&self, checkup: &Checkup) -> Vec<Line> {
        let marks = self.look.marks;
        let problems: Vec<&Check> =
            checkup.checks.iter().filter(|check| check.state == CheckState::Problem).collect();
        let kinds: Vec<&AgentIsolation> =
            checkup.isolation.iter().filter(|agent| agent.problem.is_some()).collect();
        if problems.is_empty() && kinds.is_empty() {
            let text = format!("{} a run can start", marks.ok);
            return vec![Line::empty().with(Role::Good, text)];
        }
        let head = "A run cannot start:";
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

    fn mark(&self, state: CheckState) -> (Role, &'static str) {
        let marks = self.look.marks;
        match state {
            CheckState::Ok => (Role::Good, marks.ok),
            CheckState::Warning => (Role::Warn, marks.warning),
            CheckState::Problem => (Role::Bad, marks.failed),
            CheckState::NotChecked => (Role::Dim, marks.dot),
        }
    }
}

impl CheckupRenderer<'_> {
    fn kinds(&self, agent: &AgentIsolation) -> Vec<Line> {
        let marks = self.look.marks;
        let head = format!("Isolation of {}", agent.agent);
        let mut lines = vec![Line::empty().with(Role::Strong, head)];
        lines.extend(agent.kinds.iter().flat_map(|kind| self.kind(kind, agent.isolation)));
        let (role, mark, text) = match (&agent.problem, agent.isolation) {
            (Some(problem), _) => {
                (Role::Bad, marks.failed, format!("a run cannot start: {problem}"))
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
                    format!("a run uses {}", isolation_text(&agent.agent, isolation)),
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
            (Some(by), Some(why)) => format!("{by}; only on request: {why}"),
            (Some(by), None) => format!("{by}{here}"),
            (None, why) => why.clone().unwrap_or_default(),
        };
        let name = format!("{:<10}", kind.isolation.name());
        let start = Line::indented(2).with(Role::Plain, name).with(role, mark);
        let mut lines = self.paragraph(start.with(Role::Plain, " "), INDENT, Role::Plain, &what);
        if let Some(fix) = &kind.fix {
            let fix = format!("to enable it: {fix}");
            lines.extend(self.paragraph(Line::indented(INDENT), INDENT + 2, Role::Dim, &fix));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use isolation::{Availability, IsolationRequest, Obstacle, Survey};

    use super::*;
    use crate::doctor::check::CheckId;
    use crate::report::{Marks, Palette};

    fn shown(wanted: IsolationRequest, docker: Availability) -> String {
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

    fn on_request() -> Availability {
        let why = Obstacle { why: "not signed in".into(), fix: None };
        Availability::OnRequest { by: "sbx 0.12".into(), why }
    }

    #[test]
    fn kinds_in_use_and_missing_kinds_are_shown_with_a_fix() {
        let text = shown(IsolationRequest::Auto, ready());
        assert!(text.contains("docker    [OK] sbx 0.12 (in use)"), "{text}");
        assert!(text.contains("os        [ERR] bwrap is not in PATH"), "{text}");
        assert!(text.contains("to enable it: apt-get install bubblewrap"), "{text}");
        assert!(text.contains("a run uses docker"), "{text}");
    }

    #[test]
    fn a_kind_on_request_is_shown_with_the_reason() {
        let text = shown(IsolationRequest::Auto, on_request());
        assert!(text.contains("only on request: not signed in"), "{text}");
        assert!(text.contains("a run uses guard"), "{text}");
    }

    #[test]
    fn a_missing_kind_that_the_settings_require_is_a_problem() {
        let text = shown(IsolationRequest::Os, ready());
        assert!(text.contains("a run cannot start"), "{text}");
    }

    fn checkup(checks: Vec<Check>) -> Checkup {
        Checkup::new(checks, None, Vec::new())
    }

    #[test]
    fn checks_are_grouped_and_problems_are_repeated_at_the_end() {
        let checks = vec![
            Check::ok(CheckId::Git, "2.47.3"),
            Check::problem(CheckId::TaskList, "it has 2 problems", Fix::run("ralph-loop validate"))
                .with_notes(["no title".into()]),
            Check::not_checked(CheckId::Plugin, "Claude Code is not installed"),
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

A run cannot start:
  task list: it has 2 problems
    fix: ralph-loop validate
";
        assert_eq!(text, expected);
    }

    #[test]
    fn only_a_command_is_wider_than_the_screen() {
        let words = "a word after the other ".repeat(12);
        let long = format!("rm {}", "x".repeat(100));
        let checks = vec![
            Check::warning(CheckId::Marker, words.clone(), Fix::todo(words.clone()))
                .with_notes([words]),
            Check::warning(CheckId::GitLock, "left", Fix::run(long.clone())),
        ];
        let text = render(&checkup(checks), &look());
        for line in text.lines().filter(|line| !line.contains(&long)) {
            assert!(line.width() <= USUAL_WIDTH, "{line}");
        }
        assert!(text.contains(&format!("fix: {long}\n")), "{text}");
        assert!(text.ends_with("[OK] a run can start\n"), "{text}");
    }
}
