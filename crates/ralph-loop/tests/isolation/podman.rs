//! The real Podman, with storage of its own and settings for machines on which the usual ones do not work.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;

use tempfile::TempDir;

pub(crate) const IMAGE: &str = "localhost/ralph-test";

/// Host folders of the image.
pub(crate) const PROGRAMS: [&str; 2] = ["/usr", "/etc/alternatives"];

/// Folders alone: programs are mounted.
const FOLDERS: &str = "dev etc home proc root run sys tmp usr var/tmp";

const LINKS: &str = "bin sbin lib lib64";

/// A script that calls Podman.
pub(crate) fn program() -> &'static str {
    static PODMAN: OnceLock<(TempDir, String)> = OnceLock::new();
    let (_, program) = PODMAN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let program = install(folder.path());
        (folder, program)
    });
    program
}

/// Settings of a project whose sessions and checks run in containers.
pub(crate) fn settings(writable: &[&str]) -> String {
    let isolation = serde_json::json!({
        "readablePaths": PROGRAMS,
        "writablePaths": writable,
        "container": { "image": IMAGE, "engine": program() },
    });
    serde_json::json!({ "isolation": isolation }).to_string()
}

/// Those of a project that were not removed.
pub(crate) fn containers(project: &Path) -> String {
    let project = project.canonicalize().unwrap();
    let listed = assert_cmd::Command::new(program())
        .args(["ps", "--all", "--quiet", "--filter"])
        .arg(format!("label=ralph.project={}", project.display()))
        .output()
        .unwrap();
    String::from_utf8(listed.stdout).unwrap()
}

fn install(folder: &Path) -> String {
    let at = folder.display();
    let runc = Path::new("/usr/bin/runc").exists() || Path::new("/usr/sbin/runc").exists();
    let runtime = if runc { "runtime = \"runc\"\n" } else { "" };
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    // No network: the engine would write firewall rules for one.
    write(
        "containers.conf",
        format!(
            "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1000:1000\"]\nnetns = \"none\"\n\
             [engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\n{runtime}"
        ),
    );
    write(
        "storage.conf",
        format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = \"{at}/images\"\nrunroot = \"{at}/run\"\n"
        ),
    );
    write(
        "podman",
        format!(
            "#!/bin/sh\nCONTAINERS_CONF={at}/containers.conf CONTAINERS_STORAGE_CONF={at}/storage.conf\n\
             export CONTAINERS_CONF CONTAINERS_STORAGE_CONF\nexec podman \"$@\"\n"
        ),
    );
    let program = folder.join("podman");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    import(folder, &program);
    program.display().to_string()
}

fn import(folder: &Path, program: &Path) {
    let root = folder.join("root");
    for name in FOLDERS.split_whitespace() {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["tmp", "var/tmp"] {
        let shared = std::fs::Permissions::from_mode(0o1777);
        std::fs::set_permissions(root.join(name), shared).unwrap();
    }
    for name in LINKS.split_whitespace() {
        std::os::unix::fs::symlink(format!("usr/{name}"), root.join(name)).unwrap();
    }
    let mut users = std::fs::File::create(root.join("etc/passwd")).unwrap();
    writeln!(users, "root:x:0:0::/root:/bin/sh").unwrap();
    let archive = folder.join("root.tar");
    let packed = assert_cmd::Command::new("tar")
        .arg("-C")
        .arg(&root)
        .arg("-cf")
        .arg(&archive)
        .arg(".")
        .output();
    assert!(packed.unwrap().status.success());
    let imported =
        assert_cmd::Command::new(program).arg("import").arg(&archive).arg(IMAGE).output().unwrap();
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
}
