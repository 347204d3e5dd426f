//! Calls of a forge's REST interface: authorization, JSON, pages, errors.

mod answer;
mod curl;
mod failure;
mod graphql;
mod request;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use answer::Answer;
pub use curl::Curl;
pub(crate) use failure::of_merge;
pub use request::{Method, Request, Transport};

use crate::{ForgeError, ForgeKind, Repository, Token};

pub type Result<T> = std::result::Result<T, ForgeError>;

const MOST_PAGES: usize = 100;
const MOST_REDIRECTS: usize = 3;

/// One repository on its forge.
#[derive(Debug)]
pub struct Client {
    repository: Repository,
    token: Option<Token>,
    transport: Box<dyn Transport>,
}

impl Client {
    pub fn new(
        repository: Repository,
        token: Option<Token>,
        transport: impl Transport + 'static,
    ) -> Self {
        Self { repository, token, transport: Box::new(transport) }
    }

    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(crate) fn kind(&self) -> ForgeKind {
        self.repository.kind
    }

    /// `path` is below the repository, with its query.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.call(Method::Get, &self.url(path), None)
    }

    /// Changes something below the repository.
    pub(crate) fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<T> {
        self.call(method, &self.url(path), Some(body))
    }

    /// As [`Self::change`], where nothing in the answer matters.
    pub(crate) fn act(&self, method: Method, path: &str, body: Option<&Value>) -> Result<()> {
        self.answer(method, &self.url(path), body).map(drop)
    }

    /// All entries of a list; `path` has a query.
    pub(crate) fn pages<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let first = self.url(path);
        let base = first.split('?').next().unwrap_or_default();
        let mut url = first.clone();
        let mut entries: Vec<T> = Vec::new();
        for _ in 0..MOST_PAGES {
            let (request, answer) = self.answer(Method::Get, &url, None)?;
            let page: Vec<T> = json(&request, &answer)?;
            let is_empty = page.is_empty();
            entries.extend(page);
            match answer.next_query() {
                Some(query) if !is_empty && Some(entries.len()) != answer.total() => {
                    url = format!("{base}?{query}");
                }
                _ => return Ok(entries),
            }
        }
        let call = format!("GET {base}");
        Err(ForgeError::TooManyPages { call, pages: MOST_PAGES })
    }

    /// All entries of a list within an object, whose pages have numbers. `size` is the query for the size of a page.
    pub(crate) fn numbered_pages<T: DeserializeOwned, E>(
        &self,
        path: &str,
        size: &str,
        entries: impl Fn(T) -> Vec<E>,
    ) -> Result<Vec<E>> {
        let mut all = Vec::new();
        for number in 1..=MOST_PAGES {
            let url = self.url(&format!("{path}?{size}&page={number}"));
            let (request, answer) = self.answer(Method::Get, &url, None)?;
            let page = entries(json(&request, &answer)?);
            let is_last = page.is_empty() || answer.next_query().is_none();
            all.extend(page);
            if is_last {
                return Ok(all);
            }
        }
        let call = format!("GET {}", self.url(path));
        Err(ForgeError::TooManyPages { call, pages: MOST_PAGES })
    }

    /// At any address of the forge.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        url: &str,
        body: Option<&Value>,
    ) -> Result<T> {
        let (request, answer) = self.answer(method, url, body)?;
        json(&request, &answer)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{}{path}", self.repository.api, self.repository.api_path())
    }

    /// At an address of the forge outside the repository.
    pub(crate) fn forge_url(&self, path: &str) -> String {
        format!("{}/{path}", self.repository.api)
    }

    /// A successful answer.
    pub(crate) fn answer(
        &self,
        method: Method,
        url: &str,
        body: Option<&Value>,
    ) -> Result<(Request, Answer)> {
        if self.token.is_none() && method != Method::Get {
            return Err(ForgeError::NoToken { kind: self.kind() });
        }
        let body = body.map(ToString::to_string);
        let mut request = Request { method, url: url.to_owned(), headers: self.headers(), body };
        for _ in 0..=MOST_REDIRECTS {
            let answer = self.transport.send(&request)?;
            match answer.status {
                200..=299 => return Ok((request, answer)),
                301 | 302 | 303 | 307 | 308 => request.url = redirect(&request, &answer)?,
                _ => {
                    let has_token = self.token.is_some();
                    return Err(failure::of(&answer, &request, self.kind(), has_token));
                }
            }
        }
        Err(ForgeError::Redirected { call: request.call(), to: "itself".into() })
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = match self.kind() {
            ForgeKind::GitHub => vec![
                ("Accept", "application/vnd.github+json".to_owned()),
                ("X-GitHub-Api-Version", "2022-11-28".to_owned()),
            ],
            ForgeKind::Forgejo | ForgeKind::GitLab => {
                vec![("Accept", "application/json".to_owned())]
            }
        };
        if let Some(token) = &self.token {
            let scheme = if self.kind() == ForgeKind::Forgejo { "token" } else { "Bearer" };
            headers.push(("Authorization", format!("{scheme} {}", token.expose())));
        }
        headers
    }
}

/// Renamed repositories redirect within their forge. The token must not reach another server, and a change must not
/// become a read.
fn redirect(request: &Request, answer: &Answer) -> Result<String> {
    let location = answer.header("location").unwrap_or_default();
    let is_url = location.bytes().all(|byte| byte.is_ascii_graphic());
    let target = match location.starts_with('/') && !location.starts_with("//") {
        true => format!("{}{location}", origin(&request.url)),
        false => location.to_owned(),
    };
    let keeps_method = request.method == Method::Get || matches!(answer.status, 307 | 308);
    if is_url && keeps_method && origin(&target) == origin(&request.url) {
        return Ok(target);
    }
    let to = sanitize::plain(origin(&target).rsplit('@').next().unwrap_or_default());
    Err(ForgeError::Redirected { call: request.call(), to })
}

/// `https://host:port` of a URL.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at);
    &url[..end]
}

pub(crate) fn json<T: DeserializeOwned>(request: &Request, answer: &Answer) -> Result<T> {
    serde_json::from_slice(&answer.body).map_err(|error| ForgeError::NotUnderstood {
        call: request.call(),
        why: sanitize::plain(&error.to_string()),
    })
}
