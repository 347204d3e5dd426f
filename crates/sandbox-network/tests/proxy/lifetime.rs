//! Connections and files of a proxy, while it runs and after it is dropped.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use sandbox_network::Address;

use crate::harness::{connect, echo, proxy};

#[test]
fn a_dropped_proxy_accepts_nothing_and_keeps_open_tunnels() {
    let port = echo();
    let proxy = proxy(&[], &[port]);
    let Address::Loopback(own) = *proxy.address() else { panic!("{:?}", proxy.address()) };
    let mut tunnel = connect(&proxy);
    write!(tunnel, "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").unwrap();
    let established = "HTTP/1.1 200 Connection Established\r\n\r\nwelcome ";
    tunnel.read_exact(&mut vec![0; established.len()]).unwrap();

    drop(proxy);

    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, own)).is_err());
    tunnel.write_all(b"still here").unwrap();
    let mut echoed = [0; 10];
    tunnel.read_exact(&mut echoed).unwrap();
    assert_eq!(&echoed, b"still here");
}

#[cfg(unix)]
#[test]
fn a_socket_is_in_a_private_folder_and_is_deleted_with_the_proxy() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;

    use sandbox_network::{Listen, Proxy, Rules};

    use crate::harness::{SOON, exchange};

    let port = echo();
    let rules = Rules { host_ports: vec![port], ..Rules::default() };
    let proxy = Proxy::start(rules, Listen::Socket).unwrap();
    let Address::Socket(socket) = proxy.address().clone() else { panic!("{:?}", proxy.address()) };
    let folder = socket.parent().unwrap().to_owned();
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let stream = UnixStream::connect(&socket).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let answer = exchange(&stream, "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");

    drop(proxy);

    assert!(!folder.exists());
    assert!(UnixStream::connect(&socket).is_err());
}
