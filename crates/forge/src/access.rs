//! Who the access token belongs to, and what people may do in the repository.

use serde::Deserialize;

use crate::client::{Method, Result};
use crate::repository::encoded;
use crate::{Client, ForgeError, ForgeKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    None,
    Read,
    /// May push.
    Write,
    Admin,
}

/// The repository as the access token sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryAccess {
    pub default_branch: String,
    pub is_archived: bool,
    /// Of the user of the token. A token with chosen permissions may have fewer, and GitHub does not say which.
    pub permission: Permission,
    /// Of a classic token of GitHub.
    pub scopes: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct User {
    login: String,
}

#[derive(Debug, Deserialize)]
struct GitLabUser {
    username: String,
}

#[derive(Debug, Deserialize)]
struct UserId {
    id: u64,
}

#[derive(Debug, Deserialize)]
struct UserPermission {
    permission: String,
}

#[derive(Debug, Deserialize)]
struct Member {
    access_level: u64,
}

#[derive(Debug, Deserialize)]
struct RepositoryWire {
    default_branch: Option<String>,
    archived: Option<bool>,
    permissions: Option<Permissions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Permissions {
    admin: bool,
    push: bool,
    pull: bool,
    /// Of GitLab.
    project_access: Option<Member>,
    group_access: Option<Member>,
}

impl Client {
    /// The login of the token's user.
    pub fn current_user(&self) -> Result<String> {
        let url = self.forge_url("user");
        Ok(match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                self.call::<User>(Method::Get, &url, None)?.login
            }
            ForgeKind::GitLab => self.call::<GitLabUser>(Method::Get, &url, None)?.username,
        })
    }

    /// Of any user. Forgejo tells it only to administrators of the repository: for others it is
    /// [`ForgeError::Forbidden`].
    pub fn permission(&self, login: &str) -> Result<Permission> {
        let found = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                let path = format!("/collaborators/{}/permission", encoded(login));
                self.get::<UserPermission>(&path).map(|found| word(&found.permission))
            }
            ForgeKind::GitLab => self.user_id(login).and_then(|id| {
                self.get::<Member>(&format!("/members/all/{id}")).map(|member| member.permission())
            }),
        };
        match found {
            Err(ForgeError::NotFound { .. } | ForgeError::NoSuch { .. }) => Ok(Permission::None),
            found => found,
        }
    }

    /// Whether the user may push. Forgejo tells it to everyone by who can be assigned.
    pub fn may_write(&self, login: &str) -> Result<bool> {
        if self.kind() != ForgeKind::Forgejo {
            return Ok(self.permission(login)? >= Permission::Write);
        }
        let people: Vec<User> = self.pages("/assignees")?;
        Ok(people.iter().any(|user| user.login.eq_ignore_ascii_case(login)))
    }

    pub fn repository_access(&self) -> Result<RepositoryAccess> {
        let (request, answer) = self.answer(Method::Get, &self.url(""), None)?;
        let wire: RepositoryWire = crate::client::json(&request, &answer)?;
        let scopes = answer
            .header("x-oauth-scopes")
            .map(|scopes| scopes.split(',').map(|scope| sanitize::plain(scope.trim())).collect());
        Ok(RepositoryAccess {
            default_branch: wire.default_branch.unwrap_or_default(),
            is_archived: wire.archived == Some(true),
            permission: wire.permissions.map_or(Permission::None, Permissions::highest),
            scopes,
        })
    }

    /// GitLab knows people by numbers.
    pub(crate) fn user_id(&self, login: &str) -> Result<u64> {
        let url = self.forge_url(&format!("users?username={}", encoded(login)));
        let users: Vec<UserId> = self.call(Method::Get, &url, None)?;
        users.first().map(|user| user.id).ok_or_else(|| ForgeError::NoSuch {
            kind: self.kind(),
            what: "user",
            name: sanitize::plain(login),
        })
    }
}

fn word(permission: &str) -> Permission {
    match permission {
        "admin" | "owner" => Permission::Admin,
        "write" | "maintain" => Permission::Write,
        "read" | "triage" => Permission::Read,
        _ => Permission::None,
    }
}

impl Member {
    fn permission(&self) -> Permission {
        match self.access_level {
            40.. => Permission::Admin,
            30.. => Permission::Write,
            10.. => Permission::Read,
            _ => Permission::None,
        }
    }
}

impl Permissions {
    fn highest(self) -> Permission {
        let plain = [
            (self.admin, Permission::Admin),
            (self.push, Permission::Write),
            (self.pull, Permission::Read),
        ];
        let plain = plain.into_iter().filter(|(has, _)| *has).map(|(_, permission)| permission);
        let members = [self.project_access, self.group_access];
        let members = members.into_iter().flatten().map(|member| member.permission());
        plain.chain(members).max().unwrap_or(Permission::None)
    }
}
