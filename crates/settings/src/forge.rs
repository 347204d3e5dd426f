//! The forge of the project, which has its issues and pull requests.

use json_reader::Leaf;
use run_options::{Commenters, ForgeKind, PullRequestUse};

use crate::leaf::NON_BLANK;
use crate::section::settings;

settings! {
    /// The forge of the project, which has its issues and pull requests.
    pub struct Forge from keys {
        /// The git remote whose repository has the issues and pull requests.
        pub remote: String = keys.or("remote", NON_BLANK, "origin".into()),
        /// The kind of forge. Default: by the name of the host.
        pub kind: Option<ForgeKind> = keys.optional("kind", Leaf::word()),
        /// The address of the API. Default: by kind and host. An access token goes to another host than the remote's only
        /// if settings.local.json names it.
        #[cfg_attr(test, schemars(regex(pattern = "^https?://[!-?A-~]+$")))]
        pub api: Option<String> = keys.optional("api", URL),
        /// The branch that pull requests are merged into. Default: the default branch of the repository.
        pub base: Option<String> = keys.optional("base", NON_BLANK),
        /// When a pull request is opened.
        pub pull_request: PullRequestUse = keys.optional("pullRequest", Leaf::word()).unwrap_or_default(),
        /// Whose review comments `ralph-loop sync` hands to stories.
        pub commenters: Commenters = keys.optional("commenters", Leaf::word()).unwrap_or_default(),
    }
}

const URL: Leaf<String> = Leaf::new("a URL without credentials", |json| {
    let url = json.text()?;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let fits = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic() && b != b'@');
    fits.then(|| url.to_owned())
});
