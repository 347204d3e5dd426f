//! Renders a validation as text: story by story, each finding with its fix.

use plan_lint::{Finding, Severity};
use tasks::{FieldPath, ProblemPlace};
use unicode_width::UnicodeWidthStr;

use super::{Validation, ValidationVerdict};
use crate::report::{Line, Look, Role, count, neutral_line};

/// A schema problem can quote a whole field.
const LONGEST_MESSAGE: usize = 400;
/// The width of the output without a terminal.
const USUAL_WIDTH: usize = 80;

pub(crate) fn render(validation: &Validation, look: &Look) -> String {
    let mut lines = vec![head(validation, look)];
    let groups = validation.findings.chunk_by(|one, other| one.place == other.place);
    for group in groups {
        lines.push(Line::empty());
        lines.extend(group.first().map(|finding| heading(finding, validation, look)));
        lines.extend(group.iter().flat_map(|finding| about(finding, look)));
    }
    lines.push(Line::empty());
    lines.extend(closing(validation, look));
    look.paint(&lines)
}

fn head(validation: &Validation, look: &Look) -> Line {
    let stories = count(validation.stories as u64, "story", "stories");
    let parts = [(Role::Strong, validation.file.clone()), (Role::Plain, stories)];
    Line::empty().joined(look.marks.dot, parts)
}

fn heading(finding: &Finding, validation: &Validation, look: &Look) -> Line {
    let line = match &finding.place {
        ProblemPlace::Story { id: Some(id), .. } => {
            let title = validation.titles.get(id).map(|title| title.trim()).unwrap_or_default();
            let gap = if title.is_empty() { "" } else { " " };
            let name = Line::empty().with(Role::Strong, id.as_str());
            name.with(Role::Plain, format!("{gap}{title}"))
        }
        ProblemPlace::Story { position, id: None } => {
            Line::empty().with(Role::Strong, format!("story number {position}"))
        }
        ProblemPlace::TopLevel | ProblemPlace::Part(_) | ProblemPlace::Check(_) => {
            Line::empty().with(Role::Strong, "the plan")
        }
    };
    line.cut(look.width.unwrap_or(USUAL_WIDTH), look.marks.ellipsis)
}

fn about(finding: &Finding, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let (role, mark) = match finding.severity() {
        Severity::Error => (Role::Bad, marks.failed),
        Severity::Warning => (Role::Warn, marks.warning),
    };
    let field = match &finding.field {
        FieldPath::Whole => String::new(),
        field => format!("  {field}"),
    };
    let first = Line::indented(2).with(role, format!("{mark} {}", finding.code));
    let mut lines = vec![first.with(Role::Dim, field)];
    let indent = 2 + mark.width() + 1;
    let message = shortened(&neutral_line(&finding.message), marks.ellipsis);
    let width = look.width.unwrap_or(USUAL_WIDTH);
    lines.extend(Line::indented(indent).paragraph(indent, Role::Plain, &message, width));
    let fix = Line::indented(indent).with(Role::Dim, format!("{} ", marks.arrow));
    let hang = fix.width();
    lines.extend(fix.paragraph(hang, Role::Dim, &finding.fix, width));
    lines
}

fn shortened(text: &str, ellipsis: &str) -> String {
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((at, _)) => format!("{}{ellipsis}", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

fn closing(validation: &Validation, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let errors = count(validation.errors as u64, "error", "errors");
    let warnings = count(validation.warnings as u64, "warning", "warnings");
    let dry_run = "ralph-loop --dry-run";
    let (role, mark, text, first, command) = match validation.verdict {
        ValidationVerdict::Ok => (Role::Good, marks.ok, "ready to run".to_owned(), "", dry_run),
        ValidationVerdict::Warnings => {
            (Role::Warn, marks.warning, warnings, "fix what you agree with, then ", dry_run)
        }
        ValidationVerdict::Errors => {
            let text = match validation.warnings {
                0 => errors,
                _ => format!("{errors}, {warnings}"),
            };
            let first = "fix the errors (a run refuses them), then ";
            (Role::Bad, marks.failed, text, first, "ralph-loop validate")
        }
    };
    let verdict = Line::empty().with(role, format!("{mark} {text}"));
    let next = Line::empty().with(Role::Strong, "next: ").with(Role::Plain, first);
    vec![verdict, next.with(Role::Accent, command)]
}

#[cfg(test)]
mod tests {
    use plan_lint::Code;
    use tasks::StoryId;

    use super::*;
    use crate::report::{Marks, Palette};

    fn finding(code: Code, story: Option<(usize, &str)>, message: &str) -> Finding {
        let place = story.map_or(ProblemPlace::TopLevel, |(position, id)| ProblemPlace::Story {
            position,
            id: StoryId::new(id).ok(),
        });
        let field = FieldPath::Item("acceptanceCriteria", 1);
        Finding { code, place, field, message: message.into(), fix: "Say what is seen.".into() }
    }

    fn shown(titles: &[(&str, &str)], findings: Vec<Finding>) -> String {
        let titles =
            titles.iter().map(|(id, title)| (StoryId::new(*id).unwrap(), (*title).to_owned()));
        let mut validation =
            Validation::new("ralph/tasks.json".into(), titles.len(), None, findings);
        validation.titles = titles.collect();
        let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: Some(60) };
        render(&validation, &look)
    }

    #[test]
    fn findings_are_below_their_story_with_the_fix_on_its_own_line() {
        let text = shown(
            &[("US-1", "Greet"), ("US-2", "Part")],
            vec![
                finding(Code::EmptyPrd, None, "it is empty"),
                finding(Code::Schema, Some((2, "US-2")), "expected a number"),
                finding(Code::VagueCriterion, Some((2, "US-2")), "\"works\" cannot be checked"),
            ],
        );
        let expected = "\
ralph/tasks.json | 2 stories

the plan
  [WARN] empty-prd  acceptanceCriteria[1]
         it is empty
         -> Say what is seen.

US-2 Part
  [ERR] schema  acceptanceCriteria[1]
        expected a number
        -> Say what is seen.
  [WARN] vague-criterion  acceptanceCriteria[1]
         \"works\" cannot be checked
         -> Say what is seen.

[ERR] 1 error, 2 warnings
next: fix the errors (a run refuses them), then ralph-loop validate
";
        assert_eq!(text, expected);
    }

    #[test]
    fn long_and_hostile_text_is_harmless_and_fits() {
        let title = "title ".repeat(50) + "\x1b[2J";
        let message = "\x1b]0;x\x07word ".repeat(500);
        let text =
            shown(&[("US-1", &title)], vec![finding(Code::Schema, Some((1, "US-1")), &message)]);
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
        let long = text.lines().filter(|line| !line.starts_with("next:") && line.width() > 60);
        assert_eq!(long.count(), 0, "{text}");
        assert!(text.len() < 1500, "{}", text.len());
    }
}
