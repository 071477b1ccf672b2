//! A server of a test, and a client that sends what it likes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::server::tiny;

/// The program, serving the tiny model; it ends with this.
pub struct Server {
    child: Child,
    pub address: String,
    pub stderr: BufReader<ChildStderr>,
    _model: TempDir,
}

/// The answer of a server.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Server {
    pub fn start(options: &[&str]) -> Self {
        let model = tiny::model_folder();
        let path = model.path().to_owned();
        Self::with_models(&[&path], options, model)
    }

    pub fn with_models(models: &[&Path], options: &[&str], kept: TempDir) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canopy"));
        command.args(["serve", "--port", "0", "--device", "cpu", "--beam", "1"]);
        for model in models {
            command.arg("--model").arg(model);
        }
        let mut child = command
            .env("HOME", std::env::temp_dir().join("canopy-tests"))
            .env_remove("CANOPY_KEY")
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        let read = BufReader::new(stdout).read_line(&mut line);
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        assert!(read.is_ok() && line.starts_with("http://"), "{line:?}");
        let address = line.trim().trim_start_matches("http://");
        Self {
            address: address.replace("0.0.0.0", "127.0.0.1"),
            child,
            stderr,
            _model: kept,
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        let limit = Some(Duration::from_mins(1));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// Sends bytes as they are, and reads what comes until the connection ends.
    pub fn send_bytes(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses may not read all.
        let _ = stream.write_all(request);
        answer_of(&mut stream)
    }

    pub fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        self.send_bytes(&request(method, path, headers, body))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    pub fn post_json(&self, path: &str, body: &Value) -> Answer {
        let headers = "Content-Type: application/json\r\n";
        self.send("POST", path, headers, body.to_string().as_bytes())
    }

    pub fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let fields = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = fields.collect::<Vec<_>>().join("&");
        let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
        self.send("POST", path, headers, body.as_bytes())
    }

    /// Sends a form with a file.
    pub fn post_file(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        name: &str,
        file: &[u8],
    ) -> Answer {
        let mut body = Vec::new();
        for (field, value) in fields {
            let part = format!(
                "--cut\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n"
            );
            body.extend(part.as_bytes());
        }
        let head = format!(
            "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend(head.as_bytes());
        body.extend(file);
        body.extend(b"\r\n--cut--\r\n");
        self.send(
            "POST",
            path,
            "Content-Type: multipart/form-data; boundary=cut\r\n",
            &body,
        )
    }

    /// Sends the signal of Ctrl+C, and waits for the end.
    #[cfg(unix)]
    pub fn interrupt(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let signalled = Command::new("kill").args(["-INT", &id]).status();
        assert!(signalled.expect("kill").success());
        self.child.wait().expect("the program ends").code()
    }

    /// The rest of its output on standard error; it must have ended.
    pub fn stderr_text(&mut self) -> String {
        let mut text = String::new();
        self.stderr.read_to_string(&mut text).expect("UTF-8");
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|fault| panic!("{fault}: {} {}", self.head, self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The message of a refusal with this status.
    #[track_caller]
    pub fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let json = self.json();
        json["error"].as_str().expect("an error").to_owned()
    }

    #[track_caller]
    pub fn good(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }
}

pub fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = match method {
        "GET" => String::new(),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{length}{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// Reads an answer to its end.
pub fn answer_of(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection that the server closes has delivered all it will.
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else {
        return Answer {
            status: 0,
            head: String::from_utf8_lossy(&bytes).into_owned(),
            body: Vec::new(),
        };
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answer {
        status: status.unwrap_or(0),
        head,
        body: bytes[end + 4..].to_vec(),
    }
}

pub fn encoded(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(byte).collect()
}
