//! Files that the text itself writes, and scripts on disk.

use crate::invocation::RedirectKind;
use crate::shell::{Run, Shell};
use crate::word::Word;

impl Shell<'_> {
    fn key(&self, name: &Word) -> Option<Word> {
        if name.text().is_none() {
            return Some(name.clone());
        }
        let path = self.path(name)?.to_string_lossy().replace("/proc/self/fd/", "/dev/fd/");
        Some(Word::of(path))
    }

    pub(super) fn write(&mut self, name: &Word, text: Word, kind: RedirectKind) -> Run<()> {
        self.spend(name.weight() + text.weight())?;
        let Some(key) = self.key(name).filter(|key| !key.known_start().starts_with("/dev/")) else {
            return Ok(());
        };
        let extends = kind == RedirectKind::Append;
        let before = if extends { self.content(name)? } else { None };
        let mut content = before.unwrap_or_default();
        content.append(text);
        self.files.insert(key, content);
        Ok(())
    }

    pub(super) fn copy(&mut self, from: &Word, to: &Word) -> Run<()> {
        let Some(content) = self.content(from)? else { return Ok(()) };
        let (Some(source), Some(target)) = (self.key(from), self.key(to)) else { return Ok(()) };
        // The target may be a folder.
        let start = source.known_start();
        let mut inside = target.clone();
        inside.push_text(start.rfind('/').map_or("", |at| &start[at..]));
        self.files.insert(inside, content.clone());
        self.files.insert(target, content);
        Ok(())
    }

    /// What this text has written to a file, a descriptor or `<(…)`.
    pub(super) fn written(&mut self, name: &Word) -> Run<Option<Word>> {
        self.spend(name.weight())?;
        let Some(key) = self.key(name) else { return Ok(None) };
        let is_input = ["-", "/dev/stdin", "/dev/fd/0"].iter().any(|input| name.is(input));
        let input = self.context.input.text().filter(|_| is_input);
        let text = input.or(self.files.get(&key)).cloned();
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
