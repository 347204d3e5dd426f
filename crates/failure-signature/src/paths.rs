//! Shortens machine-dependent paths and keeps the file's identity.

use std::borrow::Cow;

use regex::Captures;

use crate::pattern::Pattern;

/// Parts are separated by `/`, as everywhere in this crate.
static ABSOLUTE: Pattern = Pattern::new(&[
    r#"(?P<before>^|[\s'"`(\[<{=,|])(?P<path>(?:[A-Za-z]:)?/[^\s'"`()<>\[\]{}|,;:*?]+)"#,
]);
static RANDOM: Pattern = Pattern::new(&[r"^\.?tmp[._]?[A-Za-z0-9_]{6,10}$"]);

/// First folders of typical project paths.
const OF_PROJECTS: &str = "
    src lib test tests __tests__ spec packages crates apps app cmd internal pkg examples benches
    scripts
";
/// Folders of third-party code.
const OF_OTHERS: &str = "node_modules site-packages dist-packages .cargo registry rustc .venv venv";

pub(crate) fn shortened_in(text: &str) -> Cow<'_, str> {
    ABSOLUTE.replace_all(text, |found: &Captures<'_>| {
        format!("{}{}", &found["before"], shortened(&found["path"]))
    })
}

/// Removes the machine-dependent part of an absolute path: starts at a typical project folder, else
/// keeps the last two parts. Possible server routes stay unchanged.
pub(crate) fn shortened(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let Some((name, folders)) = parts.split_last() else { return path.to_owned() };
    if let Some(at) = folders.iter().position(|folder| is_one_of(OF_PROJECTS, folder)) {
        return parts[at..].join("/");
    }
    if is_temporary(path) {
        let named = folders.len() > 1 && !RANDOM.is_match(name);
        return if named { format!("<tmp>/{name}") } else { "<tmp>".to_owned() };
    }
    if has_extension(name) {
        return parts[parts.len().saturating_sub(2)..].join("/");
    }
    // First parts of absolute file paths, which are unlikely in server routes.
    let is_file = match parts[0] {
        "home" | "Users" | "root" | "srv" | "tmp" | "var" | "opt" | "usr" | "mnt" | "media"
        | "private" | "builds" | "workspace" | "workspaces" | "work" | "nix" | "runner" => true,
        drive => drive.ends_with(':'),
    };
    if is_file { (*name).to_owned() } else { path.to_owned() }
}

pub(crate) fn is_temporary(path: &str) -> bool {
    path.starts_with("/tmp/") || path.contains("/pytest-of-")
}

pub(crate) fn is_of_others(path: &str) -> bool {
    path.starts_with("/usr/") || path.split('/').any(|part| is_one_of(OF_OTHERS, part))
}

fn is_one_of(folders: &str, folder: &str) -> bool {
    folders.split_whitespace().any(|known| known == folder)
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_location_of_the_project_does_not_matter() {
        for root in ["/srv/shop", "/home/dev/work/shop", "C:/Users/dev/shop", "/tmp/x1/shop"] {
            assert_eq!(shortened(&format!("{root}/src/cart.rs")), "src/cart.rs", "{root}");
            assert_eq!(
                shortened(&format!("{root}/packages/a/src/cart.ts")),
                "packages/a/src/cart.ts"
            );
        }
        assert_eq!(shortened("/srv/shop/cart.py"), "shop/cart.py");
        assert_eq!(shortened("/srv/shop"), "shop");
    }

    #[test]
    fn temporary_folders_are_one_folder() {
        assert_eq!(shortened("/tmp/.tmpAb12Cd/settings.toml"), "<tmp>/settings.toml");
        assert_eq!(shortened("/tmp/pytest-of-dev/pytest-12/test_a0/s.json"), "<tmp>/s.json");
        assert_eq!(shortened("/tmp/deep/tmpab12cd34"), "<tmp>");
        assert_eq!(shortened("/tmp/tmpab12cd34"), "<tmp>");
    }

    #[test]
    fn routes_stay() {
        assert_eq!(shortened_in("GET /api/v1/users/42: 404"), "GET /api/v1/users/42: 404");
        assert_eq!(shortened_in("https://example.com/a/b.json"), "https://example.com/a/b.json");
    }

    #[test]
    fn paths_are_found_in_their_sentences() {
        assert_eq!(
            shortened_in("at f (/srv/shop/src/a.js:1:2), '/srv/shop/src/b.js'"),
            "at f (src/a.js:1:2), 'src/b.js'"
        );
    }
}
