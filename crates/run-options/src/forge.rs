//! The kinds of forges.

use crate::word::words;

words! {
    #[derive(strum::Display)]
    pub enum ForgeKind {
        #[strum(to_string = "GitHub")]
        GitHub = "github",
        /// And Gitea.
        #[strum(to_string = "Forgejo")]
        Forgejo = "forgejo",
        #[strum(to_string = "GitLab")]
        GitLab = "gitlab",
    }
}

words! {
    /// When a pull request is opened.
    #[derive(Default)]
    pub enum PullRequestUse {
        /// `ralph-loop pr` opens one.
        #[default]
        Off = "off",
        /// At the end of a run with finished stories.
        Run = "run",
    }
}

words! {
    /// Whose review comments count.
    #[derive(Default)]
    pub enum Commenters {
        /// People with write access to the repository.
        #[default]
        Writers = "writers",
        Everyone = "everyone",
    }
}

impl ForgeKind {
    /// By the name of the host.
    pub fn of_host(host: &str) -> Option<Self> {
        let has = |word: &str| host.split(['.', '-']).any(|part| part == word);
        match host {
            "codeberg.org" => Some(Self::Forgejo),
            _ if has("github") => Some(Self::GitHub),
            _ if has("forgejo") || has("gitea") => Some(Self::Forgejo),
            _ if has("gitlab") => Some(Self::GitLab),
            _ => None,
        }
    }

    /// Environment variables that may have a token, the usual ones of the forge's own tools.
    pub fn token_variables(self) -> &'static [&'static str] {
        match self {
            Self::GitHub => &["GH_TOKEN", "GITHUB_TOKEN"],
            Self::Forgejo => &["FORGEJO_TOKEN", "GITEA_TOKEN"],
            Self::GitLab => &["GITLAB_TOKEN"],
        }
    }
}
