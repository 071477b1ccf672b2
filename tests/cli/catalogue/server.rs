//! A server on this machine, which gives files as hosts of catalogues do, or as badly as they might.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The reply at a path.
#[derive(Clone)]
pub enum Reply {
    /// The file, in part if that is requested.
    File(Vec<u8>),
    /// The file; a number of connections break after a number of bytes.
    CutOff {
        file: Vec<u8>,
        after: usize,
        times: usize,
    },
    /// The file without parts: every answer is whole.
    Whole(Vec<u8>),
    /// A number of bytes at a time, with a pause after them.
    Slow {
        file: Vec<u8>,
        step: usize,
        pause: Duration,
    },
    /// Redirects to another address.
    Redirect(String),
    /// This status and nothing else.
    Status(u16),
    /// Bytes without an end and without a size.
    Endless,
    /// Declares a number of bytes, and sends the file.
    Lying { file: Vec<u8>, says: usize },
}

/// A request that came: its path, and where it was to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRequest {
    pub path: String,
    pub from: Option<usize>,
}

#[derive(Default)]
struct State {
    replies: HashMap<String, Reply>,
    requests: Vec<SeenRequest>,
}

pub struct Server {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn start() -> Self {
        Self::speaking(None)
    }

    /// A server that speaks HTTPS, with a certificate of the authority in [`authority`].
    pub fn encrypted() -> Self {
        Self::speaking(Some(encryption()))
    }

    fn speaking(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, tls) = (Arc::clone(&shared), tls.clone());
                // A client that has seen enough goes.
                std::thread::spawn(move || match tls {
                    None => answer(stream, &shared),
                    Some(config) => {
                        let connection = ServerConnection::new(config).expect("a connection");
                        answer(StreamOwned::new(connection, stream), &shared)
                    }
                });
            }
        });
        Self { address, state }
    }

    pub fn put(&self, path: &str, reply: Reply) {
        let mut state = self.state.lock().expect("nobody panicked");
        state.replies.insert(path.to_owned(), reply);
    }

    pub fn requests(&self) -> Vec<SeenRequest> {
        self.state.lock().expect("nobody panicked").requests.clone()
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

/// The folder of the certificates of tests.
fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls")
}

/// What an encrypted server speaks with.
pub fn encryption() -> Arc<ServerConfig> {
    let of = |name: &str| certificates().join(name);
    let chain = CertificateDer::from_pem_file(of("host.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(of("host.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .expect("a certificate and its key");
    Arc::new(config)
}

/// The authority that encrypted servers here are certified by.
pub fn authority() -> PathBuf {
    certificates().join("ca.pem")
}

fn answer(stream: impl Read + Write, shared: &Mutex<State>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut from = None;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().ok();
        }
    }
    let reply = {
        let mut state = shared.lock().expect("nobody panicked");
        state.requests.push(SeenRequest {
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
    let to = stream.get_mut();
    send(to, reply, from)?;
    to.flush()
}

fn send(to: &mut impl Write, reply: Reply, from: Option<usize>) -> std::io::Result<()> {
    match reply {
        Reply::File(file) => part(to, &file, from, usize::MAX),
        Reply::CutOff { file, after, times } => {
            let most = if times > 0 { after } else { usize::MAX };
            part(to, &file, from, most)
        }
        Reply::Whole(file) => {
            head(to, "200 OK", file.len(), "")?;
            to.write_all(&file)
        }
        Reply::Slow { file, step, pause } => {
            head(to, "200 OK", file.len(), "")?;
            for bytes in file.chunks(step) {
                to.write_all(bytes)?;
                to.flush()?;
                std::thread::sleep(pause);
            }
            Ok(())
        }
        Reply::Redirect(address) => head(to, "302 Found", 0, &format!("Location: {address}\r\n")),
        Reply::Status(status) => head(to, &format!("{status} Status"), 0, ""),
        Reply::Endless => {
            to.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            loop {
                to.write_all(&vec![b'x'; 1 << 16])?;
            }
        }
        Reply::Lying { file, says } => {
            head(to, "200 OK", says, "")?;
            to.write_all(&file)
        }
    }
}

fn part(to: &mut impl Write, file: &[u8], from: Option<usize>, most: usize) -> std::io::Result<()> {
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

fn head(to: &mut impl Write, status: &str, length: usize, more: &str) -> std::io::Result<()> {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n");
    to.write_all(head.as_bytes())
}
