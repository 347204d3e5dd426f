//! Issues as stories. A body sets title, description, criteria, priority and dependencies, nothing else.

mod body;
mod links;
mod priority;

use std::collections::{BTreeMap, BTreeSet};

use tasks::{StoryDraft, StoryId};

use crate::story::{StoryText, depend};
use crate::untrusted::{Body, line};
use crate::{Import, Issue, Note, Repository};
use body::{IssueBody, Part};
use links::{Reference, references};

/// Stories of one issue, and issues that its list of tasks names.
const MOST_PARTS: usize = 50;
/// Characters of an address, and of a title before [`StoryText`] cuts it.
const MOST_LINE: usize = 2000;

/// One story for each issue, or several if its body has a list of tasks. Issues keep their order; those with a priority
/// label come before or after the others, as [`Import::stories`] have their priorities.
pub fn import(issues: &[Issue], repository: &Repository) -> Import {
    let mut importer = Importer { repository, import: Import::default(), issues: BTreeMap::new() };
    let mut seen = BTreeSet::new();
    for issue in issues.iter().filter(|issue| seen.insert(issue.number)) {
        importer.issue(issue);
    }
    importer.finish()
}

struct Importer<'r> {
    repository: &'r Repository,
    import: Import,
    /// By number.
    issues: BTreeMap<u64, ImportedIssue>,
}

struct ImportedIssue {
    class: u32,
    /// The position among the imported issues.
    position: usize,
    stories: IssueStories,
}

struct IssueStories {
    all: Vec<StoryId>,
    /// They complete it.
    last: Vec<StoryId>,
    /// What each waits for.
    references: Vec<(StoryId, Vec<Reference>)>,
}

impl Importer<'_> {
    fn note(&mut self, number: u64, what: &str, why: &str) {
        self.import.notes.push(Note::new(&format!("#{number}"), what, why));
    }

    fn issue(&mut self, issue: &Issue) {
        let number = issue.number;
        if issue.is_pull_request {
            return self.note(number, "pull request", "it is no issue and not imported");
        }
        if !issue.is_open {
            self.note(number, "state", "the issue is closed; it is imported all the same");
        }
        let raw = Body::clean(&issue.body);
        if raw.was_cut {
            self.note(number, "body", "it is longer than 256 KiB; the end is left out");
        }
        if raw.comments > 0 {
            let what = format!("{} HTML comments", raw.comments);
            self.note(number, &what, "readers of the issue do not see them; they are left out");
        }
        let mut body = body::read(&raw.text);
        let tracked = self.take_references(&mut body);
        let title = match line(&issue.title, MOST_LINE) {
            title if title.is_empty() => format!("Issue {number}"),
            title => title,
        };
        let stories = match body.parts.len() {
            0 | 1 => self.whole(issue, title, body, &raw.text),
            _ => self.parts(issue, &title, body),
        };
        let class = self.class(issue);
        let Some(mut stories) = stories else { return };
        match &stories.last[..] {
            [whole] => stories.references.push((whole.clone(), tracked)),
            _ if tracked.is_empty() => {}
            _ => {
                let why = "they are stories of their own; import them too";
                self.note(number, "issues in the list of tasks", why);
            }
        }
        let position = self.issues.len();
        self.issues.insert(number, ImportedIssue { class, position, stories });
    }

    /// Entries that only name another issue: that one is the story, and this one waits for it.
    fn take_references(&self, body: &mut IssueBody) -> Vec<Reference> {
        let mut found = Vec::new();
        let mut is_text = |text: &str| match links::only(text, self.repository) {
            Some(reference) => {
                found.push(reference);
                false
            }
            None => true,
        };
        body.criteria.retain(|criterion| is_text(criterion));
        body.parts.retain(|part| !part.criteria.is_empty() || is_text(&part.title));
        found.truncate(MOST_PARTS);
        found
    }

    fn class(&mut self, issue: &Issue) -> u32 {
        let classes = priority::of_labels(&issue.labels);
        if classes.len() > 1 {
            let why = "they name different priorities; the most urgent one counts";
            self.note(issue.number, "labels", why);
        }
        classes.first().copied().unwrap_or(priority::USUAL)
    }

    /// One story for the whole issue.
    fn whole(
        &mut self,
        issue: &Issue,
        title: String,
        body: IssueBody,
        source: &str,
    ) -> Option<IssueStories> {
        let IssueBody { description, mut criteria, parts, .. } = body;
        for part in parts {
            let own = if part.criteria.is_empty() { vec![part.title] } else { part.criteria };
            criteria.extend(own);
        }
        let text = StoryText { title, description, criteria };
        let id = self.story(issue, None, text)?;
        let found = references(source, self.repository);
        let (all, last) = (vec![id.clone()], vec![id.clone()]);
        Some(IssueStories { all, last, references: vec![(id, found)] })
    }

    /// A story for each open part, and one for the criteria of the whole issue.
    fn parts(&mut self, issue: &Issue, title: &str, body: IssueBody) -> Option<IssueStories> {
        let IssueBody { description, criteria, parts, in_order } = body;
        let number = issue.number;
        let count = parts.len();
        if count > MOST_PARTS {
            let what = format!("{} tasks", count - MOST_PARTS);
            self.note(number, &what, "an issue becomes at most 50 stories; split the issue");
        }
        let general = references(&description, self.repository);
        let (mut ids, mut links): (Vec<StoryId>, Vec<_>) = (Vec::new(), Vec::new());
        for (at, part) in parts.into_iter().take(MOST_PARTS).enumerate() {
            let what = format!("task {:?}", part.title);
            if part.is_done {
                self.note(number, &what, "its box is checked; it is left out");
                continue;
            }
            let mut own = references(&part.source, self.repository);
            own.extend(general.clone());
            let place = format!("Task {} of {count} of issue #{number}: {title}", at + 1);
            let text = part.into_text(&place, &description);
            let Some(id) = self.story(issue, Some(at + 1), text) else { continue };
            if let Some(before) = ids.last().filter(|_| in_order) {
                depend(&mut self.import.stories, &id, before);
            }
            links.push((id.clone(), own));
            ids.push(id);
        }
        if ids.is_empty() {
            self.note(number, "tasks", "all of them are done");
        }
        let mut last = ids.clone();
        if !criteria.is_empty() || ids.is_empty() {
            let text = StoryText {
                title: format!("{title} (as a whole)"),
                description: format!("Issue #{number}, after its tasks.\n\n{description}"),
                criteria,
            };
            let id = self.story(issue, Some(count.min(MOST_PARTS) + 1), text)?;
            for part in &ids {
                depend(&mut self.import.stories, &id, part);
            }
            if !ids.is_empty() {
                let why = "they became a story of their own that depends on its tasks";
                self.note(number, "criteria of the whole issue", why);
            }
            links.push((id.clone(), general));
            last = vec![id.clone()];
            ids.push(id);
        }
        Some(IssueStories { all: ids, last, references: links })
    }

    /// Its id; `None` never happens, because numbers fit into an id.
    fn story(&mut self, issue: &Issue, part: Option<usize>, text: StoryText) -> Option<StoryId> {
        let number = issue.number;
        let suffix = part.map_or_else(String::new, |part| format!("-{part}"));
        let id = StoryId::new(format!("ISSUE-{number}{suffix}")).ok()?;
        let source = line(&issue.url, MOST_LINE);
        let about = format!("#{number}");
        let story = text.into_story(id.clone(), source, &about, &mut self.import.notes);
        self.import.stories.push(story);
        Some(id)
    }

    fn finish(mut self) -> Import {
        let mut order: Vec<&ImportedIssue> = self.issues.values().collect();
        order.sort_by_key(|issue| (issue.class, issue.position));
        for (rank, issue) in (1_u64..).zip(order) {
            let own = |story: &&mut StoryDraft| issue.stories.all.contains(&story.id);
            self.import.stories.iter_mut().filter(own).for_each(|story| {
                story.priority = Some(rank.into());
            });
        }
        let issues = std::mem::take(&mut self.issues);
        for (number, issue) in &issues {
            for (story, references) in &issue.stories.references {
                for reference in references {
                    self.dependency(*number, story, reference, &issues);
                }
            }
        }
        self.import.notes.dedup();
        self.import
    }

    fn dependency(
        &mut self,
        number: u64,
        story: &StoryId,
        reference: &Reference,
        issues: &BTreeMap<u64, ImportedIssue>,
    ) {
        let on = match reference {
            Reference::Issue(on) => *on,
            Reference::Elsewhere(text) => {
                let what = format!("dependency on {text}");
                return self.note(number, &what, "it is in another repository or not an issue");
            }
        };
        let what = format!("dependency on #{on}");
        let Some(target) = issues.get(&on).filter(|_| on != number) else {
            let why = if on == number { "it is the issue itself" } else { "it is not imported" };
            return self.note(number, &what, why);
        };
        for id in &target.stories.last {
            if !depend(&mut self.import.stories, story, id) {
                self.note(number, &what, "it would close a circle of dependencies");
            }
        }
    }
}

impl Part {
    fn into_text(self, place: &str, context: &str) -> StoryText {
        let parts = [place, &self.description, context];
        let filled = parts.into_iter().filter(|text| !text.is_empty());
        let description = filled.collect::<Vec<_>>().join("\n\n");
        let criteria = match self.criteria.is_empty() {
            true => vec![self.title.clone()],
            false => self.criteria,
        };
        StoryText { title: self.title, description, criteria }
    }
}

#[cfg(test)]
mod tests;
