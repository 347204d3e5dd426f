//! Lets programs on the machine reach the API server, which listens in a network namespace.

use std::fs::File;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

const API_SERVER: (&str, u16) = ("127.0.0.1", 6443);

#[derive(Debug)]
pub(crate) struct Relay {
    pub address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// The socket that listens stays in the namespace in which it was made; those that connect belong to the thread's.
    pub(crate) fn start(namespace: &Path) -> io::Result<Self> {
        let namespace = File::open(namespace)?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let ends = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ends);
        let thread = thread::spawn(move || {
            let network = Some(LinkNameSpaceType::Network);
            if move_into_link_name_space(namespace.as_fd(), network).is_err() {
                return;
            }
            for client in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(server) = TcpStream::connect(API_SERVER) {
                    let _ = connect(client, server);
                }
            }
        });
        Ok(Self { address, ends, thread: Some(thread) })
    }
}

fn connect(client: TcpStream, server: TcpStream) -> io::Result<()> {
    copy(client.try_clone()?, server.try_clone()?);
    copy(server, client);
    Ok(())
}

/// Until either end closes.
fn copy(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
