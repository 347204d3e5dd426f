//! An entry of a git tree.

/// The hash of a blob.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobId(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    File(BlobId),
    Executable(BlobId),
    /// The blob holds the link target.
    Link(BlobId),
    /// A nested repository at the given commit.
    Submodule(String),
}

impl BlobId {
    pub(crate) fn new(hash: String) -> Self {
        Self(hash)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Entry {
    pub fn blob(&self) -> Option<&BlobId> {
        match self {
            Self::File(blob) | Self::Executable(blob) | Self::Link(blob) => Some(blob),
            Self::Submodule(_) => None,
        }
    }

    pub fn is_submodule(&self) -> bool {
        matches!(self, Self::Submodule(_))
    }

    /// `None` for an unknown mode.
    pub(crate) fn new(mode: &str, hash: &str) -> Option<Self> {
        let blob = BlobId(hash.to_owned());
        match mode {
            "100644" => Some(Self::File(blob)),
            "100755" => Some(Self::Executable(blob)),
            "120000" => Some(Self::Link(blob)),
            "160000" => Some(Self::Submodule(blob.0)),
            _ => None,
        }
    }

    /// The same mode with other contents; `None` for a submodule.
    pub(crate) fn with_contents(&self, hash: &str) -> Option<Self> {
        let blob = BlobId(hash.to_owned());
        match self {
            Self::File(_) => Some(Self::File(blob)),
            Self::Executable(_) => Some(Self::Executable(blob)),
            Self::Link(_) | Self::Submodule(_) => None,
        }
    }

    pub(crate) fn mode(&self) -> &'static str {
        match self {
            Self::File(_) => "100644",
            Self::Executable(_) => "100755",
            Self::Link(_) => "120000",
            Self::Submodule(_) => "160000",
        }
    }

    pub(crate) fn hash(&self) -> &str {
        match self {
            Self::File(blob) | Self::Executable(blob) | Self::Link(blob) => &blob.0,
            Self::Submodule(commit) => commit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_round_trips() {
        for mode in ["100644", "100755", "120000", "160000"] {
            let entry = Entry::new(mode, "abc").unwrap();
            assert_eq!((entry.mode(), entry.hash()), (mode, "abc"));
            assert_eq!(entry.blob().is_none(), entry.is_submodule());
        }
        assert_eq!(Entry::new("040000", "abc"), None);
    }
}
