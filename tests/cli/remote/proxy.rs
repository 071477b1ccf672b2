//! A connection that breaks.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Passes on what goes between a client and a server, and cuts every connection after a number of bytes of answers.
pub struct Proxy {
    pub address: SocketAddr,
    pub cuts: Arc<AtomicUsize>,
    pub connections: Arc<AtomicUsize>,
    ends: Arc<AtomicBool>,
}

impl Proxy {
    pub fn start(server: SocketAddr, bytes: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Self {
            address: listener.local_addr().expect("an address"),
            cuts: Arc::default(),
            connections: Arc::default(),
            ends: Arc::default(),
        };
        let (cuts, ends) = (Arc::clone(&proxy.cuts), Arc::clone(&proxy.ends));
        let connections = Arc::clone(&proxy.connections);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                connections.fetch_add(1, Ordering::Relaxed);
                let Ok(to) = TcpStream::connect(server) else {
                    continue;
                };
                let cuts = Arc::clone(&cuts);
                let (from_client, to_server) = (clone(&client), clone(&to));
                thread::spawn(move || passed(from_client, to_server, usize::MAX));
                thread::spawn(move || {
                    if passed(to, client, bytes) {
                        cuts.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        proxy
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn clone(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a handle")
}

/// Passes bytes on until there are no more, or `left` have passed; whether it was cut.
fn passed(mut from: TcpStream, mut to: TcpStream, mut left: usize) -> bool {
    let mut buffer = [0; 512];
    let _ = from.set_read_timeout(Some(Duration::from_mins(1)));
    let is_cut = loop {
        match from.read(&mut buffer) {
            Ok(length) if length > 0 && length <= left => {
                left -= length;
                if to.write_all(&buffer[..length]).is_err() {
                    break false;
                }
            }
            Ok(length) => break length > left,
            Err(_) => break false,
        }
    };
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
    is_cut
}
