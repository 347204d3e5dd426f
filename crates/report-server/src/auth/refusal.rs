//! Why a request is refused: status and message.

use hyper::StatusCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Malformed,
    /// The `Host` header is not allowed.
    WrongHost,
    NoToken,
    /// A page of another site sent it.
    WrongSite,
    NoSuchPage,
    WrongMethod,
    /// The server does not allow orders.
    OnlyToLookAt,
    /// Orders need POST.
    OnlyToPost,
    NotJson,
    /// The body is no order, or took too long.
    NoOrder,
    TooLong,
    /// The limit of watching pages is reached.
    TooManyWatch,
    /// The renderer has ended.
    Gone,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::NoOrder => StatusCode::BAD_REQUEST,
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::WrongSite | Self::OnlyToLookAt => StatusCode::FORBIDDEN,
            Self::NoSuchPage => StatusCode::NOT_FOUND,
            Self::WrongMethod | Self::OnlyToPost => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyWatch | Self::Gone => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Malformed => "Malformed request.",
            Self::WrongHost => "Wrong host name. Use the link from the terminal.",
            Self::NoToken => {
                "Token missing or wrong. Use the link that ralph-loop serve printed in the terminal."
            }
            Self::WrongSite => "Request from another site. Use the link from the terminal.",
            Self::NoSuchPage => "Page not found. The run is at /.",
            Self::WrongMethod => "Method not allowed: this page is read-only.",
            Self::OnlyToLookAt => {
                "This page is read-only. Start ralph-loop serve with --allow-orders to control the run from \
                 here."
            }
            Self::OnlyToPost => "Method not allowed: send orders with POST.",
            Self::NotJson => "Send orders as application/json.",
            Self::NoOrder => {
                "Invalid order. Example: {\"kind\":\"pause\"}. Kinds: pause, go-on, skip (with a story), stop, \
                 steer (with a text)."
            }
            Self::TooLong => "The order is too long.",
            Self::TooManyWatch => "Too many open pages. Close one and try again.",
            Self::Gone => "The page cannot be rendered. Start ralph-loop serve again.",
        }
    }
}
