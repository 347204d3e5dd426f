//! `cd` and similar builtins: the working directory afterwards, if known.

use super::Shell;
use super::builtins::{is_dash, is_flag};
use crate::invocation::Folder;
use crate::limits::CANDIDATES;
use crate::scope::Value;
use crate::word::Word;

impl Shell<'_> {
    pub(super) fn change_folder(&mut self, name: &str, arguments: &[Word]) {
        let target = arguments.iter().find(|word| !is_flag(word) || is_dash(word));
        let target = match (target, name) {
            (Some(word), _) => Some(word.clone()),
            (None, "cd" | "chdir") => self.known_variable("HOME"),
            (None, _) => None,
        };
        let target = match target {
            Some(word) if is_dash(&word) => self.known_variable("OLDPWD"),
            target => target,
        };
        let known = target.filter(|word| name != "popd" && !word.has_glob());
        let known = known.and_then(|word| word.text());
        let known = known.filter(|text| !(text.starts_with('+') && name == "pushd"));
        let path = known.as_deref().and_then(|text| self.path(text));
        let mut folders = vec![path.map_or(Folder::Unknown, Folder::Known)];
        folders.extend(known.map(|text| self.searched_folders(&text)).unwrap_or_default());
        if folders.len() > 1 {
            self.scope.has_branches = true;
        }
        if let Folder::Known(before) = self.folder() {
            let before = Word::of(before.to_string_lossy());
            self.scope.set("OLDPWD", Value::Text(before));
        }
        self.scope.folders = folders;
    }

    /// The folders that `CDPATH` may lead to, besides the local one.
    fn searched_folders(&mut self, name: &str) -> Vec<Folder> {
        if name.starts_with(['/', '.']) {
            return Vec::new();
        }
        let Some(search) = self.known_variable("CDPATH") else { return Vec::new() };
        let known = search.known_start();
        let paths = known.split(':').filter(|entry| !entry.is_empty());
        paths
            .take(CANDIDATES - 1)
            .filter_map(|entry| self.path(&format!("{entry}/{name}")).map(Folder::Known))
            .collect()
    }
}
