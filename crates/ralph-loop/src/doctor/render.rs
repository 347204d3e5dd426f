//! Renders a checkup as text: the checks in groups, the isolation kinds, and all problems again at the end.

use isolation::Isolation;
use unicode_width::UnicodeWidthStr;

use super::Checkup;
use super::check::{Check, CheckState, Fix, GROUPS};
use super::isolation::{AgentIsolation, KindState, Readiness};
use crate::report::format::isolation_text;
use crate::report::{Line, Look, Marks, Role};

/// The width of the output without a terminal.
const USUAL_WIDTH: usize = 80;

/// Behind the longest name of an isolation kind.
const INDENT: usize = 12;

pub(crate) fn render(checkup: &Checkup, look: &Look) -> String {
    let marks = look.marks;
    let widths = [marks.ok, marks.warning, marks.failed, marks.dot].map(|mark| mark.width());
    let titles = checkup.checks.iter().map(|check| check.title.width());
    let renderer = CheckupRenderer {
        marks,
        width: look.width.unwrap_or(USUAL_WIDTH),
        mark: widths.into_iter().max().unwrap_or(0),
        title: titles.max().unwrap_or(0),
    };
    let mut lines = Vec::new();
    for group in GROUPS {
        let mut own = checkup.checks.iter().filter(|check| check.group == group).peekable();
        if own.peek().is_some() {
            lines.push(Line::text(Role::Strong, group));
            lines.extend(own.flat_map(|check| renderer.check(check)));
            lines.push(Line::empty());
        }
    }
    lines.extend(checkup.isolation.iter().flat_map(|agent| renderer.kinds(agent)));
    lines.extend(renderer.end(checkup));
    look.paint(&lines)
}

/// The columns of the output.
struct CheckupRenderer {
    marks: &'static Marks,
    width: usize,
    mark: usize,
    title: usize,
}

impl CheckupRenderer {
    fn check(&self, check: &Check) -> Vec<Line> {
        let marks = self.marks;
        let (role, mark) = match check.state {
            CheckState::Ok => (Role::Good, marks.ok),
            CheckState::Warning => (Role::Warn, marks.warning),
            CheckState::Problem => (Role::Bad, marks.failed),
            CheckState::NotChecked => (Role::Dim, marks.dot),
        };
        let padding = " ".repeat(self.mark.saturating_sub(mark.width()) + 1);
        let title = format!("{}{}", check.title, " ".repeat(self.title - check.title.width() + 2));
        let start = Line::indented(2).with(role, mark).with(Role::Plain, padding + &title);
        let indent = 2 + self.mark + 1 + self.title + 2;
        let role = if check.state == CheckState::NotChecked { Role::Dim } else { Role::Plain };
        let mut lines = start.paragraph(indent, role, &check.found, self.width);
        for note in &check.notes {
            let start = Line::indented(indent);
            lines.extend(start.paragraph(indent + 2, Role::Dim, note, self.width));
        }
        lines.extend(self.fix(check, indent));
        lines
    }

    fn fix(&self, check: &Check, indent: usize) -> Vec<Line> {
        let start = Line::indented(indent).with(Role::Accent, "fix: ");
        match &check.fix {
            None => Vec::new(),
            // Never wrapped, so that it can be copied.
            Some(Fix::Run(command)) => vec![start.with(Role::Plain, command)],
            Some(Fix::Do(text)) => start.paragraph(indent + 5, Role::Plain, text, self.width),
        }
    }

    fn end(&self, checkup: &Checkup) -> Vec<Line> {
        if checkup.ok {
            return vec![Line::text(Role::Good, format!("{} a run can start", self.marks.ok))];
        }
        let about = |title: String, text: &str| {
            let start = Line::indented(2).with(Role::Strong, format!("{title}: "));
            start.paragraph(4, Role::Plain, text, self.width)
        };
        let mut lines = vec![Line::text(Role::Bad, "A run cannot start:")];
        for check in checkup.checks.iter().filter(|check| check.state == CheckState::Problem) {
            lines.extend(about(check.title.clone(), &check.found));
            lines.extend(self.fix(check, 4));
        }
        for AgentIsolation { agent, problem, .. } in &checkup.isolation {
            let problem = problem.iter();
            lines.extend(problem.flat_map(|text| about(format!("isolation of {agent}"), text)));
        }
        lines
    }

    fn kinds(&self, agent: &AgentIsolation) -> Vec<Line> {
        let mut lines = vec![Line::text(Role::Strong, format!("Isolation of {}", agent.agent))];
        lines.extend(agent.kinds.iter().flat_map(|kind| self.kind(kind, agent.isolation)));
        let (role, mark, text) = match (&agent.problem, agent.isolation) {
            (Some(problem), _) => {
                (Role::Bad, self.marks.failed, format!("a run cannot start: {problem}"))
            }
            (None, isolation) => {
                let isolation = isolation.unwrap_or(Isolation::Open);
                let role = match isolation {
                    Isolation::Docker | Isolation::Container | Isolation::Os => Role::Good,
                    Isolation::Guard | Isolation::Open => Role::Warn,
                };
                let used = isolation_text(&agent.agent, isolation);
                (role, self.marks.start, format!("a run uses {used}"))
            }
        };
        let start = Line::indented(2).with(role, mark).with(Role::Plain, " ");
        lines.extend(start.paragraph(4, Role::Plain, &text, self.width));
        lines.push(Line::empty());
        lines
    }

    fn kind(&self, kind: &KindState, used: Option<Isolation>) -> Vec<Line> {
        let (role, mark) = match kind.state {
            Readiness::Ready => (Role::Good, self.marks.ok),
            Readiness::OnRequest => (Role::Warn, self.marks.warning),
            Readiness::Missing => (Role::Dim, self.marks.failed),
        };
        let here = if used == Some(kind.isolation) { " (in use)" } else { "" };
        let what = match (&kind.by, &kind.why) {
            (Some(by), Some(why)) => format!("{by}; only on request: {why}"),
            (Some(by), None) => format!("{by}{here}"),
            (None, why) => why.clone().unwrap_or_default(),
        };
        let name = format!("{:<10}", kind.isolation.name());
        let start = Line::indented(2).with(Role::Plain, name).with(role, mark);
        let start = start.with(Role::Plain, " ");
        let mut lines = start.paragraph(INDENT, Role::Plain, &what, self.width);
        if let Some(fix) = &kind.fix {
            let (start, fix) = (Line::indented(INDENT), format!("to enable it: {fix}"));
            lines.extend(start.paragraph(INDENT + 2, Role::Dim, &fix, self.width));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use isolation::{Availability, Isolation, IsolationRequest, Obstacle};

    use super::*;
    use crate::doctor::check::CheckId;
    use crate::report::{Marks, Palette};

    fn shown(wanted: IsolationRequest, docker: Availability) -> String {
        let obstacle = Obstacle {
            why: "bwrap is not in PATH".into(),
            fix: Some("apt-get install bubblewrap".into()),
        };
        let survey = [
            (Isolation::Docker, docker),
            (Isolation::Container, Availability::Missing(obstacle.clone())),
            (Isolation::Os, Availability::Missing(obstacle)),
            (Isolation::Guard, Availability::Ready { by: "command-guard".into() }),
        ];
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
            CheckId::Git.ok("2.47.3"),
            CheckId::TaskList
                .problem("it has 2 problems", Fix::run("ralph-loop validate"))
                .with_notes(["no title".into()]),
            CheckId::Plugin.not_checked("Claude Code is not installed"),
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
            CheckId::Marker.warning(words.clone(), Fix::todo(words.clone())).with_notes([words]),
            CheckId::GitLock.warning("left", Fix::run(long.clone())),
        ];
        let text = render(&checkup(checks), &look());
        for line in text.lines().filter(|line| !line.contains(&long)) {
            assert!(line.width() <= USUAL_WIDTH, "{line}");
        }
        assert!(text.contains(&format!("fix: {long}\n")), "{text}");
        assert!(text.ends_with("[OK] a run can start\n"), "{text}");
    }
}
