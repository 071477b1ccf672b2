//! Against a server that answers well, badly, slowly, and never.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::error::Error;
use canopy_document::editable::to_editable;

const LANGUAGES: Languages<'_> = Languages {
    source: "English",
    target: "German",
};

/// How a server answers one request.
enum Behaviour {
    Says(&'static str),
    /// These bytes as they are.
    Sends(&'static str),
    Waits(Duration),
    Hangs,
}

/// A server that answers one request after the other; its address, and the requests it received.
fn server(behaviours: Vec<Behaviour>) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (received, questions) = channel();
    std::thread::spawn(move || {
        for behaviour in behaviours {
            let (mut stream, _) = listener.accept().expect("a client");
            let body = read(&mut stream);
            let _ = received.send(body);
            match behaviour {
                Behaviour::Says(text) => {
                    let reply = json!({
                        "choices": [{"message": {"role": "assistant", "content": text}}],
                        "usage": {"prompt_tokens": 100, "completion_tokens": 7},
                    });
                    respond(&mut stream, "200 OK", &reply.to_string());
                }
                Behaviour::Sends(bytes) => drop(stream.write_all(bytes.as_bytes())),
                Behaviour::Waits(time) => sleep(time),
                Behaviour::Hangs => {}
            }
        }
    });
    (address, questions)
}

fn read(stream: &mut TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
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
    serde_json::from_slice(&body).expect("JSON")
}

fn respond(stream: &mut TcpStream, status: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

fn endpoint(address: &str) -> Endpoint {
    Endpoint::new(address, "small", None, Duration::from_millis(600)).expect("an address")
}

fn question() -> Question {
    let stored = "Open the \u{E000}file\u{E200}.".to_owned();
    Question {
        source: to_editable(&stored),
        stored,
        before: vec![Neighbour {
            source: "This is the menu.".to_owned(),
            target: Some("Das ist das Menü.".to_owned()),
        }],
        after: vec![Neighbour {
            source: "Close it.".to_owned(),
            target: None,
        }],
        terms: vec![("file".to_owned(), "Datei".to_owned())],
        memory: vec![(
            "Open the page.".to_owned(),
            "Öffnen Sie die Seite.".to_owned(),
        )],
    }
}

#[test]
fn a_good_answer_is_taken_and_the_prompt_holds_what_is_known() {
    let (address, questions) = server(vec![Behaviour::Says("Öffnen Sie die ⟨1⟩Datei⟨/1⟩.")]);
    let found = endpoint(&address)
        .suggest(LANGUAGES, &question())
        .expect("an answer");
    assert_eq!(found.text, "Öffnen Sie die \u{E000}Datei\u{E200}.");
    assert_eq!((found.retries, found.is_repaired), (0, false));
    assert_eq!(
        found.usage,
        Usage {
            prompt_tokens: 100,
            completion_tokens: 7
        }
    );
    let request = questions.recv().expect("a question");
    assert_eq!(
        (&request["model"], &request["stream"]),
        (&json!("small"), &json!(false))
    );
    let message = request["messages"][1]["content"].as_str().expect("a text");
    for part in [
        "file → Datei",
        "Open the page. → Öffnen Sie die Seite.",
        "This is the menu. → Das ist das Menü.",
        "- Close it.\n",
        "English sentence to German:\nOpen the ⟨1⟩file⟨/1⟩.",
    ] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

#[test]
fn wrong_markup_is_requested_again_and_then_repaired() {
    let (address, questions) = server(vec![
        Behaviour::Says("Öffnen Sie die Datei."),
        Behaviour::Says("Öffnen Sie die ⟨1⟩Datei⟨/1⟩."),
    ]);
    let found = endpoint(&address)
        .suggest(LANGUAGES, &question())
        .expect("an answer");
    assert_eq!((found.retries, found.is_repaired), (1, false));
    assert_eq!(found.usage.prompt_tokens, 200);
    questions.recv().expect("a question");
    let again = questions.recv().expect("another");
    let message = again["messages"][3]["content"].as_str().expect("a text");
    assert!(
        message.contains("⟨1⟩ is missing") && message.contains("⟨1⟩ ⟨/1⟩"),
        "{message}"
    );
    let bad = || Behaviour::Says("⟨2/⟩Öffnen ⟨1⟩Sie die Datei.");
    let (address, _questions) = server(vec![bad(), bad(), bad()]);
    let found = endpoint(&address)
        .suggest(LANGUAGES, &question())
        .expect("an answer");
    assert!(found.is_repaired && found.retries == 2);
    assert_eq!(
        canopy_document::editable::tokens(&found.text).len(),
        2,
        "{}",
        found.text
    );
}

#[test]
fn a_bad_server_is_reported_and_never_waited_for() {
    let cases = [
        (
            Behaviour::Sends(
                "HTTP/1.1 500 No\r\nContent-Length: 28\r\n\r\n{\"error\":{\"message\":\"full\"}}",
            ),
            "500: full",
        ),
        (
            Behaviour::Sends("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
            "404",
        ),
        (
            Behaviour::Sends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope"),
            "JSON",
        ),
        (
            Behaviour::Sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
            "chat completion",
        ),
        (
            Behaviour::Sends(
                "HTTP/1.1 302 No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            ),
            "302",
        ),
        (Behaviour::Sends("SSH-2.0-x\r\n"), ""),
        (Behaviour::Hangs, ""),
        (Behaviour::Waits(Duration::from_secs(3)), "within 0.6 s"),
        (
            Behaviour::Sends("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"),
            "",
        ),
    ];
    for (behaviour, expected) in cases {
        let (address, _questions) = server(vec![behaviour]);
        let begun = Instant::now();
        let fault = endpoint(&address)
            .suggest(LANGUAGES, &question())
            .expect_err("no answer");
        assert!(begun.elapsed() < Duration::from_secs(2), "{fault}");
        assert!(matches!(fault, Error::Llm { .. }), "{fault}");
        assert!(fault.to_string().contains(expected), "{expected}: {fault}");
    }
    let (address, _questions) = server(vec![Behaviour::Says("<think>hm</think>  ")]);
    let fault = endpoint(&address)
        .suggest(LANGUAGES, &question())
        .expect_err("nothing");
    assert!(matches!(fault, Error::LlmSilent { .. }), "{fault}");
    let nobody = endpoint("http://127.0.0.1:1").suggest(LANGUAGES, &question());
    assert!(matches!(nobody, Err(Error::Llm { .. })));
}

#[test]
fn only_addresses_of_http_and_https_are_taken() {
    let new = |address| Endpoint::new(address, "m", None, Duration::from_secs(1));
    for wrong in [
        "",
        "localhost:8080",
        "https://",
        "http://",
        "http:///v1",
        "ftp://a",
        "http://a b",
    ] {
        assert!(
            matches!(new(wrong), Err(Error::LlmAddress { .. })),
            "{wrong}"
        );
    }
    let short = new("http://localhost:11434/").expect("an address");
    assert_eq!(short, new("http://localhost:11434/v1").expect("an address"));
    let encrypted = new("https://api.example.org").expect("an address");
    assert_eq!(
        encrypted,
        new("https://api.example.org/v1").expect("an address")
    );
    assert_ne!(
        encrypted,
        new("http://api.example.org/v1").expect("an address")
    );
}
