//! Task lists in Markdown as stories: `tasks.md` of spec-kit and OpenSpec, and any headings with check boxes.
//!
//! | format | a story | its id | depends on |
//! |---|---|---|---|
//! | spec-kit | a phase; its tasks are the criteria | `US1`, `PHASE-2` | user stories: the phase before them; other phases: all before |
//! | OpenSpec | a numbered heading | `STEP-1` | the step before |
//! | other | a heading with check boxes | `STORY-1` | nothing |

mod section;
mod style;

use std::collections::BTreeSet;

use tasks::StoryId;

use crate::outline::{self, Item, one_line};
use crate::story::{StoryText, depend};
use crate::untrusted::{Body, line};
use crate::{Import, Note};
use section::{Section, sections};
use style::Style;

/// Stories of one file.
const MOST_STORIES: usize = 200;
const MOST_NAME: usize = 500;

/// `name` is the path of the file, for `source` and notes.
pub fn from_markdown(text: &str, name: &str) -> Import {
    let name = line(name, MOST_NAME);
    let mut import = Import::default();
    let mut note = |what: &str, why: &str| import.notes.push(Note::new(&name, what, why));
    let body = Body::clean(text);
    if body.was_cut {
        note("text", "it is longer than 256 KiB; the end is left out");
    }
    let sections = sections(&body.text, &name);
    let style = Style::of(&sections);
    let mut open = Vec::new();
    for section in sections {
        let (boxes, what) = (section.boxes().len(), format!("section {:?}", section.title));
        let done: Vec<String> = section.done().into_iter().map(|item| item.text.clone()).collect();
        match (boxes, done.len()) {
            (0, _) if section.has_text() => note(&what, "it has no check boxes; it is left out"),
            (0, _) => {}
            (boxes, done) if boxes == done => note(&what, "all of it is done; it is left out"),
            (_, 0) => open.push(section),
            (_, count) => {
                let why = format!("{count} done tasks are left out: {}", done.join("; "));
                note(&what, &why);
                open.push(section);
            }
        }
    }
    if open.len() > MOST_STORIES {
        let what = format!("{} sections", open.len() - MOST_STORIES);
        note(&what, "a file becomes at most 200 stories; split it");
        open.truncate(MOST_STORIES);
    }
    let mut stories =
        Stories { style, name, import, ids: BTreeSet::new(), phases: Phases::default() };
    open.into_iter().for_each(|section| stories.add(section));
    stories.import
}

struct Stories {
    style: Style,
    name: String,
    import: Import,
    ids: BTreeSet<StoryId>,
    phases: Phases,
}

/// What the next section depends on.
#[derive(Default)]
struct Phases {
    /// The last section that all later ones need.
    needed: Option<StoryId>,
    /// User stories since then.
    stories: Vec<StoryId>,
}

impl Stories {
    fn add(&mut self, section: Section) {
        let position = self.import.stories.len() + 1;
        let Some(id) = self.free_id(&self.style.id(&section, position)) else { return };
        let text = StoryText {
            title: self.style.title(&section.title),
            criteria: criteria(&section.items, self.style),
            description: section.text,
        };
        let about = format!("{}: {id}", self.name);
        let source = format!("{}#{}", self.name, anchor(&section.title));
        let mut story = text.into_story(id.clone(), source, &about, &mut self.import.notes);
        story.priority = Some(position.into());
        self.import.stories.push(story);
        for on in self.phases.before(&id, self.style.is_independent(&section.title), self.style) {
            depend(&mut self.import.stories, &id, &on);
        }
    }

    fn free_id(&mut self, wanted: &str) -> Option<StoryId> {
        let ids = (1..).map(|number: usize| match number {
            1 => StoryId::new(wanted),
            _ => StoryId::new(format!("{wanted}-{number}")),
        });
        let mut ids = ids.take(MOST_STORIES + 1).filter_map(Result::ok);
        ids.find(|id| self.ids.insert(id.clone()))
    }
}

impl Phases {
    fn before(&mut self, id: &StoryId, is_independent: bool, style: Style) -> Vec<StoryId> {
        if style == Style::Plain {
            return Vec::new();
        }
        if is_independent {
            self.stories.push(id.clone());
            return self.needed.clone().into_iter().collect();
        }
        let before = match std::mem::take(&mut self.stories) {
            stories if stories.is_empty() => self.needed.clone().into_iter().collect(),
            stories => stories,
        };
        self.needed = Some(id.clone());
        before
    }
}

/// As pages that show Markdown name the heading.
fn anchor(title: &str) -> String {
    let kept = title.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Of the open boxes. Items without a box below one belong to its text.
fn criteria(items: &[Item], style: Style) -> Vec<String> {
    let mut found = Vec::new();
    for item in items {
        let details = item.children.iter().filter(|child| child.done.is_none());
        let details: Vec<&str> = details.map(|child| child.text.as_str()).collect();
        if item.done == Some(false) {
            let mut text = style.criterion(&item.text);
            for more in [one_line(&item.rest), details.join("; ")] {
                if !more.is_empty() {
                    text = format!("{text} ({more})");
                }
            }
            found.push(text);
        }
        found.extend(criteria(&item.children, style));
    }
    found
}

#[cfg(test)]
mod tests;
