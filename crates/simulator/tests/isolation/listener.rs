//! A server on the loopback of the machine that counts who comes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Listener {
    pub(crate) port: u16,
    visits: Arc<AtomicUsize>,
}

impl Listener {
    /// Serves as long as the test runs.
    pub(crate) fn start() -> Self {
        let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        std::thread::spawn(move || {
            for mut visitor in socket.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                // It answers before it hangs up, whoever it is.
                let _ = visitor.read(&mut [0; 1024]);
                let _ = visitor.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nwelcome",
                );
            }
        });
        Self { port, visits }
    }

    pub(crate) fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}
