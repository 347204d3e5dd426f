//! Checks whether a title names one job.

use std::sync::LazyLock;

use regex::Regex;
use tasks::FieldPath;

use crate::criteria::placeholder;
use crate::pattern::pattern;
use crate::quote::quote;
use crate::{Code, Finding, StorySpot};

const FIELD: FieldPath = FieldPath::Named("title");
/// The title becomes a heading and the subject of a commit.
const LONGEST: usize = 200;
const SPLIT: &str = "Split it into one story per job, and order them with dependsOn.";

pub(crate) fn findings(spot: StorySpot<'_>) -> Option<Finding> {
    let title = &spot.story.title;
    if title.trim().is_empty() {
        let fix = "State in a few words what the story adds.";
        return Some(spot.finding(Code::EmptyTitle, FIELD, "the title is empty", fix));
    }
    let characters = title.chars().count();
    if characters > LONGEST {
        let message = format!("the title has {characters} characters, more than {LONGEST}");
        let fix = "State in a few words what the story adds; move the rest to its description.";
        return Some(spot.finding(Code::OversizedStory, FIELD, message, fix));
    }
    if let Some(word) = placeholder(title) {
        let message = format!("{} has a placeholder: {word}", quote(title));
        return Some(spot.finding(Code::Placeholder, FIELD, message, "Write what is decided."));
    }
    let message = format!("{} {}", quote(title), jobs(title)?);
    Some(spot.finding(Code::CompoundStory, FIELD, message, SPLIT))
}

const TWO: &str = "names two jobs";
const FOUR: &str = "is four jobs: create, read, update and delete";
const WHOLE_SYSTEM: &str = "names a whole system instead of a change to it";

static CRUD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bCRUD\b"));

/// A whole large system, or nothing but its name.
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    let large = r"(?:app|application|back ?-?end|front ?-?end|system|platform|website|web ?site|ui|gui|api|stack|codebase|product|project|feature|service|module|library|dashboard|database|admin|flow|workflow|pipeline|game|store|shop)s?";
    pattern(&format!(
        r"(?ix)
          \b(?:entire|whole|complete|full|all\ of\ the|all\ of) \s (?:\w+\s){{0,2}} {large} \b
        | ^(?:build|implement|create|develop|write|make|do|finish|code) \s (?:the|a|an|our|my)?\s?
          (?:new\s)? (?:app|application|back\ ?-?end|front\ ?-?end|system|platform|website|product|project|game) [.!]?$"
    ))
});

/// Verbs of separate work. "Add and remove" or "copy and paste" are one job.
static SECOND_JOB: LazyLock<Regex> = LazyLock::new(|| {
    let job = "add|build|configure|create|define|deploy|design|develop|document|fix|implement|install|integrate|introduce|migrate|optimi[sz]e|refactor|rename|replace|rewrite|set\\ up|update|upgrade|write";
    pattern(&format!(
        r"(?ix) ^(?:{job}) \s+ \S+ .*? (?:,\s*(?:and\s+)?|;\s*|\s+and\s+(?:then\s+)?|\s+then\s+|\s*&\s*|\s*\+\s*)
          (?:{job}) \s+ (?P<what>\S.*)$"
    ))
});

/// Tests and docs belong to every story.
static ITS_OWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:tests?|specs?|docs?|documentation|readme|changelog|it|its|them|their|they)\b",
    )
});

fn jobs(title: &str) -> Option<&'static str> {
    if CRUD.is_match(title) {
        return Some(FOUR);
    }
    if WHOLE.is_match(title) {
        return Some(WHOLE_SYSTEM);
    }
    let second = SECOND_JOB.captures(title)?;
    let what = second.name("what")?.as_str();
    (!ITS_OWN.is_match(what)).then_some(TWO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_several_jobs_are_found() {
        for (title, expected) in [
            ("Add login and create the dashboard", TWO),
            ("Create users table, build sign-up form", TWO),
            ("Implement search, and write the importer", TWO),
            ("Refactor the parser & add streaming", TWO),
            ("Set up the database then implement the API routes", TWO),
            ("CRUD for products", FOUR),
            ("Product crud", FOUR),
            ("Build the entire backend", WHOLE_SYSTEM),
            ("Implement the full checkout flow", WHOLE_SYSTEM),
            ("Complete admin dashboard", WHOLE_SYSTEM),
            ("Migrate all of the services", WHOLE_SYSTEM),
            ("Build the frontend", WHOLE_SYSTEM),
            ("Create a new application", WHOLE_SYSTEM),
        ] {
            assert_eq!(jobs(title), Some(expected), "{title}");
        }
    }

    #[test]
    fn titles_of_one_job_pass() {
        for title in [
            "Greet strangers, and every name given",
            "Add and remove labels",
            "Search and replace in the editor",
            "Drag and drop of cards",
            "Add the parser and write tests for it",
            "Implement the retry policy and document it",
            "Create users table with name, email and role",
            "Show the full name in the tooltip",
            "Complete a task from the list",
            "Mark all of my messages as read",
            "Add a header to the API client",
            "Build the docker image in CI",
            "Full-text search over notes",
            "Log in and out",
            "Add priority field to database",
            "Rename the whole file when its first heading changes",
            "Benutzer anlegen und löschen",
            "Créer un compte et se connecter",
            "添加登录功能",
        ] {
            assert_eq!(jobs(title), None, "{title}");
        }
    }
}
