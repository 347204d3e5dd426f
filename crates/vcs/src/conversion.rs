//! Accepts files that differ from their object only by a conversion of git: line endings, filters
//! such as LFS, encodings. Attributes and filters are guarded, so they are the user's.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use crate::attributes::CONVERTING;
use crate::git_call::{GitCall, zero_ended};
use crate::object_name::ObjectName;
use crate::path_text::os_string;
use crate::proofs::Proofs;
use crate::proven_file::OtherFile;
use crate::repo_path::RepoPath;
use crate::{CommitId, Result, WorkTree};

/// Larger files count as changed.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A file whose bytes differ from its object.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Relative to the top of the work tree.
    pub(crate) path: Vec<u8>,
    pub(crate) place: PathBuf,
    pub(crate) id: String,
    pub(crate) found: OtherFile,
}

/// The accepted line endings where git converts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    OfCheckout,
    /// Any that git would commit as the object.
    OfUser,
}

/// The line endings of a file that otherwise equals its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returns {
    OnAllLines,
    OnSome,
}

/// The values of `CONVERTING` for a file.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Attributes(Vec<Vec<u8>>);

impl Attributes {
    fn has_filter(&self) -> bool {
        let filter = self.0.first().map(Vec::as_slice).unwrap_or_default();
        !matches!(filter, b"unspecified" | b"unset" | b"")
    }
}

/// The check of one work tree.
pub(crate) struct Conversions<'t> {
    pub(crate) tree: &'t WorkTree,
    pub(crate) commit: &'t CommitId,
    pub(crate) line_ends: LineEnds,
    pub(crate) deadline: Instant,
}

impl Conversions<'_> {
    /// The candidates that no conversion explains.
    pub(crate) fn unconverted(
        &self,
        proofs: &mut Proofs,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Vec<u8>>> {
        let (mut unlike, mut accepted) = (Vec::new(), Vec::new());
        let mut clean = Vec::new();
        for (candidate, is_clean) in self.cleaned(candidates)? {
            if is_clean {
                clean.push(candidate);
            // A checkout adds a carriage return to every line of such an object, and a commit
            // removes them all.
            } else if has_returns_on_all_lines(&content(&candidate).unwrap_or_default())
                && self.is_checked_out(&candidate)?
            {
                accepted.push(candidate);
            } else {
                unlike.push(candidate.path);
            }
        }
        // Files with equal attributes are converted alike.
        let mut writes_returns: HashMap<Attributes, bool> = HashMap::new();
        for (candidate, attributes) in self.with_attributes(clean)? {
            let returns = returns(&candidate);
            // A filter is the user's and may drop content. git's own conversions are reversible.
            let is_own = match (attributes.has_filter(), returns, writes_returns.get(&attributes)) {
                (true, ..) => true,
                (_, Some(Returns::OnAllLines), Some(known)) => *known,
                _ => self.is_checked_out(&candidate)?,
            };
            if returns == Some(Returns::OnAllLines) {
                writes_returns.insert(attributes, is_own);
            }
            match is_own {
                true => accepted.push(candidate),
                false if self.line_ends == LineEnds::OfUser && returns.is_some() => {
                    proofs.users.insert(candidate.path, candidate.found);
                }
                false => unlike.push(candidate.path),
            }
        }
        for Candidate { path, found, .. } in accepted {
            proofs.files.extend(found.into_proven().map(|proven| (path, proven)));
        }
        Ok(unlike)
    }

    /// With each candidate: whether git would commit it as its object.
    fn cleaned(&self, candidates: Vec<Candidate>) -> Result<Vec<(Candidate, bool)>> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let lines: Vec<u8> =
            candidates.iter().flat_map(|candidate| quoted_line(&candidate.path)).collect();
        let call = GitCall::read(self.tree, "hash-object").args(["--stdin-paths"]).input(&lines)?;
        // If a filter fails, git gives no result for the remaining files.
        let printed = call.answer(self.deadline)?.stdout;
        let printed = String::from_utf8_lossy(&printed);
        let mut names = printed.lines();
        let judged = candidates.into_iter().map(|candidate| {
            let is_clean = names.next() == Some(candidate.id.as_str());
            (candidate, is_clean)
        });
        Ok(judged.collect())
    }

    fn with_attributes(&self, candidates: Vec<Candidate>) -> Result<Vec<(Candidate, Attributes)>> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<RepoPath> =
            candidates.iter().map(|candidate| RepoPath::new(&candidate.path)).collect();
        let call = GitCall::read(self.tree, "check-attr").args(["-z", "--stdin"]).args(CONVERTING);
        let output = call.input(&zero_ended(&names))?.output(self.deadline)?;
        // Path, attribute, value; attributes in order.
        let words: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let values: Vec<Vec<u8>> = words.chunks_exact(3).map(|words| words[2].to_vec()).collect();
        let attributes =
            values.chunks_exact(CONVERTING.len()).map(|of_one| Attributes(of_one.to_vec()));
        Ok(candidates.into_iter().zip(attributes).collect())
    }

    /// Whether the bytes equal what git would check out.
    fn is_checked_out(&self, candidate: &Candidate) -> Result<bool> {
        let object = os_string(&[self.commit.as_str().as_bytes(), b":", &candidate.path].concat());
        let call = GitCall::read(self.tree, "cat-file").args(["--filters"]).args([object]);
        let answer = call.answer(self.deadline)?;
        let is_same = answer.status.success() && content(candidate) == Some(answer.stdout);
        let names = std::slice::from_ref(&candidate.id);
        Ok(is_same && self.tree.verified(names, self.deadline)?.bad.is_empty())
    }
}

/// git reads one name per line and unquotes names in quotation marks.
fn quoted_line(path: &[u8]) -> Vec<u8> {
    let escaped = path.iter().flat_map(|byte| match byte {
        b'\n' => b"\\n".to_vec(),
        b'"' | b'\\' => vec![b'\\', *byte],
        byte => vec![*byte],
    });
    [b'"'].into_iter().chain(escaped).chain(*b"\"\n").collect()
}

/// The bytes on disk.
fn content(candidate: &Candidate) -> Option<Vec<u8>> {
    bounded_read::read_file(&candidate.place, LARGEST).ok()
}

fn has_returns_on_all_lines(bytes: &[u8]) -> bool {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let has_return = |line: &[u8]| line.ends_with(b"\r\n") || !line.ends_with(b"\n");
    bytes.contains(&b'\n') && lines.all(has_return)
}

/// `None` if more than carriage returns at line ends differ.
fn returns(candidate: &Candidate) -> Option<Returns> {
    let bytes = content(candidate)?;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r\n").map_or([line, b""], |it| [it, b"\n"]));
    let unix: Vec<u8> = lines.flatten().flatten().copied().collect();
    let is_same = ObjectName::of_blob(&unix, &candidate.id).as_deref() == Some(&candidate.id);
    let is_all = has_returns_on_all_lines(&bytes);
    is_same.then_some(if is_all { Returns::OnAllLines } else { Returns::OnSome })
}
