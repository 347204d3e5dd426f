//! Files that the text itself writes, and scripts on disk.

use std::collections::BTreeMap;
use std::path::{Component, PathBuf};

use super::{CommandOutput, Run, Shell};
use crate::invocation::{Folder, RedirectKind};
use crate::syntax::List;
use crate::word::Word;

/// The limit of Linux.
const PATH_BYTES: usize = 4096;

/// By path, or by a name that is only known at run time, such as that of `<(…)`; descriptors as `/dev/fd/3`.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) contents: BTreeMap<Word, Word>,
    /// Copies and links of files that are not yet known.
    links: BTreeMap<Word, Word>,
    /// The commands behind the names of `>(…)`.
    pub(super) sinks: BTreeMap<Word, List>,
}

impl Shell<'_> {
    fn key(&mut self, name: &Word) -> Option<Word> {
        if name.text().is_none() {
            return Some(name.clone());
        }
        let path = self.path(name)?.to_string_lossy().replace("/proc/self/fd/", "/dev/fd/");
        Some(Word::of(path))
    }

    pub(super) fn write(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(name.weight() + text.weight())?;
        let Some(key) = self.key(name) else { return Ok(()) };
        if let Some(list) = self.files.sinks.remove(&key) {
            let invocations = text.sources().collect();
            let printed = CommandOutput { word: text, invocations, ..CommandOutput::default() };
            return self.in_subshell(|shell| {
                shell.context.input = printed.into_input();
                shell.list(&list).map(|_| ())
            });
        }
        if key.text().is_some_and(|path| path.starts_with("/dev/")) {
            return Ok(());
        }
        let extends = kind == RedirectKind::Append;
        let before = if extends { self.content(name)? } else { None };
        let mut content = before.unwrap_or_default();
        content.append(text);
        self.files.contents.insert(key, content);
        Ok(())
    }

    pub(super) fn copy(&mut self, from: &Word, to: &Word) -> Run<()> {
        let content = self.content(from)?;
        let (Some(source), Some(mut target)) = (self.key(from), self.key(to)) else {
            return Ok(());
        };
        let folder = target.known_start() + "/";
        let mut inside = self.files.contents.range(Word::of(&folder)..);
        if inside.next().is_some_and(|(path, _)| path.known_start().starts_with(&folder)) {
            let source = source.known_start();
            target.push_text(source.rfind('/').map_or("", |at| &source[at..]));
        }
        match content {
            Some(content) => self.files.contents.insert(target, content),
            None => self.files.links.insert(target, source),
        };
        Ok(())
    }

    /// What this text has written to a file, a descriptor or `<(…)`.
    pub(super) fn written(&mut self, name: &Word) -> Run<Option<Word>> {
        self.spend(name.weight())?;
        let Some(key) = self.key(name) else { return Ok(None) };
        let is_input = ["-", "/dev/stdin", "/dev/fd/0"].iter().any(|input| name.is(input));
        let Files { contents, links, .. } = &self.files;
        let input = self.context.input.text().filter(|_| is_input);
        let text = input.or(contents.get(&key)).or_else(|| contents.get(links.get(&key)?)).cloned();
        self.spend(text.as_ref().map_or(0, Word::weight))?;
        Ok(text)
    }

    /// The content of a file, from this text or from disk.
    pub(super) fn content(&mut self, name: &Word) -> Run<Option<Word>> {
        let written = self.written(name)?;
        let Some(path) = self.path(name).filter(|_| written.is_none()) else { return Ok(written) };
        let Some(text) = (self.start.file)(&path) else { return Ok(None) };
        self.spend(text.len())?;
        Ok(Some(Word::of(text)))
    }
}

pub(super) fn descriptor(number: &str) -> Word {
    Word::of(format!("/dev/fd/{number}"))
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
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain).filter(|path| path.as_os_str().len() <= PATH_BYTES)
}
