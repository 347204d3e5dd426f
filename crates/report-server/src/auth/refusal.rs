//! Why a request is refused: status and message.

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
    /// The status and the message.
    pub(crate) fn answer(self) -> (u16, &'static str) {
        match self {
            Self::Malformed => (400, "Malformed request."),
            Self::WrongHost => (421, "Wrong host name. Use the link from the terminal."),
            Self::NoToken => (
                401,
                "Token missing or wrong. Use the link that ralph-loop serve printed in the terminal.",
            ),
            Self::WrongSite => (403, "Request from another site. Use the link from the terminal."),
            Self::NoSuchPage => (404, "Page not found. The run is at /."),
            Self::WrongMethod => (405, "Method not allowed: this page is read-only."),
            Self::OnlyToLookAt => (
                403,
                "This page is read-only. Start ralph-loop serve with --allow-orders to control the run from \
                 here.",
            ),
            Self::OnlyToPost => (405, "Method not allowed: send orders with POST."),
            Self::NotJson => (415, "Send orders as application/json."),
            Self::NoOrder => (
                400,
                "Invalid order. Example: {\"kind\":\"pause\"}. Kinds: pause, go-on, skip (with a story), stop, \
                 steer (with a text), answer (with a story and a text).",
            ),
            Self::TooLong => (413, "The order is too long."),
            Self::TooManyWatch => (503, "Too many open pages. Close one and try again."),
            Self::Gone => (503, "The page cannot be rendered. Start ralph-loop serve again."),
        }
    }
}
