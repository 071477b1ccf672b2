//! `canopy translate --llm`: suggestions of a server that answers well, and one that never does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::catalogue::server::{authority, encryption};
use crate::command_line::desk::{Desk, PAGE, assert_done, assert_failed, stderr};

/// A server that gives back the sentence with a word before it, or says nothing at all; its address, and the number of requests.
fn server(answers: bool) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let num_requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&num_requests);
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            count.fetch_add(1, Ordering::Relaxed);
            if answers {
                answer(&mut stream);
            } else {
                kept.push(stream);
            }
        }
    });
    (address, num_requests)
}

fn answer(stream: &mut (impl Read + Write)) {
    let mut reader = BufReader::new(&mut *stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).expect("a head") > 2 {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let request: Value = serde_json::from_slice(&body).expect("JSON");
    let messages = request["messages"].as_array().expect("messages");
    let message = messages.last().expect("a message")["content"]
        .as_str()
        .expect("a text");
    let sentence = message.lines().last().expect("the sentence");
    let answer = json!({
        "choices": [{"message": {"content": format!("Bitte: {sentence}")}}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 5},
    });
    let answer = answer.to_string();
    let length = answer.len();
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
    );
}

#[test]
fn suggestions_are_written_or_stand_beside() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let (address, num_requests) = server(true);
    let llm = ["--llm", &address, "--llm-model", "small"];
    let output = desk.path("page.de.html");
    let written = desk.translate(&[&[page.as_str(), "-o", &output], &llm[..]].concat());
    assert_done(&written);
    assert_eq!(
        desk.read("page.de.html"),
        "<p>Bitte: Open the <b>file</b>. Bitte: Close the window.</p>\n"
    );
    assert_eq!(num_requests.load(Ordering::Relaxed), 2);
    let message = stderr(&written);
    assert!(
        message.contains("small: 2 sentences in")
            && message.contains("100 tokens read, 10 written"),
        "{message}"
    );
    let beside = desk.translate(&[&[page.as_str(), "--json"], &llm[..]].concat());
    assert_done(&beside);
    let report: Value = serde_json::from_slice(&beside.stdout).expect("JSON");
    let sentence = &report["sentences"][0];
    assert_eq!(sentence["llm"]["target"], "Bitte: Open the ⟨1⟩file⟨/1⟩.");
    assert_eq!(sentence["llm"]["repaired"], false);
    // Canopy's model says which it takes for the better one.
    let [own, suggested] = ["own_mean_log_prob", "mean_log_prob"].map(|name| {
        let mean = sentence["llm"][name].as_f64().expect("a number");
        assert!(mean.is_finite() && mean < 0.0, "{name} is {mean}");
        mean
    });
    let better = if suggested > own { "llm" } else { "canopy" };
    assert_eq!(sentence["llm"]["better"], better);
    assert_ne!(sentence["target"], sentence["llm"]["target"]);
}

#[cfg(target_os = "linux")] // where the roots of a system are named by a variable
#[test]
fn an_encrypted_server_is_used_if_the_system_trusts_it_and_no_other() {
    use rustls::{ServerConnection, StreamOwned};
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("https://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(encryption()).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            // A client that does not trust it goes.
            if stream.conn.complete_io(&mut stream.sock).is_ok() {
                answer(&mut stream);
                let _ = stream.flush();
            }
        }
    });
    let translated = |roots: std::path::PathBuf| {
        let model = desk.model.path();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_canopy"));
        command
            .env("SSL_CERT_FILE", roots)
            .env_remove("SSL_CERT_DIR");
        let options = ["--device", "cpu", "--beam", "1", "--llm", &address];
        command.args(["translate", &page, "--llm-model", "small", "--model"]);
        let output = command.arg(model).args(options).output();
        output.expect("the program runs")
    };
    let trusted = translated(authority());
    assert_done(&trusted);
    let text = String::from_utf8_lossy(&trusted.stdout);
    assert!(text.contains("Bitte: Close the window."), "{text}");
    let untrusted = translated(desk.path("none.pem").into());
    assert_done(&untrusted);
    let message = stderr(&untrusted);
    assert!(message.contains("certificate"), "{message}");
    assert!(
        !String::from_utf8_lossy(&untrusted.stdout).contains("Bitte"),
        "Canopy's translation stands"
    );
}

#[test]
fn a_server_that_never_answers_is_left_after_a_while() {
    let desk = Desk::new();
    let text = desk.file(
        "page.txt",
        "Open the file. Close the page. Print it. Save it. Copy it. Delete it.",
    );
    let (address, num_requests) = server(false);
    let llm = [
        "--llm",
        &address,
        "--llm-model",
        "small",
        "--llm-timeout",
        "1",
    ];
    let alone = desk.translate(&[&text]);
    let begun = Instant::now();
    let written = desk.translate(&[&[text.as_str()], &llm[..]].concat());
    assert_done(&written);
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(written.stdout, alone.stdout, "Canopy's translation stands");
    assert_eq!(num_requests.load(Ordering::Relaxed), 3);
    let message = stderr(&written);
    assert!(
        message.contains("within 1 s") && message.contains("6 without an answer"),
        "{message}"
    );
}

#[test]
fn only_an_address_of_http_and_a_name_are_taken() {
    let desk = Desk::new();
    let page = desk.file("page.html", PAGE);
    let wrong = desk.translate(&[
        &page,
        "--llm",
        "ftp://api.example.org/v1",
        "--llm-model",
        "large",
    ]);
    assert_failed(
        &wrong,
        &["ftp://api.example.org/v1", "http://localhost:11434/v1"],
    );
    let unnamed = desk.translate(&[&page, "--llm", "http://localhost:1"]);
    assert_eq!(unnamed.status.code(), Some(2), "{}", stderr(&unnamed));
}
