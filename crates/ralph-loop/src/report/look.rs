//! The look of output: colours, marks and width. `display` selects it from flags and environment.

use events::describe::Mark;
use owo_colors::Style;

use super::{Line, Role};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) palette: Palette,
    pub(crate) marks: &'static Marks,
    /// `None`: lines are not cut.
    pub(crate) width: Option<usize>,
}

impl Look {
    pub(crate) fn columns(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    /// Cuts a line to the width, if there is one.
    pub(crate) fn cut(&self, line: Line) -> Line {
        line.cut(self.columns(), self.marks.ellipsis)
    }

    pub(crate) fn paint<'l>(&self, lines: impl IntoIterator<Item = &'l Line>) -> String {
        lines.into_iter().map(|line| line.paint(&self.palette) + "\n").collect()
    }
}

/// The style of each role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    /// Otherwise no escape sequence is used.
    pub(crate) is_coloured: bool,
}

impl Palette {
    pub(crate) fn plain() -> Self {
        Self { is_coloured: false }
    }

    /// From the sixteen colours that follow the user's theme.
    pub(crate) fn style(&self, role: Role) -> Style {
        let style = Style::new();
        match role {
            _ if !self.is_coloured => style,
            Role::Plain => style,
            Role::Strong => style.bold(),
            Role::Dim => style.dimmed(),
            Role::Accent => style.cyan(),
            Role::Good => style.green(),
            Role::Bad => style.red(),
            Role::Warn => style.yellow(),
            Role::Alarm => style.bright_white().on_red().bold(),
            // Red and green mean failure and success.
            Role::Lane(number) => match number % 4 {
                0 => style.magenta(),
                1 => style.cyan(),
                2 => style.blue(),
                _ => style.yellow(),
            },
        }
    }
}

/// Symbols before text.
#[derive(Debug)]
pub(crate) struct Marks {
    /// The column of the tables below.
    at: usize,
    pub(crate) ok: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) start: &'static str,
    pub(crate) rest: &'static str,
    /// A change of strategy.
    /// A story was given up.
    pub(crate) given_up: &'static str,
    pub(crate) running: &'static str,
    pub(crate) dot: &'static str,
    pub(crate) arrow: &'static str,
    pub(crate) ellipsis: &'static str,
    pub(crate) bar: [&'static str; 2],
    pub(crate) spinner: &'static [&'static str],
    /// Before the output of a tool.
    pub(crate) output: &'static str,
    /// Of the agent's to-do list: list, done, active, pending, progress, pointer to the active item.
    pub(crate) todo: [&'static str; 6],
}

impl Marks {
    pub(crate) const EMOJI: &'static Self = &Self::column(0);
    pub(crate) const ASCII: &'static Self = &Self::column(1);

    const fn column(at: usize) -> Self {
        Self {
            at,
            ok: ["✅", "[OK]"][at],
            failed: ["❌", "[ERR]"][at],
            warning: ["▲", "[WARN]"][at],
            start: ["›", ">"][at],
            rest: ["⏸", "[WAIT]"][at],
            given_up: ["⚑", "[FAILED]"][at],
            running: ["●", "*"][at],
            dot: ["·", "|"][at],
            arrow: ["→", "->"][at],
            ellipsis: ["…", "..."][at],
            bar: [["━", "─"], ["#", "-"]][at],
            spinner: [
                &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as &[&str],
                &["|", "/", "-", "\\"],
            ][at],
            output: ["⎿", "|_"][at],
            todo: [
                ["📋", "✅", "🔄", "⏳", "📊", "←"],
                ["[TODO]", "[x]", "[>]", "[ ]", "[%]", "<-"],
            ][at],
        }
    }

    pub(crate) fn of(&self, mark: Mark) -> &'static str {
        match mark {
            Mark::Ok => self.ok,
            Mark::Failed => self.failed,
            Mark::Warning => self.warning,
            Mark::Start => self.start,
            Mark::Back => ["↺", "<-"][self.at],
            Mark::Moved => ["◆", "*"][self.at],
            Mark::Rest => self.rest,
            Mark::Shift => ["↻", "[SHIFT]"][self.at],
            Mark::GivenUp => self.given_up,
            Mark::Clock => ["⏱", "[TIME]"][self.at],
            Mark::Arrow => self.arrow,
            Mark::Rule => ["━━", "=="][self.at],
            Mark::Margin => ["│", "|"][self.at],
        }
    }
}
