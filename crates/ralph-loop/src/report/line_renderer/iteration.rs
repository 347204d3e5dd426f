//! The header and footer of an iteration.

use events::LoopEvent;

use super::{LineRenderer, duration, money};
use crate::report::format::iteration_status;
use crate::report::status_line::context;
use crate::report::{Line, Role, RunView};

impl LineRenderer {
    pub(super) fn about_iteration(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        match event {
            LoopEvent::IterationStarted { .. } => self.header(event, view),
            LoopEvent::IterationEnded { .. } => self.footer(event, view),
            _ => Vec::new(),
        }
    }

    fn header(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let LoopEvent::IterationStarted { iteration, attempt, mode, story, title, .. } = event
        else {
            return Vec::new();
        };
        let marks = self.look.marks;
        let of = view.start.as_ref().map(|start| format!("/{}", start.max_iterations));
        let mut parts = vec![
            (Role::Strong, format!("iteration {iteration}{}", of.unwrap_or_default())),
            (Role::Accent, mode.to_string()),
        ];
        let id = story.as_ref().map(|id| format!("{id} ")).unwrap_or_default();
        parts.push((Role::Strong, format!("{id}{title}")));
        parts.extend(story.as_ref().and_then(|story| view.attempt_at(story)));
        if *attempt > 1 {
            parts.push((Role::Warn, format!("try {attempt}")));
        }
        let rule = Line::empty().with(Role::Accent, format!("{0}{0} ", marks.rule));
        let lines = self.flow(rule, parts).into_iter().map(|line| self.one_line(line));
        std::iter::once(Line::empty()).chain(lines).collect()
    }

    fn footer(&self, event: &LoopEvent, view: &RunView) -> Vec<Line> {
        let LoopEvent::IterationEnded {
            status,
            seconds,
            agent_seconds,
            check_seconds,
            cost_usd,
            total_cost_usd,
            done,
            stories,
            ..
        } = event
        else {
            return Vec::new();
        };
        let marks = self.look.marks;
        let verdict = view.iteration().and_then(|iteration| iteration.verdict);
        let (role, word) = iteration_status(*status, verdict);
        let mark = match role {
            Role::Good => marks.ok,
            Role::Bad => marks.failed,
            _ => marks.warning,
        };
        let (agent, checks) = (duration(*agent_seconds), duration(*check_seconds));
        let mut parts = vec![
            (role, format!("{mark} {word}")),
            (Role::Plain, format!("{} (agent {agent}, checks {checks})", duration(*seconds))),
        ];
        parts.extend((*cost_usd > 0.0).then(|| (Role::Plain, money(*cost_usd))));
        if let Some(iteration) = view.iteration()
            && let Some(used) = iteration.context_tokens
        {
            parts.push(context(used, iteration.context_window));
        }
        let progress = (*stories > 0).then(|| format!("{done} of {stories} done"));
        let spent = (*total_cost_usd > 0.0).then(|| money(*total_cost_usd));
        let so_far = progress.into_iter().chain(spent).collect::<Vec<_>>().join(", ");
        if !so_far.is_empty() {
            parts.push((Role::Dim, format!("so far {so_far}")));
        }
        self.flow(Line::indented(2), parts)
    }
}
