//! Chooses files for the prompt of an attempt that failed because something cannot be found: files named in
//! the error, candidates for the missing item, and their neighbours.

use std::collections::BTreeSet;

use failure_signature::{Missing, Symptom};

use crate::checks::truncated;
use crate::lane::core::Lane;
use crate::lane::prompt::ProvidedFile;
use crate::run_files::deadline;

/// Most files in one prompt.
const MOST: usize = 12;
/// Most files that are included only because they are beside another.
const NEIGHBOURS: usize = 6;
const LARGEST_FILE: usize = 12 * 1024;
const LARGEST_SUM: usize = 64 * 1024;

impl Lane<'_> {
    /// Reads the current contents; files that are not text are left out. This context is optional, so there is
    /// none if git cannot list its files.
    pub(crate) fn files_about(&self, symptom: &Symptom) -> Vec<ProvidedFile> {
        let tracked = self.workspace.tree.tracked(deadline()).unwrap_or_default();
        let chosen = choose(&tracked, symptom);
        let mut budget = LARGEST_SUM;
        let mut files = Vec::new();
        for path in chosen {
            if budget == 0 {
                break;
            }
            let on_disk = vcs::on_disk(self.layout.root(), &path);
            let Ok(bytes) = bounded_read::read_file(&on_disk, 4 * 1024 * 1024) else { continue };
            let Ok(whole) = String::from_utf8(bytes) else { continue };
            let text = beginning(&whole, LARGEST_FILE.min(budget));
            if text.is_empty() {
                continue;
            }
            budget -= text.len().min(budget);
            files.push(ProvidedFile { path, text });
        }
        files
    }
}

/// The first whole lines, with a mark if lines are omitted.
fn beginning(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(0);
    let left_out = text[end..].trim_start_matches('\n').lines().count();
    format!("{}\n{}", &text[..end], truncated(left_out as u64))
}

/// Sorted by relevance: named in the error, missing, neighbours.
fn choose(tracked: &[String], symptom: &Symptom) -> Vec<String> {
    let mut chosen: Vec<&String> = Vec::new();
    let mut add = |path| {
        if chosen.len() < MOST - NEIGHBOURS && !chosen.contains(&path) {
            chosen.push(path);
        }
    };
    for named in &symptom.files {
        let whole = tracked.iter().find(|path| *path == named);
        let end = format!("/{named}");
        whole.or_else(|| tracked.iter().find(|path| path.ends_with(&end))).map(&mut add);
    }
    for missing in &symptom.missing {
        tracked.iter().filter(|path| could_be(path, missing)).for_each(&mut add);
    }
    let folders: BTreeSet<&str> = chosen.iter().map(|path| folder(path)).collect();
    let beside = tracked.iter().filter(|path| folders.contains(folder(path)));
    let beside: Vec<&String> =
        beside.filter(|path| !chosen.contains(path)).take(NEIGHBOURS).collect();
    chosen.into_iter().chain(beside).cloned().collect()
}

/// Whether a file may contain the missing item, judged by its name.
fn could_be(path: &str, missing: &Missing) -> bool {
    let stem = |path: &str| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_ascii_lowercase()
    };
    match missing {
        Missing::File(file) => {
            path.ends_with(file.trim_start_matches("./")) || stem(path) == stem(file)
        }
        Missing::Module(module) => {
            let parts: Vec<&str> =
                module.split(['.', '/', ':']).filter(|part| !part.is_empty()).collect();
            let last = parts.last().map(|part| part.to_ascii_lowercase()).unwrap_or_default();
            let is_index = ["mod", "index", "__init__"].contains(&stem(path).as_str());
            let parent = folder(path).rsplit('/').next().unwrap_or_default();
            !last.is_empty()
                && (stem(path) == last || (is_index && parent.eq_ignore_ascii_case(&last)))
        }
        Missing::Name(name) => {
            let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
            !name.is_empty() && plain(&stem(path)) == plain(name)
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracked() -> Vec<String> {
        [
            "README.md",
            "src/shop/cart.py",
            "src/shop/__init__.py",
            "src/shop/tax.py",
            "src/web/app.py",
            "tests/test_cart.py",
            "tests/test_tax.py",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn chosen(missing: Missing, files: &[&str]) -> Vec<String> {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let symptom = Symptom { missing: vec![missing], files, ..failure_signature::examine("x") };
        choose(&tracked(), &symptom)
    }

    #[test]
    fn named_files_come_first_then_missing_ones_then_neighbours() {
        let files = chosen(Missing::Module("shop.cart".into()), &["test_cart.py", "gone.py"]);
        assert_eq!(
            files,
            [
                "tests/test_cart.py",
                "src/shop/cart.py",
                "src/shop/__init__.py",
                "src/shop/tax.py",
                "tests/test_tax.py"
            ]
        );
    }

    #[test]
    fn missing_items_are_found_by_name() {
        let first = |missing| chosen(missing, &[]).first().cloned();
        assert_eq!(first(Missing::Name("Tax".into())).as_deref(), Some("src/shop/tax.py"));
        assert_eq!(first(Missing::File("./app.py".into())).as_deref(), Some("src/web/app.py"));
        assert_eq!(
            first(Missing::Module("../shop".into())).as_deref(),
            Some("src/shop/__init__.py")
        );
        assert_eq!(first(Missing::Name("nothing".into())), None);
    }

    #[test]
    fn a_long_file_is_cut_at_a_line() {
        let text = (0..100).map(|n| format!("ä{n}\n")).collect::<String>();
        let cut = beginning(&text, 20);
        assert!(cut.starts_with("ä0\nä1\n") && cut.len() < 60, "{cut}");
        assert!(cut.ends_with("lines truncated ...]"), "{cut}");
        assert_eq!(beginning("short", 20), "short");
    }

    #[test]
    fn the_number_of_files_is_limited() {
        let tracked: Vec<String> = (0..50).map(|n| format!("src/a{n}/cart.py")).collect();
        let missing = vec![Missing::Module("cart".into())];
        let symptom = Symptom { missing, ..failure_signature::examine("x") };
        assert_eq!(choose(&tracked, &symptom).len(), MOST - NEIGHBOURS);
    }
}
