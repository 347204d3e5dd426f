//! A request to the forge, and what carries it.

use std::fmt;

use strum::IntoStaticStr;

use super::answer::Answer;
use crate::ForgeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    Get,
    Post,
    Patch,
    Put,
    Delete,
}

#[derive(Clone)]
pub struct Request {
    pub method: Method,
    /// Visible ASCII.
    pub url: String,
    /// Visible ASCII and spaces. One is the access token.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: Option<String>,
}

/// Sends requests. Statuses other than 2xx are answers too.
pub trait Transport: fmt::Debug + Send + Sync {
    fn send(&self, request: &Request) -> Result<Answer, ForgeError>;
}

impl Request {
    /// For messages: without the query.
    pub(crate) fn call(&self) -> String {
        let path = self.url.split('?').next().unwrap_or_default();
        let path = path.split_once("://").map_or(path, |(_, rest)| rest);
        let method: &str = self.method.into();
        format!("{method} {path}")
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.call()).finish()
    }
}
