//! Keys, tokens, browser profiles and logins of agents cannot be read from inside.

use std::os::unix::net::UnixListener;

use crate::os_sandbox_harness::Machine;

/// Paths below the home. The last ones are on no list: only named paths are visible.
const SECRETS: [&str; 36] = [
    ".ssh/id_ed25519",
    ".gnupg/private-keys-v1.d/key",
    ".aws/credentials",
    ".azure/accessTokens.json",
    ".config/gcloud/credentials.db",
    ".kube/config",
    ".docker/config.json",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh/hosts.yml",
    ".cargo/credentials.toml",
    ".pypirc",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".password-store/mail.gpg",
    ".local/share/keyrings/login.keyring",
    ".mozilla/firefox/x/logins.json",
    ".config/google-chrome/Default/Login Data",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".config/amp/settings.json",
    ".hex/hex.config",
    ".nuget/NuGet/NuGet.Config",
    ".pub-cache/credentials.json",
    ".cabal/config",
    ".stack/upload/credentials.json",
    ".foundry/keystores/wallet",
    ".local/share/uv/credentials/credentials.toml",
    ".bundle/config",
    ".gradle/init.d/repository.gradle",
    ".bash_history",
    "Documents/taxes.pdf",
    "other-project/.env",
];

#[test]
fn no_secret_of_the_home_can_be_read() {
    secrets_are_refused(&Machine::new());
}

pub(crate) fn secrets_are_refused(machine: &Machine) {
    for secret in SECRETS {
        machine.write(secret, "secret");
    }
    let reading = SECRETS.iter().map(|secret| format!("grep -q secret \"$HOME/{secret}\""));
    // By another way to the same folder too.
    let others = [
        "grep -q secret /proc/self/cwd/../.ssh/id_ed25519",
        "ln -sf ../.ssh link && grep -q secret link/id_ed25519",
        "test -n \"$(find \"$HOME/.ssh\" -name 'id_*')\"",
    ];
    machine.refuses_each(reading.chain(others.map(str::to_owned)));
}

/// A program that calls the kernel: adds a key to the session that all processes of the runner belong to.
#[cfg(target_arch = "x86_64")]
const ADD_KEY: &str = "#!/usr/bin/perl
my ($type, $name, $text) = ('user', 'ralph-test', 'secret');
syscall(248, $type, $name, $text, 6, -3) > 0 or exit 1;
exec '@RALPH_LOOP@', @ARGV;
";

/// Searches the keys of the session and reads one.
#[cfg(target_arch = "x86_64")]
const READ_KEY: &str = "my ($type, $name) = ('user', 'ralph-test');
my $key = syscall(250, 10, -3, $type, $name, 0);
my $text = ' ' x 64;
exit(syscall(250, 11, $key, $text, 64) == 6 ? 0 : 1);
";

#[cfg(target_arch = "x86_64")]
#[test]
fn keys_that_the_kernel_keeps_cannot_be_read() {
    keys_are_missing(Machine::new());
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn keys_are_missing(mut machine: Machine) {
    machine.keep_by_script(ADD_KEY);
    machine.write("shop/read-key.pl", READ_KEY);
    machine.refuses("perl read-key.pl");
}

#[test]
fn a_file_that_the_user_had_open_cannot_be_written() {
    no_open_file_is_inherited(&Machine::new());
}

pub(crate) fn no_open_file_is_inherited(machine: &Machine) {
    let file = tempfile::NamedTempFile::new().unwrap();
    // A copy is inherited, unlike the original.
    let open = rustix::io::dup(file.as_file()).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&open);
    let write = format!("open(F, '>&={number}') and syswrite(F, 'x') and exit 0; exit 1");
    let own = assert_cmd::Command::new("perl").args(["-e", &write]).output().unwrap();
    assert!(own.status.success(), "it is inherited: {own:?}");
    machine.works(&format!("! perl -e \"{write}\""));
    let path = file.path().display();
    machine.works(&format!("! readlink /proc/[0-9]*/fd/* 2>/dev/null | grep -q '{path}'"));
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "x", "from outside alone");
}

#[test]
fn settings_of_tools_are_hidden_if_they_hold_a_token() {
    let machine = Machine::new();
    machine.write(".npmrc", "//registry.example.com/:_authToken=npm_1234\n");
    machine.write(".config/pip/pip.conf", "[global]\nindex-url = https://me:pw@example.com/\n");
    machine.write(".gitconfig", "[user]\n\tname = me\n");
    machine.refuses("cat \"$HOME/.npmrc\"");
    machine.refuses("cat \"$HOME/.config/pip/pip.conf\"");
    machine.works("grep -q me \"$HOME/.gitconfig\"");
}

#[test]
fn a_credential_stays_hidden_in_a_folder_that_the_user_allows() {
    credentials_stay_hidden(Machine::new());
}

pub(crate) fn credentials_stay_hidden(mut machine: Machine) {
    machine.write(".config/gh/hosts.yml", "secret");
    machine.write(".config/shop/settings", "fine");
    machine.sandbox.readable.push(machine.home().join(".config"));
    machine.works("grep -q fine \"$HOME/.config/shop/settings\"");
    machine.refuses("grep -q secret \"$HOME/.config/gh/hosts.yml\"");
}

#[test]
fn sockets_of_agents_cannot_be_connected_to() {
    let mut machine = Machine::new();
    // In the home, in a temporary folder, and in the project, where only the variable identifies
    // it.
    let socket = machine.home().join(".agent.sock");
    let _agent = UnixListener::bind(&socket).unwrap();
    machine.refuses(&connect(&socket.display().to_string()));
    let temporary = tempfile::tempdir_in("/tmp").unwrap();
    let socket = temporary.path().join("agent.1");
    let _temporary = UnixListener::bind(&socket).unwrap();
    machine.refuses(&connect(&socket.display().to_string()));
    socket_in_project_is_hidden(&mut machine);
    for socket in ["/run/docker.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket"] {
        machine.works(&format!("test ! -e {socket}"));
    }
    machine.works("test -z \"$(ls -A /run | grep -v -e systemd -e current-system -e resolvconf)\"");
    machine.works("test ! -e /tmp/.X11-unix");
}

fn connect(path: &str) -> String {
    format!(
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($ARGV[0])) or die' \
         \"{path}\""
    )
}

/// Only the variable shows that it belongs to an agent.
pub(crate) fn socket_in_project_is_hidden(machine: &mut Machine) {
    let socket = machine.project().join("agent.sock");
    let _in_project = UnixListener::bind(&socket).unwrap();
    machine.works(&connect("./agent.sock"));
    machine.set_variable("SSH_AUTH_SOCK", &socket);
    machine.refuses(&connect("./agent.sock"));
}
