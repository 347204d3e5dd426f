//! The requirements of an agent's program in a sandbox: its files, its variables and the hosts of its model.

use std::path::{Path, PathBuf};

/// Paths are relative to the home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The variable that replaces the folder of its files, and that folder.
    pub moved_by: Option<(&'static str, &'static str)>,
    /// Settings, instructions and programs that later sessions outside a sandbox read or run. A `*` means each entry
    /// of a folder except `data`, because the agent creates files in the folder itself.
    pub readable: &'static [&'static str],
    /// Files that must outlive a session: a renewed sign-in, transcripts.
    pub writable: &'static [&'static str],
    /// Transcript folders that are created if missing, for [`in_project`].
    pub transcripts: &'static [&'static str],
    /// Files that it writes at each start, as temporary copies.
    pub copied: &'static [&'static str],
    /// Names of variables; a trailing `*` matches any rest.
    pub variables: &'static [&'static str],
    /// Hosts of the model and of the sign-in.
    pub hosts: &'static [&'static str],
    /// Variables that set another URL of the model.
    pub addresses: &'static [&'static str],
    /// Whether it connects through the proxy that `HTTPS_PROXY` names.
    pub proxy: bool,
}

/// Replaces `{project}` in the path by Claude Code's name for the folder in which it runs.
pub fn in_project(path: &Path, folder: &Path) -> PathBuf {
    let character =
        |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = folder.to_string_lossy().chars().map(character).collect();
    let named = path.components().map(|part| match part.as_os_str() {
        part if part == PROJECT => name.as_ref(),
        part => part,
    });
    named.collect()
}

const PROJECT: &str = "{project}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;

    #[test]
    fn the_agents_folder_for_a_project_has_its_path_as_the_name() {
        let named = in_project(Path::new("/home/me/t/{project}"), Path::new("/srv/my shop"));
        assert_eq!(named, Path::new("/home/me/t/-srv-my-shop"));
        assert_eq!(in_project(&named, Path::new("/srv/other")), named);
    }

    #[test]
    fn readable_paths_are_outside_writable_folders() {
        for agent in Agent::ALL {
            let needs = agent.needs();
            let writable = needs.writable.iter().chain(needs.transcripts);
            for folder in writable.map(Path::new) {
                let inside = needs.readable.iter().find(|path| Path::new(path).starts_with(folder));
                assert_eq!(inside, None, "{agent}: {}", folder.display());
            }
        }
    }

    #[test]
    fn an_agent_that_works_with_a_proxy_names_its_hosts() {
        for agent in Agent::ALL {
            let needs = agent.needs();
            assert_eq!(needs.proxy, !needs.hosts.is_empty(), "{agent}");
        }
    }
}
