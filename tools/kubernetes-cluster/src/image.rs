//! The image of the cluster: empty folders, into which pods mount the `/usr` of the machine.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

pub(crate) const NAME: &str = "localhost/ralph-test:1";

/// The program of a pod's first container, which holds its namespaces: it waits for signals.
#[cfg(target_arch = "x86_64")]
mod pause {
    pub(super) const MACHINE: u16 = 62;
    // loop: mov eax, 34 (pause); syscall; jmp loop
    pub(super) const CODE: &[u8] = &[0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7];
}
#[cfg(target_arch = "aarch64")]
mod pause {
    pub(super) const MACHINE: u16 = 183;
    // loop: mov x0..x3, 0; mov x8, 73 (ppoll); svc 0; b loop
    pub(super) const CODE: &[u8] = &[
        0x00, 0x00, 0x80, 0xd2, 0x01, 0x00, 0x80, 0xd2, 0x02, 0x00, 0x80, 0xd2, 0x03, 0x00, 0x80,
        0xd2, 0x28, 0x09, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4, 0xfa, 0xff, 0xff, 0x17,
    ];
}

/// Writes the archive of the image and returns its path.
pub(crate) fn write(dir: &Path) -> io::Result<PathBuf> {
    let (root, archive) = (dir.join("root"), dir.join("image"));
    for folder in ["dev", "etc", "proc", "sys", "tmp", "usr"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777))?;
    for link in ["bin", "lib", "lib64", "sbin"] {
        symlink(format!("usr/{link}"), root.join(link))?;
    }
    let users = "root:x:0:0:root:/:/bin/sh\nralph:x:1000:1000:ralph:/tmp:/bin/sh\n";
    fs::write(root.join("etc/passwd"), users)?;
    fs::write(root.join("etc/group"), "root:x:0:\nralph:x:1000:\n")?;
    fs::write(root.join("pause"), pause_program())?;
    fs::set_permissions(root.join("pause"), fs::Permissions::from_mode(0o755))?;

    fs::create_dir(&archive)?;
    pack(&root, &archive.join("layer.tar"))?;
    let digest = HEXLOWER.encode(&Sha256::digest(fs::read(archive.join("layer.tar"))?));
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let config = format!(
        r#"{{"architecture":"{architecture}","os":"linux","config":{{"Entrypoint":["/pause"],
"Env":["PATH=/usr/bin:/usr/sbin"]}},"rootfs":{{"type":"layers","diff_ids":["sha256:{digest}"]}}}}"#
    );
    let manifest =
        format!(r#"[{{"Config":"config.json","RepoTags":["{NAME}"],"Layers":["layer.tar"]}}]"#);
    fs::write(archive.join("config.json"), config)?;
    fs::write(archive.join("manifest.json"), manifest)?;
    let packed = dir.join("image.tar");
    pack(&archive, &packed)?;
    Ok(packed)
}

#[expect(clippy::disallowed_methods, reason = "the one place where tests pack an image")]
fn pack(folder: &Path, archive: &Path) -> io::Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "--numeric-owner", "--directory"]).arg(folder);
    let packed = tar.arg("--create").arg("--file").arg(archive).arg(".").status()?;
    packed.success().then_some(()).ok_or_else(|| io::Error::other("tar failed"))
}

/// An ELF file with one segment that is this file.
fn pause_program() -> Vec<u8> {
    const BASE: u64 = 0x40_0000;
    const HEADERS: u16 = 64 + 56;
    let size = (usize::from(HEADERS) + pause::CODE.len()) as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
    for half in [2, pause::MACHINE] {
        put(&half.to_le_bytes());
    }
    put(&1_u32.to_le_bytes());
    for word in [BASE + u64::from(HEADERS), 64, 0] {
        put(&word.to_le_bytes());
    }
    put(&0_u32.to_le_bytes());
    for half in [64_u16, 56, 1, 0, 0, 0] {
        put(&half.to_le_bytes());
    }
    for half in [1_u32, 5] {
        put(&half.to_le_bytes());
    }
    for word in [0, BASE, BASE, size, size, 0x1000] {
        put(&word.to_le_bytes());
    }
    put(pause::CODE);
    file
}
