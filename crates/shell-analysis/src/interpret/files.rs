//! Files that the text itself writes, and scripts on disk.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::{CommandOutput, ExitStatus, Run, Shell};
use crate::invocation::{Folder, Input, RedirectKind};
use crate::syntax::List;
use crate::word::Word;

#[derive(Debug, Default)]
pub(super) struct Files {
    written: BTreeMap<PathBuf, Content>,
    /// The contents behind the names of `<(…)`.
    pub(super) streams: Vec<(Word, Word)>,
    /// The commands behind the names of `>(…)`.
    pub(super) sinks: Vec<(Word, List)>,
    /// The contents of descriptors other than standard input.
    pub(super) descriptors: BTreeMap<String, Input>,
}

#[derive(Debug, Clone)]
enum Content {
    Is(Word),
    /// A copy of, or a link to, another file.
    SameAs(PathBuf),
}

impl Shell<'_> {
    pub(super) fn write(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        if name.text().is_none() {
            return self.feed(name, text, kind);
        }
        let Some(path) = name.text().and_then(|name| self.path(&name)) else { return Ok(()) };
        if path.starts_with("/dev") {
            return Ok(());
        }
        self.spend(text.weight())?;
        let mut content = Word::default();
        if kind == RedirectKind::Append {
            content = self.content(&path)?.unwrap_or_default();
        }
        content.append(text);
        self.files.written.insert(path, Content::Is(content));
        Ok(())
    }

    /// Passes a text to the command of `>(…)`.
    fn feed(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(self.files.sinks.len())?;
        let Some(at) = self.files.sinks.iter().position(|(sink, _)| sink == name) else {
            return self.write_unnamed(name, text, kind);
        };
        let (_, list) = self.files.sinks.swap_remove(at);
        self.in_subshell(|shell| {
            let invocations = text.sources().collect();
            let printed = CommandOutput { word: text, invocations, status: ExitStatus::Unknown };
            shell.context.input = printed.into_input();
            shell.list(&list)
        })?;
        Ok(())
    }

    /// A file whose name is only known at run time is still the same under the same name.
    fn write_unnamed(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(text.weight() + self.files.streams.len())?;
        match self.files.streams.iter_mut().find(|(stream, _)| stream == name) {
            Some((_, content)) if kind == RedirectKind::Append => content.append(text),
            Some((_, content)) => *content = text,
            None => self.files.streams.push((name.clone(), text)),
        }
        Ok(())
    }

    /// Reports the files that the text writes, because later commands may run them.
    pub(super) fn record_files(&mut self) -> Run<()> {
        self.analysis.streams = std::mem::take(&mut self.files.streams);
        let paths: Vec<PathBuf> = self.files.written.keys().cloned().collect();
        for path in paths {
            if let Some(content) = self.content(&path)? {
                self.analysis.files.insert(path, content.shown());
            }
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, from: &Word, to: &Word) {
        let from = from.text().and_then(|name| self.path(&name));
        let to = to.text().and_then(|name| self.path(&name));
        if let (Some(from), Some(mut to)) = (from, to) {
            if self.files.written.keys().any(|path| path.starts_with(&to) && *path != to) {
                to.extend(from.file_name());
            }
            self.files.written.insert(to, Content::SameAs(from));
        }
    }

    /// What this text has written to a file or to `<(…)`.
    pub(super) fn written(&mut self, name: &Word) -> Run<Option<Word>> {
        if name.text().is_none() {
            self.spend(self.files.streams.len())?;
            let stream = self.files.streams.iter().find(|(stream, _)| stream == name);
            let text = stream.map(|(_, text)| text.clone());
            self.spend(text.as_ref().map_or(0, Word::weight))?;
            return Ok(text);
        }
        let Some(path) = name.text().and_then(|name| self.path(&name)) else { return Ok(None) };
        if let Some(number) = descriptor(&path) {
            return Ok(match self.files.descriptors.get(number) {
                Some(Input::Text { text, .. }) => Some(text.clone()),
                _ => None,
            });
        }
        if self.files.written.contains_key(&path) { self.content(&path) } else { Ok(None) }
    }

    /// The content of a file, from this text or from disk.
    pub(super) fn content(&mut self, path: &Path) -> Run<Option<Word>> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            match self.files.written.get(&path) {
                Some(Content::Is(word)) => {
                    let word = word.clone();
                    self.spend(word.weight())?;
                    return Ok(Some(word));
                }
                Some(Content::SameAs(other)) => path.clone_from(other),
                None => break,
            }
        }
        let Some(text) = (self.start.file)(&path) else { return Ok(None) };
        self.spend(text.len())?;
        Ok(Some(Word::of(text)))
    }
}

/// `/dev/fd/3`
fn descriptor(path: &Path) -> Option<&str> {
    let rest = path.strip_prefix("/dev/fd").or_else(|_| path.strip_prefix("/proc/self/fd"));
    rest.ok()?.to_str()
}

/// Resolves a path against a folder, without `.` and `..`; does not follow links.
pub(super) fn resolve(folder: &Folder, name: &str) -> Option<PathBuf> {
    let path = match folder {
        _ if name.starts_with('/') => PathBuf::from(name),
        Folder::Known(folder) => folder.join(name),
        Folder::Unknown => return None,
    };
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}
