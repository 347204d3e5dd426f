//! `scripts/obtain.sh`: sources of programs, and refusals.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tasks::Sha256Digest;

use crate::tiny_plugin::{PROGRAMS, TinyPlugin, VERSION, write, write_program, write_programs};

/// Runs it and returns its stderr.
fn obtain(plugin: &TinyPlugin, expected: i32) -> String {
    let output = plugin.script("obtain.sh").arg(got(plugin)).assert().code(expected);
    assert_eq!(output.get_output().stdout, b"");
    assert_eq!(got(plugin).join("stop-guard").exists(), expected == 0);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

fn got(plugin: &TinyPlugin) -> PathBuf {
    plugin.home().join("new/programs")
}

fn archive(version: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    write_programs(dir.path(), version);
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(dir.path()).args(["-czf", "-"]).args(PROGRAMS);
    tar.assert().success().get_output().stdout.clone()
}

/// A server that answers every request with this; returns its address.
fn serve(answer: Vec<u8>) -> String {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let address = format!("http://{}/programs.tar.gz", server.server_addr());
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            let _ = request.respond(tiny_http::Response::from_data(answer.clone()));
        }
    });
    address
}

/// Lists the archive for every platform, because the test does not know its own.
fn list(root: &Path, archive: &[u8], url: &str) {
    let sum = Sha256Digest::of(archive).to_string();
    let platforms = ["linux-x64", "linux-arm64", "macos-x64", "macos-arm64"];
    let lines = platforms.map(|platform| format!("{platform} {sum} {url}\n")).concat();
    write(&root.join("native/archives.txt"), &format!("# platform sha256 url\n{lines}"));
}

#[test]
fn an_archive_with_the_right_checksum_is_used() {
    let plugin = TinyPlugin::without_cargo();
    let archive = archive(VERSION);
    list(&plugin.root(), &archive, &serve(archive.clone()));
    obtain(&plugin, 0);
    let output = Command::new(got(&plugin).join("ralph-loop")).arg("--version").assert();
    output.stdout(format!("ralph-loop {VERSION}\n"));
}

#[test]
fn an_archive_with_a_wrong_checksum_is_never_unpacked() {
    let plugin = TinyPlugin::new();
    let promised = archive(VERSION);
    // It would work if it were used.
    let mut delivered = promised.clone();
    delivered.extend_from_slice(&[0; 512]);
    list(&plugin.root(), &promised, &serve(delivered));
    let said = obtain(&plugin, 0);
    assert!(said.contains("has the wrong SHA-256; deleted, not used"), "{said}");
    assert_eq!(plugin.builds(), 1, "{said}");
}

#[test]
fn an_archive_of_another_version_is_refused() {
    let plugin = TinyPlugin::without_cargo();
    let archive = archive("9.9.8");
    list(&plugin.root(), &archive, &serve(archive.clone()));
    let said = obtain(&plugin, 1);
    assert!(said.contains("has no programs of version 9.9.9"), "{said}");
}

#[test]
fn a_build_needs_only_cargo() {
    let plugin = TinyPlugin::new();
    obtain(&plugin, 0);
    assert!(!plugin.root().join("target").exists());
    let left: Vec<_> = std::fs::read_dir(plugin.home().join("new")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_complete_failure_names_every_fix() {
    let plugin = TinyPlugin::without_cargo();
    let said = obtain(&plugin, 1);
    let last = said.lines().last().unwrap();
    for way in ["cargo is not installed", "rustup.rs", "a release for", "scripts/install.sh"] {
        assert!(last.contains(way), "{last}");
    }
}

#[test]
fn a_list_of_archives_with_the_line_ends_of_windows_is_read() {
    let plugin = TinyPlugin::without_cargo();
    let archive = archive(VERSION);
    list(&plugin.root(), &archive, &format!("{}\r", serve(archive.clone())));
    obtain(&plugin, 0);
}

#[test]
fn a_temporary_failure_has_its_own_exit_code() {
    let plugin = TinyPlugin::without_cargo();
    let promised = archive(VERSION);
    list(&plugin.root(), &promised, "http://127.0.0.1:9/programs.tar.gz");
    let said = obtain(&plugin, 75);
    assert!(said.lines().last().unwrap().contains("could not be fetched, and cargo"), "{said}");

    list(&plugin.root(), &promised, &serve(b"something else".to_vec()));
    let said = obtain(&plugin, 1);
    assert!(said.lines().last().unwrap().contains("has the wrong SHA-256"), "{said}");
}

#[test]
fn a_build_that_was_killed_or_had_no_network_may_work_later() {
    let plugin = TinyPlugin::new();
    for (cargo, code, reason) in [
        ("kill -9 $$", 75, "cargo was killed"),
        ("exit 101", 75, "cargo could not fetch"),
        ("[ \"$1\" = fetch ]", 1, "cargo could not build"),
    ] {
        plugin.install_cargo(cargo);
        let said = obtain(&plugin, code);
        assert!(said.lines().last().unwrap().contains(reason), "{said}");
    }
}

#[test]
fn the_download_of_an_endless_archive_stops() {
    let plugin = TinyPlugin::without_cargo();
    list(&plugin.root(), &archive(VERSION), "http://127.0.0.1:9/programs.tar.gz");
    let curl = "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n\
                exec dd if=/dev/zero of=\"$2\" bs=1024 count=1 seek=1048576\n";
    write_program(&plugin.tools().join("curl"), curl);
    let said = obtain(&plugin, 75);
    assert!(said.contains("could not be fetched"), "{said}");
}
