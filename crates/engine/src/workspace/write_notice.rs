//! Writes notices about sessions and checks, for the user and for the next review.

use sanitize::plain;
use tasks::Sha256Digest;

use crate::own_file;
use crate::workspace::core::Workspace;
use crate::workspace::notice::{NAMED, NoticeOrigin, ReviewNotice, WholeList, listed};

impl Workspace<'_> {
    /// `what` is the predicate of the sentence; its subject is the session or check, its objects are `names`.
    /// Does nothing without names.
    pub(crate) fn notice<S: AsRef<str>>(
        &mut self,
        origin: &NoticeOrigin<'_>,
        what: &str,
        names: &[S],
    ) {
        if names.is_empty() {
            return;
        }
        let notice = self.new_notice(origin, what, names);
        let mut text = format!("{}: {}", notice.text, listed(names));
        if let Some(list) = &notice.whole_list {
            text.push_str(&format!(" (full list in {})", list.file));
        }
        self.add_notice(origin, notice);
        self.sink.warn(text);
    }

    /// Only for the next review, without a warning.
    pub(crate) fn notice_for_review<S: AsRef<str>>(
        &mut self,
        origin: &NoticeOrigin<'_>,
        what: &str,
        names: &[S],
    ) {
        if !names.is_empty() {
            let notice = self.new_notice(origin, what, names);
            self.add_notice(origin, notice);
        }
    }

    fn add_notice(&mut self, origin: &NoticeOrigin<'_>, notice: ReviewNotice) {
        if let Some(story) = origin.story {
            self.notices.push((story.clone(), notice));
        }
    }

    fn new_notice<S: AsRef<str>>(
        &mut self,
        origin: &NoticeOrigin<'_>,
        what: &str,
        names: &[S],
    ) -> ReviewNotice {
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
        ReviewNotice { text, names: names.into_iter().take(NAMED).collect(), whole_list }
    }

    /// Rewrites the lists before a review reads them.
    pub(crate) fn write_notice_lists(&mut self, notices: &[ReviewNotice]) {
        let lists = notices.iter().filter_map(|notice| notice.whole_list.as_ref());
        for list in lists.filter(|list| !list.lines.is_empty()) {
            self.write_list(list);
        }
    }

    fn write_list(&mut self, list: &WholeList) {
        let root = self.layout.root();
        if let Err(error) = own_file::put(root, &root.join(&list.file), list.lines.as_bytes()) {
            self.sink.warn(format!("cannot write {}: {error}", list.file));
        }
    }
}
