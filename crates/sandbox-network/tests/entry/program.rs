//! The test program: an entry, its helper, and a client inside a sandbox.
//!
//! `exchange PORT` sends standard input to that port of 127.0.0.1 and prints the answer. `abstract NAME`
//! connects to that abstract socket.

fn main() -> std::io::Result<()> {
    sandbox_network::entry::run_if_asked();
    #[cfg(target_os = "linux")]
    client::run()?;
    Ok(())
}

#[cfg(target_os = "linux")]
mod client {
    use std::io;
    use std::net::{Ipv4Addr, Shutdown, TcpStream};
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};

    pub(crate) fn run() -> io::Result<()> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["exchange", port] => {
                let port: u16 = port.parse().map_err(io::Error::other)?;
                let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
                io::copy(&mut io::stdin(), &mut &stream)?;
                stream.shutdown(Shutdown::Write)?;
                io::copy(&mut &stream, &mut io::stdout()).map(drop)
            }
            ["abstract", name] => {
                UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
            }
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}
