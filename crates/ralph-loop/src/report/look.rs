//! The look of output: colours, marks and width. `display` selects it from flags and environment.

use events::describe::Mark;
use owo_colors::Style;

use super::Role;

#[derive(Debug, Clone)]
pub struct Look {
    pub palette: Palette,
    pub marks: &'static Marks,
    /// `None`: lines are not cut.
    pub width: Option<usize>,
}

/// One style for each role.
#[derive(Debug, Clone, Default)]
pub struct Palette {
    pub strong: Style,
    pub dim: Style,
    pub accent: Style,
    pub good: Style,
    pub bad: Style,
    pub warn: Style,
    pub alarm: Style,
}

impl Palette {
    /// No colour and no other escape sequence.
    pub fn plain() -> Self {
        Self::default()
    }

    /// The sixteen colours that follow the user's theme.
    pub fn coloured() -> Self {
        Self {
            strong: Style::new().bold(),
            dim: Style::new().dimmed(),
            accent: Style::new().cyan(),
            good: Style::new().green(),
            bad: Style::new().red(),
            warn: Style::new().yellow(),
            alarm: Style::new().bright_white().on_red().bold(),
        }
    }

    pub(crate) fn style(&self, role: Role) -> Style {
        match role {
            Role::Plain => Style::new(),
            Role::Strong => self.strong,
            Role::Dim => self.dim,
            Role::Accent => self.accent,
            Role::Good => self.good,
            Role::Bad => self.bad,
            Role::Warn => self.warn,
            Role::Alarm => self.alarm,
        }
    }
}

/// Symbols before text.
#[derive(Debug)]
pub struct Marks {
    pub(crate) ok: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) start: &'static str,
    pub(crate) back: &'static str,
    pub(crate) moved: &'static str,
    pub(crate) rest: &'static str,
    /// A change of strategy.
    pub(crate) shift: &'static str,
    /// A story was given up.
    pub(crate) given_up: &'static str,
    pub(crate) clock: &'static str,
    pub(crate) running: &'static str,
    pub(crate) dot: &'static str,
    pub(crate) arrow: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) margin: &'static str,
    pub(crate) ellipsis: &'static str,
    pub(crate) bar: [&'static str; 2],
    pub(crate) spinner: &'static [&'static str],
    /// Before the output of a tool.
    pub(crate) output: &'static str,
    pub(crate) todo: TodoMarks,
}

/// Symbols of the agent's to-do list.
#[derive(Debug)]
pub(crate) struct TodoMarks {
    pub(crate) list: &'static str,
    pub(crate) done: &'static str,
    pub(crate) active: &'static str,
    pub(crate) pending: &'static str,
    pub(crate) progress: &'static str,
    /// Points to the active item.
    pub(crate) pointer: &'static str,
}

impl Marks {
    pub(crate) fn of(&self, mark: Mark) -> &'static str {
        match mark {
            Mark::Ok => self.ok,
            Mark::Failed => self.failed,
            Mark::Warning => self.warning,
            Mark::Start => self.start,
            Mark::Back => self.back,
            Mark::Moved => self.moved,
            Mark::Rest => self.rest,
            Mark::Shift => self.shift,
            Mark::GivenUp => self.given_up,
            Mark::Clock => self.clock,
            Mark::Arrow => self.arrow,
            Mark::Rule => self.rule,
            Mark::Margin => self.margin,
        }
    }

    pub const EMOJI: &'static Self = &Self {
        ok: "✅",
        failed: "❌",
        warning: "▲",
        start: "›",
        back: "↺",
        moved: "◆",
        rest: "⏸",
        shift: "↻",
        given_up: "⚑",
        clock: "⏱",
        running: "●",
        dot: "·",
        arrow: "→",
        rule: "━━",
        margin: "│",
        ellipsis: "…",
        bar: ["━", "─"],
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        output: "⎿",
        todo: TodoMarks {
            list: "📋",
            done: "✅",
            active: "🔄",
            pending: "⏳",
            progress: "📊",
            pointer: "←",
        },
    };

    pub const ASCII: &'static Self = &Self {
        ok: "[OK]",
        failed: "[ERR]",
        warning: "[WARN]",
        start: ">",
        back: "<-",
        moved: "*",
        rest: "[WAIT]",
        shift: "[SHIFT]",
        given_up: "[FAILED]",
        clock: "[TIME]",
        running: "*",
        dot: "|",
        arrow: "->",
        rule: "==",
        margin: "|",
        ellipsis: "...",
        bar: ["#", "-"],
        spinner: &["|", "/", "-", "\\"],
        output: "|_",
        todo: TodoMarks {
            list: "[TODO]",
            done: "[x]",
            active: "[>]",
            pending: "[ ]",
            progress: "[%]",
            pointer: "<-",
        },
    };
}
