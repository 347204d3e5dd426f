//! Finds out which frameworks a project uses.

use std::path::Path;

use strum::VariantArray;

use super::Framework;
use super::data::spec;
use super::spec::Sign;

const LARGEST_FILE: u64 = 1 << 20;
const MOST_FILES: usize = 500;

impl Framework {
    /// The frameworks that the files of the project show.
    pub fn detect(root: &Path) -> Vec<Framework> {
        let is_used =
            |framework: &Framework| spec(*framework).signs.iter().any(|sign| is_there(sign, root));
        Framework::VARIANTS.iter().copied().filter(is_used).collect()
    }
}

fn is_there(sign: &Sign, root: &Path) -> bool {
    let (folder, name) = sign.file.rsplit_once('/').unwrap_or(("", sign.file));
    let Some((before, after)) = name.split_once('*') else {
        return contains(&root.join(sign.file), sign.text);
    };
    let Ok(entries) = root.join(folder).read_dir() else { return false };
    entries.take(MOST_FILES).flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
            && contains(&entry.path(), sign.text)
    })
}

fn contains(file: &Path, text: &str) -> bool {
    if text.is_empty() {
        return file.is_file();
    }
    bounded_read::read_file(file, LARGEST_FILE)
        .is_ok_and(|content| String::from_utf8_lossy(&content).contains(text))
}
