//! The repository on its forge: kind of the forge, addresses, path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
pub use run_options::ForgeKind;

use crate::{Remote, RemoteError};

/// A repository and the addresses of its forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub kind: ForgeKind,
    /// The base URL of the REST interface, without a slash at the end.
    pub api: String,
    /// With the groups of GitLab, separated by slashes.
    pub owner: String,
    pub name: String,
    /// The host of the remote, without port.
    pub host: String,
}

impl Repository {
    /// `kind` and `api` are settings of the user; without them, the host decides.
    pub fn new(
        remote: &Remote,
        kind: Option<ForgeKind>,
        api: Option<&str>,
    ) -> Result<Self, RemoteError> {
        let host = remote.host.clone();
        let unknown = || RemoteError::UnknownForge { host: host.clone() };
        let kind = kind.or_else(|| ForgeKind::of_host(&host)).ok_or_else(unknown)?;
        // A forge below a folder of its host; GitLab has groups there.
        let owner_at = match kind {
            ForgeKind::GitLab => 0,
            ForgeKind::GitHub | ForgeKind::Forgejo => remote.folders.len().saturating_sub(1),
        };
        let (below, owner) = remote.folders.split_at(owner_at);
        let api = match api {
            Some(api) => valid_api(api)?,
            None => {
                let origin = remote.http_origin.clone();
                let origin = origin.unwrap_or_else(|| format!("https://{host}"));
                let web: String = below.iter().map(|part| format!("/{}", encoded(part))).collect();
                match kind {
                    ForgeKind::GitHub if host == "github.com" => "https://api.github.com".into(),
                    ForgeKind::GitHub => format!("{origin}{web}/api/v3"),
                    ForgeKind::Forgejo => format!("{origin}{web}/api/v1"),
                    ForgeKind::GitLab => format!("{origin}/api/v4"),
                }
            }
        };
        Ok(Self { kind, api, owner: owner.join("/"), name: remote.name.clone(), host })
    }

    /// `owner/name`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Environment variables that may have a token for this host. Those for github.com must not reach another server.
    pub fn token_variables(&self) -> &'static [&'static str] {
        let is_hosted = self.host == "github.com" || self.host.ends_with(".ghe.com");
        match self.kind {
            ForgeKind::GitHub if !is_hosted => &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
            kind => kind.token_variables(),
        }
    }

    /// The path of the repository below `api`.
    pub(crate) fn api_path(&self) -> String {
        match self.kind {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                format!("repos/{}/{}", encoded(&self.owner), encoded(&self.name))
            }
            ForgeKind::GitLab => format!("projects/{}", encoded(&self.path())),
        }
    }

    /// The address of GitHub's GraphQL.
    pub(crate) fn graphql(&self) -> String {
        let base = self.api.strip_suffix("/v3").unwrap_or(&self.api);
        format!("{base}/graphql")
    }
}

fn valid_api(api: &str) -> Result<String, RemoteError> {
    let api = api.trim().trim_end_matches('/');
    let rest = api.strip_prefix("https://").or_else(|| api.strip_prefix("http://"));
    let fits = |rest: &&str| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic() && !b"@?#\"\\".contains(&b))
    };
    rest.filter(fits).map(|_| api.to_owned()).ok_or(RemoteError::InvalidApi)
}

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// As one segment of a path or one value of a query.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use run_options::Word;

    use super::*;

    fn resolved(
        url: &str,
        kind: Option<&str>,
        api: Option<&str>,
    ) -> Result<Repository, RemoteError> {
        let kind = kind.map(|word| ForgeKind::from_word(word).unwrap());
        Repository::new(&Remote::parse(url).unwrap(), kind, api)
    }

    #[test]
    fn the_host_or_a_setting_decides_about_kind_and_address() {
        use ForgeKind::{Forgejo, GitHub, GitLab};
        for (url, kind, api, expected) in [
            ("git@github.com:o/r", None, None, (GitHub, "https://api.github.com", "o")),
            (
                "git@github.acme.com:o/r",
                None,
                None,
                (GitHub, "https://github.acme.com/api/v3", "o"),
            ),
            ("https://codeberg.org/o/r", None, None, (Forgejo, "https://codeberg.org/api/v1", "o")),
            (
                "ssh://git@gitea.acme.io:222/o/r",
                None,
                None,
                (Forgejo, "https://gitea.acme.io/api/v1", "o"),
            ),
            (
                "http://localhost:3000/o/r",
                Some("forgejo"),
                None,
                (Forgejo, "http://localhost:3000/api/v1", "o"),
            ),
            ("https://h/code/o/r", Some("forgejo"), None, (Forgejo, "https://h/code/api/v1", "o")),
            ("git@gitlab.com:a/b/r", None, None, (GitLab, "https://gitlab.com/api/v4", "a/b")),
            (
                "git@h:o/r",
                Some("github"),
                Some("https://x.example/api/"),
                (GitHub, "https://x.example/api", "o"),
            ),
        ] {
            let found = resolved(url, kind, api).unwrap();
            assert_eq!((found.kind, found.api.as_str(), found.owner.as_str()), expected, "{url}");
        }
    }

    #[test]
    fn an_unknown_host_and_an_invalid_address_are_errors() {
        let unknown = RemoteError::UnknownForge { host: "git.acme.com".into() };
        assert_eq!(resolved("git@git.acme.com:o/r", None, None), Err(unknown));
        assert_eq!(ForgeKind::of_host("mygithub.evil.example"), None);
        for api in
            ["x", "ftp://h", "https://", "https://me:pw@h/", "https://h/\nurl", "https://h/?a"]
        {
            let found = resolved("git@github.com:o/r", None, Some(api));
            assert_eq!(found, Err(RemoteError::InvalidApi), "{api}");
        }
    }

    #[test]
    fn names_are_encoded_in_paths() {
        let gitlab = resolved("git@gitlab.com:a/b c/r", None, None).unwrap();
        assert_eq!(gitlab.api_path(), "projects/a%2Fb%20c%2Fr");
        let github = resolved("git@github.com:o/r.x", None, None).unwrap();
        assert_eq!(github.api_path(), "repos/o/r.x");
        assert_eq!(github.graphql(), "https://api.github.com/graphql");
        let own = resolved("git@github.acme.com:o/r", None, None).unwrap();
        assert_eq!(own.graphql(), "https://github.acme.com/api/graphql");
    }
}
