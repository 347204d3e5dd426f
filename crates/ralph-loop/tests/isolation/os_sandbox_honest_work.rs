//! What honest checks do works inside.

use crate::os_sandbox_ground::Machine;

#[test]
fn git_works_inside_as_outside() {
    git_works(&Machine::new());
}

pub(crate) fn git_works(machine: &Machine) {
    machine.works("git add -A && git commit -qm work && test -z \"$(git status --porcelain)\"");
    machine.works(
        "git switch -qc branch && git stash list && git tag v1 && git log --oneline | grep -q work",
    );
    machine.works("git gc -q 2>/dev/null; git fsck");
}

#[test]
fn a_linked_work_tree_reaches_its_history() {
    linked_work_tree_works(Machine::new());
}

pub(crate) fn linked_work_tree_works(machine: Machine) {
    machine.works("git add -A && git commit -qm work");
    scratch_repo::git(machine.project(), &["worktree", "add", "-q", "../linked"]);
    let mut linked = machine;
    linked.layout = project::Layout::new(linked.home().join("linked"));
    linked.works(
        "echo x >x && git add -A && git commit -qm linked && git log --oneline | grep -q work",
    );
    linked.works("! touch ../shop/.git/hooks/x && ! git config a.b c");
}

#[test]
fn a_submodule_is_updated_and_committed_in() {
    submodule_works(&Machine::new());
}

pub(crate) fn submodule_works(machine: &Machine) {
    let library = machine.home().join("shop-library");
    std::fs::create_dir(&library).unwrap();
    scratch_repo::init(&library);
    std::fs::write(library.join("lib"), "1").unwrap();
    scratch_repo::commit_all(&library);
    let url = library.display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "library"];
    scratch_repo::git(machine.project(), &add);
    machine.works("git add -A && git commit -qm work");
    machine.works("git submodule status && cd library && git -c user.name=a -c user.email=a@localhost commit -q --allow-empty -m x");
}

#[test]
fn a_folder_outside_is_reached_once_it_is_allowed() {
    folder_outside_works(Machine::new());
}

pub(crate) fn folder_outside_works(mut machine: Machine) {
    machine.write("shared/lib.sh", "echo shared\n");
    machine.refuses("sh ../shared/lib.sh");
    let refused = machine.inside("sh ../shared/lib.sh").refused;
    let path = machine.home().join("shared/lib.sh");
    let expected = format!(
        "the output names {}, which the sandbox hides; to show it, add it to isolation.readablePaths",
        path.display()
    );
    assert_eq!(refused, [expected]);
    machine.sandbox.readable.push(machine.home().join("shared"));
    machine.works("sh ../shared/lib.sh && ln -sf ../shared linked && sh linked/lib.sh");
    machine.works("! touch ../shared/new");
    machine.sandbox.writable = vec![machine.home().join("shared")];
    machine.works("touch ../shared/new");
    assert!(machine.home().join("shared/new").exists());
}

#[test]
fn package_caches_are_kept_from_one_check_to_the_next() {
    caches_are_kept(&Machine::new());
}

pub(crate) fn caches_are_kept(machine: &Machine) {
    for cache in [".cargo/registry", ".npm/_cacache", ".cache/pip", ".cache/uv", "go/pkg"] {
        std::fs::create_dir_all(machine.home().join(cache)).unwrap();
        machine.works(&format!("echo cached >\"$HOME/{cache}/package\""));
        assert_eq!(machine.read(&format!("{cache}/package")), "cached\n");
    }
}

#[test]
fn a_rust_project_is_built_and_tested() {
    let mut machine = Machine::new();
    machine.write(
        "shop/Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    machine
        .write("shop/src/main.rs", "fn main() {}\n#[test]\nfn works() { assert_eq!(2, 1 + 1); }\n");
    // The toolchain of the tests lies in another home.
    for name in ["RUSTUP_HOME", "CARGO_HOME"] {
        let folder = std::env::var_os(name).or_else(|| {
            let folder = if name == "CARGO_HOME" { ".cargo" } else { ".rustup" };
            Some(std::env::home_dir()?.join(folder).into())
        });
        machine.set_variable(name, folder.unwrap());
    }
    let homes = machine.sandbox.variables[1..].to_vec();
    let homes: Vec<String> = homes
        .iter()
        .map(|(name, value)| format!("{}='{}'", name.display(), value.display()))
        .collect();
    machine.works(&format!("{} cargo test --offline -q", homes.join(" ")));
}
