//! One thing that the runner noticed about a session or a check, for the user and for the next review. Names
//! that an agent can choose are data beside the runner's sentence, never a part of it.

use std::path::Path;

use sanitize::plain;
use serde::{Deserialize, Serialize};
use tasks::{Sha256Digest, StoryId};

use crate::own_file;
use crate::stories::iteration::Iteration;
use crate::stories::project_snapshot::Actor;
use crate::stories::repository::{NAMED, listed};
use crate::stories::run::Run;

/// Who did it, the story whose reviewer has to know, and the folder for what is kept of it.
#[derive(Debug, Clone)]
pub(crate) struct Origin<'a> {
    pub(crate) actor: Actor,
    pub(crate) who: String,
    pub(crate) story: Option<&'a StoryId>,
    pub(crate) folder: &'a Path,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notice {
    /// Written by the runner.
    pub(crate) text: String,
    /// The first of them.
    pub(crate) names: Vec<String>,
    pub(crate) whole_list: Option<WholeList>,
}

/// A file with all names, where there are more than a sentence lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeList {
    /// From the project.
    pub(crate) file: String,
    pub(crate) count: usize,
    /// Only in memory: what is on disk can be changed by the checks that follow.
    #[serde(skip)]
    lines: String,
}

impl Iteration {
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin {
            actor: Actor::Session,
            who: self.label(),
            story: Some(&self.assignment.story),
            folder: &self.folder,
        }
    }
}

impl Run<'_> {
    /// `what` follows the name of the session or check that did it to each of `names`; without names
    /// nothing was done.
    pub(crate) fn notice<S: AsRef<str>>(&mut self, origin: &Origin<'_>, what: &str, names: &[S]) {
        if names.is_empty() {
            return;
        }
        let notice = self.new_notice(origin, what, names);
        let mut text = format!("{}: {}", notice.text, listed(names));
        if let Some(list) = &notice.whole_list {
            text.push_str(&format!(" (the whole list is in {})", list.file));
        }
        self.add_notice(origin, notice);
        self.sink.warn(text);
    }

    /// For the next review alone.
    pub(crate) fn notice_for_review<S: AsRef<str>>(
        &mut self,
        origin: &Origin<'_>,
        what: &str,
        names: &[S],
    ) {
        if !names.is_empty() {
            let notice = self.new_notice(origin, what, names);
            self.add_notice(origin, notice);
        }
    }

    fn add_notice(&mut self, origin: &Origin<'_>, notice: Notice) {
        if let Some(story) = origin.story {
            let notices = &mut self.state.story(story).notices;
            // An iteration that is judged again finds the same once more.
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
    }

    fn new_notice<S: AsRef<str>>(
        &mut self,
        origin: &Origin<'_>,
        what: &str,
        names: &[S],
    ) -> Notice {
        let text = format!("{} {what}", origin.who);
        let names: Vec<String> = names.iter().map(|name| plain(name.as_ref())).collect();
        let whole_list = (names.len() > NAMED).then(|| {
            let lines = names.join("\n") + "\n";
            let digest = Sha256Digest::of(format!("{text}\n{lines}")).short();
            let path = origin.folder.join(format!("noticed-{digest}.txt"));
            WholeList { file: self.layout.name_of(&path), count: names.len(), lines }
        });
        if let Some(list) = &whole_list {
            self.write_list(list);
        }
        Notice { text, names: names.into_iter().take(NAMED).collect(), whole_list }
    }

    /// Before the review that is to read them.
    pub(crate) fn write_lists_of_notices(&mut self, story: &StoryId) {
        let notices = self.state.stories.get(story).map(|record| record.notices.clone());
        let lists = notices.into_iter().flatten().filter_map(|notice| notice.whole_list);
        for list in lists.filter(|list| !list.lines.is_empty()) {
            self.write_list(&list);
        }
    }

    fn write_list(&mut self, list: &WholeList) {
        let root = self.layout.root();
        if let Err(error) = own_file::put(root, &root.join(&list.file), list.lines.as_bytes()) {
            self.sink.warn(format!("{} cannot be written: {error}", list.file));
        }
    }
}
