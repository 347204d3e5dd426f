//! Go: `go test` and `go vet`.

use super::Detection;
use crate::scaffold::root_files::RootFiles;

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    let Some(text) = files.text("go.mod") else { return };
    let module = text.lines().find_map(|line| line.trim().strip_prefix("module")?.split_once(' '));
    let Some(("", path)) = module else {
        found.note("go.mod was ignored: no module line");
        return;
    };
    let path = path.split("//").next().unwrap_or_default().trim().trim_matches(['"', '`']);
    found.set_name(path.rsplit('/').next());
    found.add("go test ./...", "go.mod");
    found.add("go vet ./...", "go.mod");
}

#[cfg(test)]
mod tests {
    use super::super::tests::{commands, notes};
    use crate::scaffold::root_files::RootFiles;

    #[test]
    fn a_module_is_tested_and_vetted() {
        let file = ("go.mod", "// the shop\nmodule example.com/shop // v2\n\ngo 1.24\n");
        assert_eq!(commands(&[file]), ["go test ./...", "go vet ./..."]);
        let name = super::super::detect(&RootFiles::of(&[file])).name;
        assert_eq!(name.as_deref(), Some("shop"));
    }

    #[test]
    fn a_file_without_a_module_is_reported() {
        for text in ["", "go 1.24\n", "modules x", "module"] {
            assert_eq!(commands(&[("go.mod", text)]), [""; 0], "{text}");
            assert_eq!(notes(&[("go.mod", text)]), ["go.mod was ignored: no module line"]);
        }
    }
}
