//! Files that the text itself writes, and scripts on disk.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::{CommandOutput, Run, Shell};
use crate::invocation::{Folder, Input, RedirectKind};
use crate::syntax::List;
use crate::word::Word;

#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) written: BTreeMap<PathBuf, Word>,
    /// Copies and links of files that are not yet known.
    links: BTreeMap<PathBuf, PathBuf>,
    /// The contents behind names that are only known at run time, such as `<(…)`.
    pub(super) streams: Vec<(Word, Word)>,
    /// The commands behind the names of `>(…)`.
    pub(super) sinks: Vec<(Word, List)>,
    /// The contents of descriptors other than standard input.
    pub(super) descriptors: BTreeMap<String, Input>,
}

impl Shell<'_> {
    pub(super) fn write(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(text.weight())?;
        let mut content = Word::default();
        if name.text().is_none() {
            return self.write_unnamed(name, text, kind);
        }
        let Some(path) = self.path(name).filter(|path| !path.starts_with("/dev")) else {
            return Ok(());
        };
        if kind == RedirectKind::Append {
            content = self.content(name)?.unwrap_or_default();
        }
        content.append(text);
        self.files.written.insert(path, content);
        Ok(())
    }

    /// Passes a text to the command of `>(…)`, or to a file that is still the same under the same unknown name.
    fn write_unnamed(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(self.files.sinks.len() + self.files.streams.len())?;
        if let Some(at) = self.files.sinks.iter().position(|(sink, _)| sink == name) {
            let (_, list) = self.files.sinks.swap_remove(at);
            let invocations = text.sources().collect();
            let printed = CommandOutput { word: text, invocations, ..CommandOutput::default() };
            return self.in_subshell(|shell| {
                shell.context.input = printed.into_input();
                shell.list(&list).map(|_| ())
            });
        }
        match self.files.streams.iter_mut().find(|(stream, _)| stream == name) {
            Some((_, content)) if kind == RedirectKind::Append => content.append(text),
            Some((_, content)) => *content = text,
            None => self.files.streams.push((name.clone(), text)),
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, from: &Word, to: &Word) -> Run<()> {
        let (content, source) = (self.content(from)?, self.path(from));
        let Some(mut target) = self.path(to) else { return Ok(()) };
        if self.files.written.keys().any(|path| path.starts_with(&target) && *path != target) {
            target.extend(source.as_deref().and_then(Path::file_name));
        }
        match (content, source) {
            (Some(content), _) => _ = self.files.written.insert(target, content),
            (None, Some(source)) => _ = self.files.links.insert(target, source),
            (None, None) => {}
        }
        Ok(())
    }

    /// What this text has written to a file, a descriptor or `<(…)`.
    pub(super) fn written(&mut self, name: &Word) -> Run<Option<Word>> {
        let text = if name.text().is_none() {
            self.spend(self.files.streams.len())?;
            let stream = self.files.streams.iter().find(|(stream, _)| stream == name);
            stream.map(|(_, text)| text.clone())
        } else {
            let Some(path) = self.path(name) else { return Ok(None) };
            let number = if name.is("-") { Some("0") } else { descriptor(&path) };
            let input = match number {
                Some("0") => Some(&self.context.input),
                Some(number) => self.files.descriptors.get(number),
                None => None,
            };
            match input {
                Some(Input::Text { text, .. }) => Some(text.clone()),
                _ => {
                    let linked = self.files.links.get(&path);
                    let known = [Some(&path), linked].into_iter().flatten();
                    known.filter_map(|path| self.files.written.get(path)).next().cloned()
                }
            }
        };
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

/// `/dev/fd/3`
fn descriptor(path: &Path) -> Option<&str> {
    if path == Path::new("/dev/stdin") {
        return Some("0");
    }
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
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}
