//! A checkup as text for people.

use walls::WallKind;

use super::{AgentWalls, Checkup, State, WallState};
use crate::report::words::wall_words;
use crate::report::{Line, Look, Role};

/// Behind the longest name of a wall.
const INDENT: usize = 10;

pub(crate) fn render(checkup: &Checkup, look: &Look) -> String {
    let lines = checkup.isolation.iter().flat_map(|agent| about(agent, look));
    lines.map(|line| line.paint(&look.palette) + "\n").collect()
}

fn about(agent: &AgentWalls, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let head = format!("Isolation of {}", agent.agent);
    let mut lines = vec![Line::empty().with(Role::Strong, head)];
    for wall in &agent.walls {
        lines.extend(about_wall(wall, agent.wall, look));
    }
    let (role, mark, text) = match (&agent.problem, agent.wall) {
        (Some(problem), _) => (Role::Bad, marks.failed, format!("a run does not begin: {problem}")),
        (None, wall) => {
            let wall = wall.unwrap_or(WallKind::Open);
            let role = match wall {
                WallKind::Docker | WallKind::Native => Role::Good,
                WallKind::Guard | WallKind::Open => Role::Warn,
            };
            (role, marks.start, format!("a run has {}", wall_words(&agent.agent, wall)))
        }
    };
    lines.push(Line::indented(2).with(role, mark).with(Role::Plain, format!(" {text}")));
    lines
}

fn about_wall(wall: &WallState, used: Option<WallKind>, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let (role, mark) = match wall.state {
        State::Ready => (Role::Good, marks.ok),
        State::OnRequest => (Role::Warn, marks.warning),
        State::Missing => (Role::Dim, marks.failed),
    };
    let here = if used == Some(wall.wall) { " (in use)" } else { "" };
    let what = match (&wall.by, &wall.why) {
        (Some(by), Some(why)) => format!("{by}; only when asked for: {why}"),
        (Some(by), None) => format!("{by}{here}"),
        (None, why) => why.clone().unwrap_or_default(),
    };
    let name = format!("{:<8}", wall.wall.name());
    let first = Line::indented(2).with(Role::Plain, name).with(role, mark).with(Role::Plain, " ");
    let fix = wall
        .fix
        .iter()
        .map(|fix| Line::indented(INDENT).with(Role::Dim, format!("to have it: {fix}")));
    std::iter::once(first.with(Role::Plain, what)).chain(fix).collect()
}

#[cfg(test)]
mod tests {
    use walls::{Availability, Obstacle, Survey, Wanted};

    use super::*;
    use crate::report::{Marks, Palette};

    fn shown(wanted: Wanted, docker: Availability) -> String {
        let obstacle = Obstacle {
            why: "socat is not installed".into(),
            fix: Some("apt-get install socat".into()),
        };
        let survey = Survey {
            docker,
            native: Availability::Missing(obstacle),
            guard: Availability::Ready { by: "command-guard".into() },
        };
        let agent = AgentWalls::of("claude", wanted, &survey);
        render(&Checkup { isolation: vec![agent] }, &look())
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
        assert!(text.contains("docker  [OK] sbx 0.12 (in use)"), "{text}");
        assert!(text.contains("native  [ERR] socat is not installed"), "{text}");
        assert!(text.contains("to have it: apt-get install socat"), "{text}");
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
        let text = shown(Wanted::Exactly(WallKind::Native), ready());
        assert!(text.contains("a run does not begin"), "{text}");
    }
}
