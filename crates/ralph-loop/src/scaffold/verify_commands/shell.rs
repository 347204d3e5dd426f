//! Shell scripts: bats if there are bats tests, shellcheck if it is configured.

use super::Detection;
use crate::scaffold::root_files::RootFiles;

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    if let Some(test) = files.find(|name| name.ends_with(".bats")) {
        let folder = test.rsplit_once('/').map_or(".", |(folder, _)| folder);
        found.add(format!("bats {folder}"), test);
    }
    if files.has(".shellcheckrc") {
        found.add("git ls-files -z '*.sh' '*.bash' | xargs -0 shellcheck", ".shellcheckrc");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::commands;

    #[test]
    fn tests_of_bats_and_settings_of_shellcheck() {
        assert_eq!(commands(&[("test/run.bats", "")]), ["bats test"]);
        assert_eq!(commands(&[("run.bats", "")]), ["bats ."]);
        let shellcheck = "git ls-files -z '*.sh' '*.bash' | xargs -0 shellcheck";
        assert_eq!(commands(&[(".shellcheckrc", ""), ("a.sh", "")]), [shellcheck]);
        assert_eq!(commands(&[("a.sh", "")]), [""; 0]);
    }
}
