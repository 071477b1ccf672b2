//! Requests that are too large, too many, too slow, or none at all.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::client::{Server, answer_of, request};

fn request_for(text: &str) -> serde_json::Value {
    json!({"q": text, "source": "en", "target": "de"})
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let server = Server::start(&["--max-size", "1"]);
    let head = "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let declared = server.send_bytes(format!("{head}Content-Length: 99000000\r\n\r\n").as_bytes());
    declared.refused(413);
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..30 {
        chunked.extend(b"C350\r\n");
        chunked.resize(chunked.len() + 50_000, b' ');
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    server.send_bytes(&chunked).refused(413);
    let file = vec![b'a'; 1_100_000];
    server
        .post_file(
            "/translate_file",
            &[("source", "en"), ("target", "de")],
            "a.txt",
            &file,
        )
        .refused(413);
    server
        .post_json("/translate", &request_for("Open the file."))
        .good();
}

#[test]
fn who_sends_all_of_what_is_too_large_reads_the_answer() {
    let server = Server::start(&["--max-size", "1"]);
    let piece = vec![b' '; 1 << 20];
    for head in [
        "Content-Length: 33554432\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n\r\n2000000\r\n".to_owned(),
    ] {
        let mut stream = server.connect();
        let start = "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n";
        stream
            .write_all(format!("{start}{head}").as_bytes())
            .expect("sent");
        for _ in 0..32 {
            stream.write_all(&piece).expect("nothing breaks off");
        }
        if head.starts_with('T') {
            stream
                .write_all(b"\r\n0\r\n\r\n")
                .expect("nothing breaks off");
        }
        answer_of(&mut stream).refused(413);
    }
}

#[test]
fn nothing_malformed_brings_the_server_down() {
    let mut server = Server::start(&[]);
    let json = "Content-Type: application/json\r\n";
    for body in [
        "",
        "{",
        "[",
        "null",
        "3",
        "\"text\"",
        "[1]",
        "{\"q\": {}}",
        "{\"q\": [[1]]}",
        "\u{0}",
        "{\"q\":1e999}",
    ] {
        let answer = server.send("POST", "/translate", json, body.as_bytes());
        answer.refused(400);
    }
    let deep = "[".repeat(100_000);
    server
        .send("POST", "/translate", json, deep.as_bytes())
        .refused(400);
    server
        .send("POST", "/translate", json, b"{\"q\": \"\xff\xfe\"}")
        .refused(400);
    server
        .send(
            "POST",
            "/translate",
            "Content-Type: text/plain\r\n",
            b"Open",
        )
        .refused(415);
    for kind in ["multipart/form-data", "multipart/form-data; boundary=cut"] {
        let headers = format!("Content-Type: {kind}\r\n");
        server
            .send("POST", "/translate_file", &headers, b"--cut\r\nbroken")
            .refused(400);
    }
    server
        .send("POST", "/v1/translate", json, b"[1, 2]")
        .refused(400);
    server.get("/nothing").refused(404);
    server.get("/a/b/c/d").refused(404);
    server.get("/%ff%fe/%00").refused(404);
    server.get("/translate").refused(405);
    server.send("DELETE", "/v1/models", "", b"").refused(405);
    for garbage in [
        "\0\0\0\0",
        "GET",
        "GET / HTTP/9.9\r\n\r\n",
        "\r\n\r\n\r\n",
        "POST /translate HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(garbage.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
    }
    let long = format!("/MTRestService/TranslateJson?input={}", "a".repeat(200_000));
    let refused = server.get(&long).status;
    assert!(matches!(refused, 0 | 400 | 414 | 431), "{refused}");
    // Text that models dread.
    for text in [
        "\u{feff}\u{200b}",
        "🙂🙂🙂",
        &"word ".repeat(5_000),
        &"x".repeat(20_000),
        "⟨1⟩ \u{E000}\u{E200}",
    ] {
        server.post_json("/translate", &request_for(text)).good();
    }
    // No document can hold it.
    server
        .post_json("/translate", &request_for("a\u{0}b"))
        .refused(400);
    server
        .post_json("/translate", &request_for("Open the file."))
        .good();
    #[cfg(unix)]
    {
        assert_eq!(server.interrupt(), Some(0));
        let stderr = server.stderr_text();
        assert!(
            !stderr.contains("panicked") && !stderr.contains("word word"),
            "{stderr}"
        );
    }
}

#[test]
fn who_is_slow_keeps_nobody_waiting() {
    let server = Server::start(&[]);
    let whole = request(
        "POST",
        "/translate",
        "Content-Type: application/json\r\n",
        request_for("Open the file.").to_string().as_bytes(),
    );
    let mut slow = Vec::new();
    for cut in 0..120 {
        let mut stream = server.connect();
        let part = &whole[..whole.len() * (cut % 10) / 10];
        stream.write_all(part).expect("written");
        slow.push(stream);
    }
    // Readers who take nothing of a large answer.
    let text = "Open the file. ".repeat(2_000);
    let large = request(
        "POST",
        "/v1/documents",
        "Content-Type: application/json\r\n",
        json!({"text": text, "source": "en", "target": "de"})
            .to_string()
            .as_bytes(),
    );
    for _ in 0..4 {
        let mut stream = server.connect();
        stream.write_all(&large).expect("written");
        slow.push(stream);
    }
    let begun = Instant::now();
    server
        .post_json("/translate", &request_for("Open the file."))
        .good();
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    // A client that goes on is answered.
    let mut last = slow.swap_remove(119);
    last.write_all(&whole[whole.len() * 9 / 10..])
        .expect("written");
    assert_eq!(crate::server::client::answer_of(&mut last).status, 200);
}

/// A document that the tiny model needs a minute for.
fn long_document() -> Vec<u8> {
    let text = "Open the file and close the window of the page. ".repeat(60_000);
    request(
        "POST",
        "/translate",
        "Content-Type: application/json\r\n",
        request_for(&text).to_string().as_bytes(),
    )
}

#[test]
fn who_leaves_makes_room_for_the_next() {
    let server = Server::start(&["--queue", "1"]);
    let send = || {
        let mut long = server.connect();
        long.write_all(&long_document()).expect("written");
        let wait = Some(Duration::from_millis(20));
        long.set_read_timeout(wait).expect("a time");
        long
    };
    let mut long = send();
    let begun = Instant::now();
    let refused = loop {
        let answer = server.post_json("/translate", &request_for("Open the file."));
        if answer.status == 429 {
            break answer;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "the long one never begins"
        );
        // If a short one had the only place when it came, it was refused.
        if long.peek(&mut [0]).is_ok() {
            long = send();
        }
    };
    assert!(
        refused.head.to_lowercase().contains("retry-after: 1"),
        "{}",
        refused.head
    );
    let still = server.post_json("/translate", &request_for("Open the file."));
    assert_eq!(still.status, 429);
    drop(long);
    let left = Instant::now();
    while server
        .post_json("/translate", &request_for("Open the file."))
        .status
        == 429
    {
        assert!(
            left.elapsed() < Duration::from_secs(5),
            "it goes on for nobody"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_takes_too_long_is_broken_off_and_others_are_not() {
    let server = Server::start(&["--timeout", "3"]);
    let mut long = server.connect();
    long.write_all(&long_document()).expect("written");
    std::thread::sleep(Duration::from_millis(300));
    // A short request does not wait for the end of the long one.
    let begun = Instant::now();
    server
        .post_json("/translate", &request_for("Open the file."))
        .good();
    assert!(
        begun.elapsed() < Duration::from_millis(2_500),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(crate::server::client::answer_of(&mut long).status, 504);
}

#[cfg(unix)]
#[test]
fn ctrl_c_answers_what_is_under_way_and_ends() {
    let mut server = Server::start(&[]);
    let mut stream = server.connect();
    let text = "Open the file. ".repeat(300);
    let body = request_for(&text).to_string();
    stream
        .write_all(&request(
            "POST",
            "/translate",
            "Content-Type: application/json\r\n",
            body.as_bytes(),
        ))
        .expect("written");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.interrupt(), Some(0));
    assert_eq!(crate::server::client::answer_of(&mut stream).status, 200);
    assert!(std::net::TcpStream::connect(&server.address).is_err());
}
