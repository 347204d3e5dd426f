//! The file changes of each story.

use events::format::{count, short_id};
use tasks::StoryId;

use super::{code, evidence, id, quiet, section};
use crate::PageInput;
use crate::diff::{DiffLine, FileDiff, FileText, IterationRange, StoryDiff};
use crate::html::{Element, Html, block, element};
use crate::table::{folded, list_or_fold, table};
use crate::tally::StoryRow;

pub(super) fn diffs(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let diffs = input.diffs;
    let stories = diffs.stories.iter().map(|diff| story(&named(rows, diff), diff));
    let stories: Vec<Html> = stories.map(Into::into).collect();
    let none = (stories.is_empty() && diffs.notes.is_empty()).then(|| quiet("No changes to show."));
    section("diffs", "Changes by story")
        .add(none)
        .add_all(diffs.notes.iter().map(quiet))
        .add(list_or_fold("diffs", "Stories", stories))
        .into()
}

/// The name of the story as in the list.
fn named(rows: &[StoryRow<'_>], diff: &StoryDiff) -> Html {
    let Some(story) = &diff.story else { return "The whole run".into() };
    let row = rows.iter().find(|row| row.brief.id == *story);
    let title = row.map(|row| format!(" {}", row.brief.title));
    element("span").add(id(story)).add(title).into()
}

/// The id of its element, and the prefix of the keys of collapsed elements.
fn key(diff: &StoryDiff) -> String {
    diff.story.as_ref().map_or("diff".to_owned(), |story| format!("diff-{story}"))
}

/// A commit of a story, as a link to the changes of the story if the page has them.
pub(super) fn commit(input: &PageInput<'_>, story: &StoryId, commit: &str) -> Html {
    let name = code(&short_id(commit));
    match input.diffs.stories.iter().find(|diff| diff.story.as_ref() == Some(story)) {
        Some(diff) => element("a").attr("href", format!("#{}", key(diff))).add(name).into(),
        None => name.into(),
    }
}

fn story(name: &Html, diff: &StoryDiff) -> Element {
    let (files, added, removed) = diff.counts();
    let summary = element("span").add(name.clone());
    let summary = match diff.ranges[..] {
        [] => summary.add(": not shown"),
        _ => {
            summary.add(format!(": {} ", count(files, "file", "files"))).add(counts(added, removed))
        }
    };
    let contents = element("div").id(key(diff));
    let contents = contents
        .add_all(diff.notes.iter().map(quiet))
        .add_all(diff.ranges.iter().map(|one| range(diff, one)));
    folded(key(diff), summary, contents.into())
}

fn counts(added: u64, removed: u64) -> Element {
    element("span")
        .class("counts")
        .add(element("span").class("added").add(format!("+{added}")))
        .add(" ")
        .add(element("span").class("removed").add(format!("-{removed}")))
}

fn range(diff: &StoryDiff, range: &IterationRange) -> Element {
    let name = match range.iterations[..] {
        [] => String::new(),
        [one] => format!("Iteration {one}"),
        [first, .., last] => format!("Iterations {first} to {last}"),
    };
    let columns = "File, #Added, #Removed";
    let rows = range.files.iter().map(|file| {
        let (added, removed) = match file.text {
            FileText::Binary => (Html::from("binary"), Html::default()),
            FileText::Lines { added, removed, .. } => (added.into(), removed.into()),
        };
        [path(file), added, removed]
    });
    let caption = format!("{name}: {}", count(range.files.len() as u64, "file", "files"));
    let first = range.iterations.first().copied().unwrap_or_default();
    let key = |place: usize| format!("{}-{first}-{place}", key(diff));
    let files = range.files.iter().enumerate();
    element("div")
        .add(element("h3").add(name))
        .add(table(&caption, columns, rows))
        .add_all(files.filter_map(|(place, file)| lines(file, key(place))))
        .add(element("p").class("quiet").add("Full diff: ").add(code(&range.command)))
}

fn path(file: &FileDiff) -> Html {
    let was = file.was.as_ref().map(|was| element("span").add(" was ").add(code(was)));
    element("span").add(code(&file.path)).add(was).into()
}

/// `None` for a file without lines to show.
fn lines(file: &FileDiff, key: String) -> Option<Element> {
    let FileText::Lines { added, removed, shown, left_out } = &file.text else { return None };
    if *added + *removed == 0 {
        return None;
    }
    let more = (*left_out > 0).then(|| {
        quiet(format!(
            "{} not shown.",
            count(*left_out, "more changed line is", "more changed lines are")
        ))
    });
    let summary = element("span").add(code(&file.path)).add(" ").add(counts(*added, *removed));
    let label = format!("Changes in {}", file.path);
    let text = element("span").class("diff").add_all(shown.iter().map(line));
    let text = (!shown.is_empty()).then(|| evidence(&label, text.into()));
    Some(folded(key, summary, element("div").add(text).add(more).into()))
}

fn line(line: &DiffLine) -> Element {
    let (class, sign, text) = match line {
        DiffLine::Added(text) => ("added", "+", text),
        DiffLine::Removed(text) => ("removed", "-", text),
        DiffLine::Same(text) => ("same", " ", text),
        DiffLine::HunkHeader(text) => ("place", "", text),
    };
    let words = block(&format!("{sign}{text}"));
    element("span").class(class).add(if words.is_empty() { " ".into() } else { words })
}
