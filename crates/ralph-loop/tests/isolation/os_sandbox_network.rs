//! An isolated network reaches the named hosts and ports, and nothing else by whatever way.

use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use engine::isolation::NetworkAccess;

use crate::os_sandbox_harness::Machine;

/// A server on the loopback interface that answers every connection with `hello`.
pub(crate) fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 1024];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            );
        }
    });
    port
}

fn get(url: &str) -> String {
    format!("test \"$(curl -sS --max-time 20 {url})\" = hello")
}

pub(crate) fn direct(port: u16) -> String {
    get(&format!("--noproxy '*' http://127.0.0.1:{port}/"))
}

#[test]
fn an_open_network_is_that_of_the_machine() {
    Machine::new().works(&direct(server()));
}

#[test]
fn hosts_that_are_not_on_the_list_are_refused_by_every_way() {
    other_hosts_are_refused(Machine::new());
}

pub(crate) fn other_hosts_are_refused(machine: Machine) {
    let port = server();
    let machine = machine.with_network(&["allowed.example.com"], &[]);
    machine.refuses(&direct(port));
    machine.refuses(&get(&format!("--noproxy '*' http://localhost:{port}/")));
    let through_proxy = format!(
        "test \"$(curl -sS --max-time 20 -x \"$HTTP_PROXY\" http://127.0.0.1:{port}/)\" = hello"
    );
    machine.works(&format!("! ({through_proxy}) 2>/dev/null"));
    machine.works(&format!(
        "! curl -sSf --max-time 20 -p -x \"$HTTP_PROXY\" http://127.0.0.1:{port}/"
    ));
    let hosts = ["10.255.255.1", "169.254.169.254", "192.0.2.1", "[2001:db8::1]"];
    let mut ways: Vec<String> = hosts
        .iter()
        .flat_map(|host| {
            [
                format!("curl -s --noproxy '*' --max-time 20 http://{host}/"),
                format!("curl -sf --max-time 20 http://{host}/"),
            ]
        })
        .collect();
    // Neither names nor data get out by DNS.
    ways.push("getent hosts example.com".into());
    machine.fails_each(&ways.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_datagram_does_not_leave_an_isolated_network() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let send = datagram_to(&socket);
    no_datagram_leaves(Machine::new(), &send, &socket);
}

/// A command that sends one.
pub(crate) fn datagram_to(socket: &UdpSocket) -> String {
    socket.set_nonblocking(true).unwrap();
    let port = socket.local_addr().unwrap().port();
    format!(
        "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Proto => \"udp\", PeerAddr => \"127.0.0.1:{port}\") \
         or exit 1; $s->send(\"x\"); exit 0'"
    )
}

pub(crate) fn no_datagram_leaves(mut machine: Machine, send: &str, socket: &UdpSocket) {
    machine.sandbox.network = NetworkAccess::None;
    machine.inside(send);
    assert!(socket.recv(&mut [0; 8]).is_err(), "a datagram came out");
}

#[test]
fn a_host_on_the_list_and_a_port_of_this_machine_are_reached() {
    allowed_hosts_and_ports_are_reached(Machine::new());
}

pub(crate) fn allowed_hosts_and_ports_are_reached(machine: Machine) {
    let (listed, port) = (server(), server());
    let machine = machine.with_network(&[&format!("127.0.0.1:{listed}")], &[port]);
    let proxied = format!(
        "test \"$(curl -sS --max-time 20 --noproxy '' http://127.0.0.1:{listed}/)\" = hello"
    );
    machine.works(&proxied);
    machine.works(&direct(port));
    machine.works(&format!("! ({}) 2>/dev/null", direct(listed)));
}

#[test]
fn a_refused_host_is_named_with_its_setting() {
    refused_hosts_are_named(Machine::new());
}

pub(crate) fn refused_hosts_are_named(machine: Machine) {
    let machine = machine.with_network(&[], &[]);
    let trial = machine.inside("curl -sSf --max-time 20 https://registry.example.com:8443/x");
    let expected = "the sandbox refused a connection to registry.example.com:8443; to allow it, add \
                    \"registry.example.com:8443\" to isolation.allowedHosts";
    assert_eq!(trial.refused, [expected]);
}

#[test]
fn a_sandbox_without_network_has_a_loopback_of_its_own() {
    loopback_is_private(Machine::new());
}

pub(crate) fn loopback_is_private(mut machine: Machine) {
    let port = server();
    machine.sandbox.network = NetworkAccess::None;
    machine.refuses(&direct(port));
    machine.works(
        "perl -MIO::Socket::INET -e 'my $l = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or exit 1; \
         my $c = IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $l->sockport) or exit 2; exit 0'",
    );
}

/// Abstract sockets belong to the network namespace: an open network shares them with the machine. Landlock closes
/// them where the kernel has it (6.12 and newer).
#[test]
fn abstract_sockets_of_the_machine_are_closed() {
    let name = format!("ralph-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let connect = format!(
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack(\"S a*\", AF_UNIX, \"\\0{name}\")) or die'"
    );
    let mut machine = Machine::new();
    if landlock_scopes() {
        machine.refuses(&connect);
    } else {
        // docs/isolation.md names this limit.
        machine.works(&connect);
    }
    machine.sandbox.network = NetworkAccess::None;
    machine.refuses(&connect);
}

fn landlock_scopes() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut parts = release.split(['.', '-']).filter_map(|part| part.parse::<u32>().ok());
    let version = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let modules = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    version >= (6, 12) && (modules.is_empty() || modules.contains("landlock"))
}
