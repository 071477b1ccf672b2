//! A server on this machine, which gives files as hosts of catalogues do, or as badly as they might.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is at a path.
#[derive(Clone)]
pub enum Reply {
    /// The file, in part if that is requested.
    File(Vec<u8>),
    /// The file; so many connections break after so many bytes.
    CutOff {
        file: Vec<u8>,
        after: usize,
        times: usize,
    },
    /// The file without parts: every answer is whole.
    Whole(Vec<u8>),
    /// So many bytes at a time, with a pause behind them.
    Slow {
        file: Vec<u8>,
        step: usize,
        pause: Duration,
    },
    /// Leads elsewhere.
    Redirect(String),
    /// This status and nothing else.
    Status(u16),
    /// Bytes without an end and without a size.
    Endless,
    /// Says that it has so many bytes, and sends the file.
    Lying { file: Vec<u8>, says: usize },
}

/// A request that came: its path, and where it was to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub path: String,
    pub from: Option<usize>,
}

#[derive(Default)]
struct State {
    replies: HashMap<String, Reply>,
    asked: Vec<Asked>,
}

pub struct Server {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A client that has seen enough goes.
                std::thread::spawn(move || {
                    let _ = answer(stream, &shared);
                });
            }
        });
        Self { address, state }
    }

    pub fn put(&self, path: &str, reply: Reply) {
        let mut state = self.state.lock().expect("nobody panicked");
        state.replies.insert(path.to_owned(), reply);
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().expect("nobody panicked").asked.clone()
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

fn answer(stream: TcpStream, shared: &Mutex<State>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut from = None;
    for line in lines {
        let line = line?.to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().ok();
        }
    }
    let reply = {
        let mut state = shared.lock().expect("nobody panicked");
        state.asked.push(Asked {
            path: path.clone(),
            from,
        });
        let reply = state.replies.get_mut(&path);
        let found = reply.as_ref().map(|reply| (**reply).clone());
        if let Some(Reply::CutOff { times, .. }) = reply {
            *times = times.saturating_sub(1);
        }
        found.unwrap_or(Reply::Status(404))
    };
    send(stream, reply, from)
}

fn send(mut to: TcpStream, reply: Reply, from: Option<usize>) -> std::io::Result<()> {
    match reply {
        Reply::File(file) => part(&mut to, &file, from, usize::MAX),
        Reply::CutOff { file, after, times } => {
            let most = if times > 0 { after } else { usize::MAX };
            part(&mut to, &file, from, most)
        }
        Reply::Whole(file) => {
            head(&mut to, "200 OK", file.len(), "")?;
            to.write_all(&file)
        }
        Reply::Slow { file, step, pause } => {
            head(&mut to, "200 OK", file.len(), "")?;
            for bytes in file.chunks(step) {
                to.write_all(bytes)?;
                to.flush()?;
                std::thread::sleep(pause);
            }
            Ok(())
        }
        Reply::Redirect(address) => {
            head(&mut to, "302 Found", 0, &format!("Location: {address}\r\n"))
        }
        Reply::Status(status) => head(&mut to, &format!("{status} Status"), 0, ""),
        Reply::Endless => {
            to.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            loop {
                to.write_all(&[b'x'; 1 << 16])?;
            }
        }
        Reply::Lying { file, says } => {
            head(&mut to, "200 OK", says, "")?;
            to.write_all(&file)
        }
    }
}

fn part(to: &mut TcpStream, file: &[u8], from: Option<usize>, most: usize) -> std::io::Result<()> {
    let tag = "ETag: \"one\"\r\n";
    let rest = match from {
        Some(from) if from < file.len() => {
            let last = file.len() - 1;
            let range = format!("{tag}Content-Range: bytes {from}-{last}/{}\r\n", file.len());
            head(to, "206 Partial Content", file.len() - from, &range)?;
            &file[from..]
        }
        _ => {
            head(to, "200 OK", file.len(), tag)?;
            file
        }
    };
    to.write_all(&rest[..rest.len().min(most)])
}

fn head(to: &mut TcpStream, status: &str, length: usize, more: &str) -> std::io::Result<()> {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n");
    to.write_all(head.as_bytes())
}
