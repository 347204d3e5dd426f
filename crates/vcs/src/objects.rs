//! Verifies objects: content must match the id. An agent can write any file in `.git/objects`, and
//! git does not verify on every read.

use std::collections::HashMap;
use std::time::Instant;

use git2::ObjectType;

use crate::control_files::remove;
use crate::git_call::GitCall;
use crate::object_name::ObjectName;
use crate::object_store::{ObjectStore, left_to_git};
use crate::{CommitId, Result, WorkTree};

/// A missing or corrupt object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadObject {
    pub name: String,
    pub fault: ObjectFault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFault {
    /// The content does not match the id.
    Forged,
    /// Missing or unreadable.
    Unreadable,
}

/// The kinds of objects whose contents a proof needs.
pub(crate) const PROVEN: [ObjectType; 2] = [ObjectType::Commit, ObjectType::Tree];

/// Verified objects. Those of unwanted kinds have no contents.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    pub(crate) contents: HashMap<String, (ObjectType, Vec<u8>)>,
    pub(crate) bad: Vec<BadObject>,
}

impl WorkTree {
    /// The ids of all objects that are in `to` and not in `from`.
    pub(crate) fn objects_since(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let args = ["--objects", "--no-object-names", to.as_str(), "--not", from.as_str()];
        let output = GitCall::read(self, "rev-list").args(args).text(deadline)?;
        Ok(output.lines().map(str::to_owned).collect())
    }

    /// Removes the loose file of a corrupt object, so that the correct content can be stored again.
    /// Packed objects stay.
    pub fn remove_loose_object(&self, bad: &BadObject) -> Result<()> {
        let Some((folder, file)) = bad.name.split_at_checked(2) else { return Ok(()) };
        remove(&self.common_dir.join("objects").join(folder).join(file))
    }

    pub(crate) fn verified(&self, names: &[String], deadline: Instant) -> Result<Verified> {
        let store = ObjectStore::open(self, deadline);
        let mut verified = store.map(|store| store.verified(names)).unwrap_or_default();
        let others = names.iter().filter(|name| !verified.contents.contains_key(*name));
        let others: Vec<String> = others.cloned().collect();
        if !others.is_empty() {
            left_to_git("objects");
            let Verified { contents, bad } = self.verified_by_git(&others, &PROVEN, deadline)?;
            verified.contents.extend(contents);
            verified.bad.extend(bad);
        }
        Ok(verified)
    }

    /// Keeps the contents of objects of the `wanted` kinds.
    pub(crate) fn verified_by_git(
        &self,
        names: &[String],
        wanted: &[ObjectType],
        deadline: Instant,
    ) -> Result<Verified> {
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        let call = GitCall::read(self, "cat-file").args(["--batch", "--buffer"]);
        let mut reader = Reader::new(names, wanted);
        // git stops at an object it cannot unpack; the later ones count as unreadable.
        call.input(lines.as_bytes())?.start()?.stream(deadline, |chunk| {
            reader.take(chunk);
            Ok(())
        })?;
        Ok(reader.finish())
    }
}

/// Parses `name kind size<LF>content<LF>` for each requested object, in order.
struct Reader<'n> {
    asked: &'n [String],
    wanted: &'n [ObjectType],
    verified: Verified,
    part: BatchPart,
}

enum BatchPart {
    Header(Vec<u8>),
    Content { kind: ObjectType, left: u64, name: ObjectName, kept: Vec<u8> },
    Break,
}

impl<'n> Reader<'n> {
    fn new(asked: &'n [String], wanted: &'n [ObjectType]) -> Self {
        let (verified, part) = (Verified::default(), BatchPart::Header(Vec::new()));
        Self { asked, wanted, verified, part }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (part, rest) = match std::mem::replace(&mut self.part, BatchPart::Break) {
                BatchPart::Break => (BatchPart::Header(Vec::new()), &bytes[1..]),
                BatchPart::Header(mut line) => match bytes.iter().position(|byte| *byte == b'\n') {
                    None => {
                        line.extend_from_slice(bytes);
                        (BatchPart::Header(line), &[][..])
                    }
                    Some(end) => {
                        line.extend_from_slice(&bytes[..end]);
                        (self.header(&line), &bytes[end + 1..])
                    }
                },
                BatchPart::Content { kind, left, mut name, mut kept } => {
                    let now = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                    name.update(&bytes[..now]);
                    if self.wanted.contains(&kind) {
                        kept.extend_from_slice(&bytes[..now]);
                    }
                    let left = left - now as u64;
                    (self.content(kind, left, name, kept), &bytes[now..])
                }
            };
            (self.part, bytes) = (part, rest);
        }
    }

    fn header(&mut self, line: &[u8]) -> BatchPart {
        let line = String::from_utf8_lossy(line);
        let Some((kind, size)) = described(&line) else {
            self.bad(ObjectFault::Unreadable);
            return BatchPart::Header(Vec::new());
        };
        let like = self.asked.first().map_or("", String::as_str);
        self.content(kind, size, ObjectName::of(kind.str(), size, like), Vec::new())
    }

    fn content(
        &mut self,
        kind: ObjectType,
        left: u64,
        name: ObjectName,
        kept: Vec<u8>,
    ) -> BatchPart {
        if left > 0 {
            return BatchPart::Content { kind, left, name, kept };
        }
        let Some((asked, others)) = self.asked.split_first() else { return BatchPart::Break };
        if name.finish().as_ref() == Some(asked) {
            self.verified.contents.insert(asked.clone(), (kind, kept));
            self.asked = others;
        } else {
            self.bad(ObjectFault::Forged);
        }
        BatchPart::Break
    }

    fn bad(&mut self, fault: ObjectFault) {
        if let Some((asked, others)) = self.asked.split_first() {
            self.verified.bad.push(BadObject { name: asked.clone(), fault });
            self.asked = others;
        }
    }

    fn finish(mut self) -> Verified {
        while !self.asked.is_empty() {
            self.bad(ObjectFault::Unreadable);
        }
        self.verified
    }
}

/// Type and size; `None` for a missing object.
fn described(header: &str) -> Option<(ObjectType, u64)> {
    use ObjectType::{Blob, Commit, Tag, Tree};
    let mut words = header.split(' ').skip(1);
    let (kind, size) = (words.next()?, words.next()?.parse().ok()?);
    let kind = [Commit, Tree, Blob, Tag].into_iter().find(|known| known.str() == kind)?;
    Some((kind, size))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn output_is_parsed_in_any_chunks() {
        let hello = "ce013625030ba8dba906f756967f9e9ca394464a".to_owned();
        let empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned();
        let gone = "0".repeat(40);
        let names = [hello.clone(), gone.clone(), empty.clone(), hello.clone()];
        let answer = format!(
            "{hello} blob 6\nhello\n\n{gone} missing\n{empty} blob 0\n\n{hello} blob 6\nhallo\n\n"
        );
        for size in [1, 2, 3, 7, 1000] {
            let mut reader = Reader::new(&names, &PROVEN);
            answer.as_bytes().chunks(size).for_each(|chunk| reader.take(chunk));
            let bad = |name: &String, fault| BadObject { name: name.clone(), fault };
            let expected = [bad(&gone, ObjectFault::Unreadable), bad(&hello, ObjectFault::Forged)];
            assert_eq!(reader.finish().bad, expected, "{size}");
        }
    }

    #[test]
    fn valid_objects_are_proved_and_forged_ones_reported() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let from = CommitId::new(&test_repo::commit_all(dir.path())).unwrap();
        std::fs::write(dir.path().join("a"), "one").unwrap();
        let to = CommitId::new(&test_repo::commit_all(dir.path())).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        let tree = WorkTree::open(dir.path()).unwrap();
        let names = tree.objects_since(&from, &to, deadline).unwrap();
        assert_eq!(names.len(), 3, "a commit, a tree and a file");
        let verified = tree.verified(&names, deadline).unwrap();
        assert_eq!((verified.bad.len(), verified.contents.len()), (0, 3));
        let blob = test_repo::git(dir.path(), &["rev-parse", "HEAD:a"]);
        let loose = |name: &str| dir.path().join(".git/objects").join(&name[..2]).join(&name[2..]);
        let other = dir.path().join("other");
        std::fs::write(&other, "two").unwrap();
        let two = test_repo::git(dir.path(), &["hash-object", "-w", "other"]);
        std::fs::remove_file(loose(&blob)).unwrap();
        std::fs::copy(loose(&two), loose(&blob)).unwrap();
        let bad = tree.verified(&names, deadline).unwrap().bad;
        assert_eq!(bad, [BadObject { name: blob.clone(), fault: ObjectFault::Forged }]);
        std::fs::remove_file(loose(&blob)).unwrap();
        std::fs::write(loose(&blob), "nonsense").unwrap();
        let bad = tree.verified(&names, deadline).unwrap().bad;
        assert!(bad.contains(&BadObject { name: blob, fault: ObjectFault::Unreadable }), "{bad:?}");
    }
}
