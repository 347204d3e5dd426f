//! Honest checks work in the sandbox.

use crate::os_sandbox_harness::Machine;

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
    test_repo::git(machine.project(), &["worktree", "add", "-q", "../linked"]);
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
    test_repo::init(&library);
    std::fs::write(library.join("lib"), "1").unwrap();
    test_repo::commit_all(&library);
    let url = library.display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "library"];
    test_repo::git(machine.project(), &add);
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

/// A test suite that starts a server on loopback and asks it.
const SERVED: &str = "node -e 'const http = require(\"http\"); const server = http.createServer((_, answer) => \
    answer.end(\"hello\")); server.listen(0, \"127.0.0.1\", () => http.get({ port: server.address().port }, (got) => \
    got.on(\"data\", (text) => process.exit(String(text) === \"hello\" ? 0 : 1))))'";

#[test]
fn tests_that_start_a_server_on_loopback_pass() {
    tests_with_a_server_pass(&Machine::new());
}

pub(crate) fn tests_with_a_server_pass(machine: &Machine) {
    machine.works(SERVED);
}

#[test]
fn a_server_on_loopback_works_in_an_isolated_network_too() {
    tests_with_a_server_pass(&Machine::new().with_network(&[], &[]));
}

#[test]
fn large_files_of_git_are_committed() {
    large_files_are_committed(&Machine::new());
}

/// The user set Git LFS up before: a session cannot, because git's settings cannot be written.
pub(crate) fn large_files_are_committed(machine: &Machine) {
    test_repo::git(machine.project(), &["lfs", "install", "--local", "--skip-repo"]);
    machine.write("shop/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    machine.works("head -c 100000 /dev/zero >large.bin && git add -A && git commit -qm large");
    machine
        .works("git show HEAD:large.bin | grep -q git-lfs && git lfs ls-files | grep -q large.bin");
    machine.works("rm large.bin && git checkout -q large.bin && test $(wc -c <large.bin) = 100000");
}

#[test]
fn a_node_project_installs_its_packages_and_tests() {
    node_project_works(&Machine::new());
}

pub(crate) fn node_project_works(machine: &Machine) {
    machine.write("shop/library/package.json", r#"{"name": "library", "version": "1.0.0"}"#);
    machine.write("shop/library/index.js", "module.exports = () => 42;\n");
    let package = r#"{"name": "shop", "version": "1.0.0", "dependencies": {"library": "file:./library"},
        "scripts": {"test": "node --test test.js"}}"#;
    machine.write("shop/package.json", package);
    let test = "const test = require('node:test'); const assert = require('node:assert');\n\
                test('adds', () => assert.equal(require('library')(), 42));\n";
    machine.write("shop/test.js", test);
    machine.works("npm install --offline --no-audit --no-fund && npm test");
}

#[test]
fn a_python_project_installs_itself_and_tests() {
    let machine = Machine::new();
    machine.write("shop/shop.py", "def answer():\n    return 42\n");
    let test = "import unittest, shop\nclass Answers(unittest.TestCase):\n    def test_it(self):\n        \
                self.assertEqual(shop.answer(), 42)\n";
    machine.write("shop/test_shop.py", test);
    // Another python of the machine may lie in a home that is not that of this test.
    let python = "PATH=/usr/bin:/bin python3";
    machine
        .works(&format!("{python} -m venv --without-pip .venv && .venv/bin/python -m unittest -q"));
}

#[test]
fn a_database_of_the_host_is_used_by_its_port() {
    database_of_the_host_is_used(Machine::new());
}

pub(crate) fn database_of_the_host_is_used(machine: Machine) {
    let port = crate::os_sandbox_network::server();
    let machine = machine.with_network(&[], &[port]);
    machine.works(&crate::os_sandbox_network::direct(port));
}
