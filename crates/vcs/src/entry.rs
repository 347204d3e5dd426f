//! What a commit keeps under a name.

/// The contents of a file by their hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobId(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    File(BlobId),
    Executable(BlobId),
    /// Its contents are where it leads to.
    Link(BlobId),
    /// A repository of its own, at a commit of its own.
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
    /// None for a submodule.
    pub fn blob(&self) -> Option<&BlobId> {
        match self {
            Self::File(blob) | Self::Executable(blob) | Self::Link(blob) => Some(blob),
            Self::Submodule(_) => None,
        }
    }

    pub fn is_submodule(&self) -> bool {
        matches!(self, Self::Submodule(_))
    }

    /// None if git has a mode that is not known here.
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

    /// The same kind of file with other contents. None where there is no file.
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
    fn an_entry_is_what_it_was_made_from() {
        for mode in ["100644", "100755", "120000", "160000"] {
            let entry = Entry::new(mode, "abc").unwrap();
            assert_eq!((entry.mode(), entry.hash()), (mode, "abc"));
            assert_eq!(entry.blob().is_none(), entry.is_submodule());
        }
        assert_eq!(Entry::new("040000", "abc"), None);
    }
}
