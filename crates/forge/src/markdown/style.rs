//! How the formats write titles and tasks.

use std::sync::LazyLock;

use regex::Regex;

use super::section::Section;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    SpecKit,
    OpenSpec,
    Plain,
}

type Pattern = LazyLock<Option<Regex>>;

static SPEC_KIT_TASK: Pattern = LazyLock::new(|| Regex::new(r"^T\d{2,5}\b").ok());
static OPEN_SPEC_TASK: Pattern = LazyLock::new(|| Regex::new(r"^\d+(\.\d+)+\b").ok());
static PHASE: Pattern =
    LazyLock::new(|| Regex::new(r"(?i)^phase\s+(\d+(?:\.\d+)*|n)\s*[:.\-]?\s*").ok());
static USER_STORY: Pattern = LazyLock::new(|| Regex::new(r"(?i)\buser\s+story\s+(\d+)\b").ok());
static STEP: Pattern = LazyLock::new(|| Regex::new(r"^(\d+(?:\.\d+)*)[.):]?\s+").ok());
/// Marks of parallel tasks and of user stories.
static MARKS: Pattern = LazyLock::new(|| Regex::new(r"\[(?:P|US-?\d+)\]\s*").ok());
static TITLE_MARKS: Pattern =
    LazyLock::new(|| Regex::new(r"(?i)\s*\(priority:?\s*p?\d+\)|\s*🎯(?:\s*MVP)?").ok());

fn is_match(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The first group.
fn found(pattern: &Pattern, text: &str) -> Option<String> {
    Some(pattern.as_ref()?.captures(text)?.get(1)?.as_str().to_owned())
}

fn without(pattern: &Pattern, text: &str) -> String {
    let kept = pattern.as_ref().map(|pattern| pattern.replace_all(text, ""));
    kept.map_or_else(|| text.to_owned(), |kept| kept.trim().to_owned())
}

impl Style {
    pub(super) fn of(sections: &[Section]) -> Self {
        let has_task = |section: &Section, pattern: &Pattern| {
            section.boxes().iter().any(|item| is_match(pattern, &item.text))
        };
        if sections.iter().any(|section| has_task(section, &SPEC_KIT_TASK)) {
            return Self::SpecKit;
        }
        let is_step = |section: &Section| {
            is_match(&STEP, &section.title) && has_task(section, &OPEN_SPEC_TASK)
        };
        if sections.iter().any(is_step) { Self::OpenSpec } else { Self::Plain }
    }

    pub(super) fn id(self, section: &Section, position: usize) -> String {
        let title = &section.title;
        match self {
            Self::SpecKit => match (found(&USER_STORY, title), found(&PHASE, title)) {
                (Some(number), _) => format!("US{}", short(&number)),
                (None, Some(number)) => format!("PHASE-{}", short(&number)),
                (None, None) => format!("PHASE-{position}"),
            },
            Self::OpenSpec => match found(&STEP, title) {
                Some(number) => format!("STEP-{}", short(&number)),
                None => format!("STEP-{position}"),
            },
            Self::Plain => format!("STORY-{position}"),
        }
    }

    /// A user story can be worked on at the same time as others.
    pub(super) fn is_independent(self, title: &str) -> bool {
        self == Self::SpecKit && is_match(&USER_STORY, title)
    }

    pub(super) fn title(self, heading: &str) -> String {
        let title = match self {
            Self::SpecKit => without(&TITLE_MARKS, &without(&PHASE, heading)),
            Self::OpenSpec => without(&STEP, heading),
            Self::Plain => heading.trim().to_owned(),
        };
        if title.is_empty() { heading.trim().to_owned() } else { title }
    }

    pub(super) fn criterion(self, text: &str) -> String {
        match self {
            Self::SpecKit => without(&MARKS, text),
            Self::OpenSpec | Self::Plain => text.to_owned(),
        }
    }
}

/// A number of a heading, short enough for an id.
fn short(number: &str) -> &str {
    &number[..number.len().min(20)]
}
