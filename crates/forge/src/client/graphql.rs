//! GitHub's GraphQL, for what its REST interface does not have.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Client, Method, Result};
use crate::{ForgeError, Retry};

#[derive(Debug, Deserialize)]
struct GraphQlAnswer<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<GraphQlError>,
}

#[derive(Debug, Deserialize)]
struct GraphQlError {
    message: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// GraphQL does not say when a limit ends.
const LIMITED: Duration = Duration::from_secs(60);

impl Client {
    pub(crate) fn graphql<T: DeserializeOwned>(&self, query: &str, variables: &Value) -> Result<T> {
        let url = self.repository().graphql();
        let body = json!({ "query": query, "variables": variables });
        let answer: GraphQlAnswer<T> = self.call(Method::Post, &url, Some(&body))?;
        let call = || "GraphQL".to_owned();
        if let Some(error) = answer.errors.first() {
            let message = sanitize::plain(&error.message);
            let kind = self.kind();
            return Err(match error.kind.as_deref() {
                Some("NOT_FOUND") => ForgeError::NotFound { call: call(), has_token: true },
                Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => {
                    ForgeError::Forbidden { call: call(), message, needs: None }
                }
                Some("RATE_LIMITED") => {
                    ForgeError::RateLimited { kind, retry: Some(Retry::After(LIMITED)) }
                }
                _ => ForgeError::Rejected { call: call(), status: 200, messages: vec![message] },
            });
        }
        let why = || "it has no data".to_owned();
        answer.data.ok_or_else(|| ForgeError::NotUnderstood { call: call(), why: why() })
    }
}
