//! Damaged requests: each is answered or refused, and the server goes on, in the memory that it had.
//!
//! 2,000 of them, or as many as `CANOPY_CASES` says, beginning at `CANOPY_FIRST_CASE`.

use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::client::{Server, answer_of, request};
use crate::server::mutation::Mutator;

/// How much larger the server may have become, in kilobytes.
const GROWTH: u64 = 200_000;
/// An answer that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(20);

fn number_from_env(name: &str, otherwise: u64) -> u64 {
    let number = std::env::var(name).ok().and_then(|text| text.parse().ok());
    number.unwrap_or(otherwise)
}

/// A sound request.
struct Seed {
    method: &'static str,
    path: &'static str,
    headers: &'static str,
    body: Vec<u8>,
}

impl Seed {
    fn with_body(&self, body: &[u8]) -> Vec<u8> {
        request(self.method, self.path, self.headers, body)
    }

    /// Half of them as they come, half with a body of the length that the head says.
    fn damaged(&self, mutator: &mut Mutator) -> Vec<u8> {
        if mutator.below(2) == 0 || self.body.is_empty() {
            mutator.mutated(&self.with_body(&self.body))
        } else {
            self.with_body(&mutator.mutated(&self.body))
        }
    }
}

/// One of every kind.
fn seeds() -> Vec<Seed> {
    let seed = |method, path, headers, body: &[u8]| Seed {
        method,
        path,
        headers,
        body: body.to_vec(),
    };
    let json_type = "Content-Type: application/json\r\n";
    let post =
        |path, body: &serde_json::Value| seed("POST", path, json_type, body.to_string().as_bytes());
    let form = "Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Bearer key\r\n";
    let multipart = "Content-Type: multipart/form-data; boundary=cut\r\n";
    let file = |name: &str| {
        format!(
            "--cut\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n--cut\r\nContent-Disposition: \
             form-data; name=\"target\"\r\n\r\nde\r\n--cut\r\nContent-Disposition: form-data; name=\"file\"; \
             filename=\"{name}\"\r\n\r\n<p>Open the <b>file</b>.</p>\r\n--cut--\r\n"
        )
    };
    vec![
        seed("GET", "/", "", b""),
        seed("GET", "/openapi.json", "", b""),
        seed("GET", "/languages", "", b""),
        seed("GET", "/download_file/0.html", "", b""),
        seed("GET", "/v1/models", "", b""),
        seed("GET", "/v1/documents/0", "", b""),
        seed("OPTIONS", "/translate", "Origin: http://a.example\r\n", b""),
        seed(
            "GET",
            "/MTRestService/TranslateJson?input=Open%20it.&modelTag=&srcLangCode=en&tokenCode=0&trgLangCode=de",
            "",
            b"",
        ),
        post(
            "/translate",
            &json!({"q": "Open the file.", "source": "en", "target": "de", "alternatives": 2}),
        ),
        post(
            "/translate",
            &json!({"q": ["<b>Open</b>", "Close"], "source": "auto", "target": "de", "format": "html"}),
        ),
        post("/detect", &json!({"q": "Open the file."})),
        post(
            "/v1/translate",
            &json!({
                "sentences": ["Open the ⟨1⟩file⟨/1⟩.", "Close it."], "source": "en", "target": "de",
                "translations": [null, "Schließen."], "only": [0],
            }),
        ),
        seed(
            "POST",
            "/translate",
            form,
            b"q=Open+the+file.&source=en&target=de&api_key=a",
        ),
        seed(
            "POST",
            "/translate_file",
            multipart,
            file("page.html").as_bytes(),
        ),
        seed(
            "POST",
            "/v1/documents",
            multipart,
            file("page.md").as_bytes(),
        ),
    ]
}

/// The most memory that a process has had, in kilobytes; none where the system does not report it.
fn peak_kb(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn damaged_requests_are_answered_or_refused() {
    let mut server = Server::start(&["--max-size", "1"]);
    let seeds = seeds();
    let is_well = |server: &Server| {
        let body = json!({"q": "Open the file.", "source": "en", "target": "de"});
        server.post_json("/translate", &body).good();
    };
    for seed in &seeds {
        let answer = server.send_bytes(&seed.with_body(&seed.body));
        assert!((200..500).contains(&answer.status), "{}", answer.head);
    }
    is_well(&server);
    let before = peak_kb(server.id());
    let first = number_from_env("CANOPY_FIRST_CASE", 0);
    let (mut slowest, mut answered) = (Duration::ZERO, 0);
    for case in first..first + number_from_env("CANOPY_CASES", 2_000) {
        let mut mutator = Mutator::new(case);
        let seed = &seeds[mutator.below(seeds.len())];
        let bytes = seed.damaged(&mut mutator);
        let begun = Instant::now();
        let mut stream = server.connect();
        let sent = stream.write_all(&bytes);
        // A length that promises more than comes is no reason to wait.
        let _ = stream.shutdown(Shutdown::Write);
        let answer = answer_of(&mut stream);
        let took = begun.elapsed();
        assert!(took < PATIENCE, "case {case} hangs");
        assert!(
            answer.status < 500 || answer.status == 503,
            "case {case} ({sent:?}): {}\n{}",
            answer.head,
            answer.text()
        );
        slowest = slowest.max(took);
        answered += usize::from(answer.status == 200);
        if case % 200 == 199 {
            is_well(&server);
        }
    }
    is_well(&server);
    let grown = peak_kb(server.id())
        .zip(before)
        .map(|(now, before)| now - before);
    println!("{answered} answered, the slowest in {slowest:?}, the server grew by {grown:?} kB");
    assert!(
        grown.is_none_or(|grown| grown < GROWTH),
        "{grown:?} kB more"
    );
    #[cfg(unix)]
    {
        server.interrupt();
        let stderr_text = server.stderr_text();
        assert!(!stderr_text.contains("panicked"), "{stderr_text}");
    }
}
