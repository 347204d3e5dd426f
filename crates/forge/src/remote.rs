//! The URL of a git remote: host, owner and repository.

use percent_encoding::percent_decode_str;
use thiserror::Error;

/// What a git remote names, without the credentials of its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub host: String,
    /// `http://host:port` or `https://host:port` of a remote that git reaches by HTTP.
    pub http_origin: Option<String>,
    /// Folders before the name of the repository, at least one.
    pub folders: Vec<String>,
    pub name: String,
}

/// No variant contains the URL, which may have credentials.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RemoteError {
    #[error("the remote is no URL of a server")]
    NoServer,
    #[error("the URL of the remote names no owner and repository")]
    NoRepository,
    #[error("the forge at {host} is not known")]
    UnknownForge { host: String },
    #[error("the API address is not a URL that begins with https:// or http://")]
    InvalidApi,
}

impl RemoteError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoServer | Self::NoRepository => {
                "use a remote such as https://github.com/owner/repository.git"
            }
            Self::UnknownForge { .. } => "set the kind of the forge: github, forgejo or gitlab",
            Self::InvalidApi => "write it as https://example.com/api/v1, without credentials",
        }
    }
}

/// Hosts for ssh through the port of HTTPS.
const SSH_ALIASES: [(&str, &str); 2] =
    [("ssh.github.com", "github.com"), ("altssh.gitlab.com", "gitlab.com")];

const SSH: [&str; 4] = ["ssh", "git+ssh", "ssh+git", "git"];

impl Remote {
    /// Reads `https://host/owner/repository.git`, `ssh://git@host:22/owner/repository` and
    /// `git@host:owner/repository.git`.
    pub fn parse(url: &str) -> Result<Self, RemoteError> {
        let url = url.trim();
        let (scheme, place, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let (place, path) = rest.split_once('/').ok_or(RemoteError::NoRepository)?;
                (scheme.to_ascii_lowercase(), place, path)
            }
            None => {
                let (place, path) = scp_form(url).ok_or(RemoteError::NoServer)?;
                ("ssh".to_owned(), place, path)
            }
        };
        let place = place.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        let host = host_of(&place).filter(|host| is_host(host)).ok_or(RemoteError::NoServer)?;
        let is_http = matches!(scheme.as_str(), "http" | "https");
        if !is_http && !SSH.contains(&scheme.as_str()) {
            return Err(RemoteError::NoServer);
        }
        let alias = SSH_ALIASES.iter().find(|(alias, _)| !is_http && *alias == host);
        let (folders, name) = folders_and_name(path).ok_or(RemoteError::NoRepository)?;
        Ok(Self {
            host: alias.map_or(host, |(_, host)| host).to_owned(),
            http_origin: is_http.then(|| format!("{scheme}://{place}")),
            folders,
            name,
        })
    }
}

/// `None` for local paths, also for `C:\…`.
fn scp_form(url: &str) -> Option<(&str, &str)> {
    let (place, path) = url.split_once(':')?;
    let is_local = place.contains(['/', '\\']) || place.len() < 2;
    (!is_local).then_some((place, path))
}

/// Without the port.
fn host_of(place: &str) -> Option<&str> {
    let (host, port) = match place.rsplit_once(':') {
        // The last part of an IPv6 address in brackets is not a port.
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (place, ""),
    };
    port.bytes().all(|byte| byte.is_ascii_digit()).then_some(host)
}

fn is_host(host: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b".-_[]:".contains(&b);
    !host.is_empty() && !host.starts_with('-') && host.bytes().all(allowed)
}

fn folders_and_name(path: &str) -> Option<(Vec<String>, String)> {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let parts: Option<Vec<String>> = path.split('/').map(segment).collect();
    let mut parts = parts?;
    let name = parts.pop()?;
    (!parts.is_empty()).then_some((parts, name))
}

fn segment(part: &str) -> Option<String> {
    let part = percent_decode_str(part).decode_utf8().ok()?;
    let is_name = !matches!(&*part, "" | "." | "..");
    let is_plain = !part.contains(|c: char| c.is_control() || "/\\?#".contains(c));
    (is_name && is_plain).then(|| part.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> Result<(String, Option<String>, String, String), RemoteError> {
        Remote::parse(url).map(|it| (it.host, it.http_origin, it.folders.join("/"), it.name))
    }

    #[test]
    fn every_form_of_a_remote_is_read() {
        for (url, host, origin, owner, name) in [
            ("https://github.com/o/r.git", "github.com", Some("https://github.com"), "o", "r"),
            ("https://github.com/o/r/", "github.com", Some("https://github.com"), "o", "r"),
            ("http://localhost:3000/o/r", "localhost", Some("http://localhost:3000"), "o", "r"),
            ("http://[::1]:3000/o/r", "[::1]", Some("http://[::1]:3000"), "o", "r"),
            ("HTTPS://GitHub.com/O/R.git", "github.com", Some("https://github.com"), "O", "R"),
            ("git@github.com:o/r.git", "github.com", None, "o", "r"),
            ("github.com:o/r", "github.com", None, "o", "r"),
            ("git@host:/o/r.git", "host", None, "o", "r"),
            ("ssh://git@host.example:2222/o/r.git", "host.example", None, "o", "r"),
            ("ssh://git@ssh.github.com:443/o/r.git", "github.com", None, "o", "r"),
            ("git+ssh://host/o/r", "host", None, "o", "r"),
            (" git@gitlab.com:group/sub/deep/r.git\n", "gitlab.com", None, "group/sub/deep", "r"),
            ("https://h/a%20b/r.x", "h", Some("https://h"), "a b", "r.x"),
        ] {
            let expected = (host.into(), origin.map(str::to_owned), owner.into(), name.into());
            assert_eq!(parts(url), Ok(expected), "{url}");
        }
    }

    #[test]
    fn what_is_no_repository_on_a_server_is_refused() {
        for url in ["", "../r", "/srv/r.git", r"C:\r", "file:///srv/r", "rsync://h/o/r", "-h:o/r"] {
            assert_eq!(parts(url), Err(RemoteError::NoServer), "{url}");
        }
        for url in ["https://h", "https://h/r", "git@h:r.git", "https://h/o/../r", "https://h/o//r"]
        {
            assert_eq!(parts(url), Err(RemoteError::NoRepository), "{url}");
        }
        for url in ["https://h/o/r%2Fx", "https://h/o/r%0a", "https://h/o/r?x=1"] {
            assert_eq!(parts(url), Err(RemoteError::NoRepository), "{url}");
        }
    }

    #[test]
    fn credentials_are_dropped() {
        for url in ["https://me:s3cret@h/o/r", "https://s3cret@h/o/r", "s3cret@h:o/r"] {
            let remote = Remote::parse(url).unwrap();
            assert!(!format!("{remote:?}").contains("s3cret"), "{remote:?}");
        }
        for url in ["https://me:s3cret@h/r", "rsync://me:s3cret@h/o/r", "https://me:s3cret@ /o/r"] {
            let error = Remote::parse(url).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cret"), "{error:?}");
        }
    }
}
