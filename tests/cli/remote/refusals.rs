//! Clients and requests that are refused.

use std::io::{Read, Write};
use std::net::TcpStream;

use canopy::inference::{DeviceChoice, Translator};
use canopy::remote::{Client, Files, set_key};
use canopy::search::SearchOptions;
use canopy::server::{ComputeOptions, Computing};

use crate::remote::{Machine, host, options, tiny};

/// The answer to a request, whole.
fn answer_to(machine: &Machine, request: &str) -> String {
    let mut stream = TcpStream::connect(machine.address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn without_the_key_there_is_nothing() {
    let machine = Machine::start();
    let keys = [
        "",
        "Authorization: Bearer open\r\n",
        "Authorization: Bearer open sesame!\r\n",
    ];
    let paths = [
        "/",
        "/compute/v1",
        "/compute/v1/trainings",
        "/compute/v1/jobs/x/events?from=0",
    ];
    let mut answers = Vec::new();
    for key in keys {
        for path in paths {
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\ncanopy-version: {}\r\n{key}\r\n",
                canopy::remote::version()
            );
            let answer = answer_to(&machine, &request);
            assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
            assert!(answer.ends_with("\r\n\r\n"), "no body: {answer}");
            let lines = answer.lines().filter(|line| !line.starts_with("date"));
            answers.push(lines.collect::<Vec<_>>().join("\n"));
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "a wrong key and none are answered alike");
    let proxy = crate::remote::proxy::Proxy::start(machine.address, usize::MAX);
    let other = host(proxy.address);
    for key in ["", "wrong"] {
        set_key(other, key);
        let error = Client::connect(other).expect_err("refused").to_string();
        assert!(error.contains("requires its key"), "{error}");
    }
}

#[test]
fn other_versions_are_refused_in_words() {
    let machine = Machine::start();
    for (version, expected) in [
        (
            "canopy-version: 9.9.9/1\r\n",
            "you have Canopy 9.9.9 (protocol 1)",
        ),
        ("canopy-version: 0.1.0/2\r\n", "protocol 2"),
        ("", "which version"),
    ] {
        let request = format!(
            "GET /compute/v1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer open sesame\r\n{version}\r\n"
        );
        let answer = answer_to(&machine, &request);
        assert!(answer.starts_with("HTTP/1.1 426"), "{answer}");
        assert!(
            answer.contains(expected) && answer.contains("same version"),
            "{answer}"
        );
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let (store, model) = (tempfile::tempdir().expect("a folder"), tiny::model_folder());
    let small = ComputeOptions {
        max_body_bytes: 4_000,
        most_stored_bytes: 50_000_000,
        ..options(store.path())
    };
    let server = Computing::start(&small).expect("it starts");
    let there = host(server.address());
    set_key(there, "open sesame");
    let translator = Translator::open(model.path(), DeviceChoice::Remote(there)).expect("a model");
    let document = crate::remote::document(200);
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let refused = translator.translate(&document, &all, &SearchOptions::default(), &mut |_, _| {
        std::ops::ControlFlow::Continue(())
    });
    let error = refused.expect_err("too large").to_string();
    assert!(error.contains("4000 bytes"), "{error}");
    let client = Client::connect(there).expect("it is there");
    let file = store.path().join("large");
    // A file that has changed since it was looked at is not what it is said to be.
    std::fs::write(&file, [8; 500]).expect("written");
    let files = Files::at(&file).expect("read");
    std::fs::write(&file, [9; 500]).expect("written");
    let error = client
        .upload(&files, &file)
        .expect_err("changed")
        .to_string();
    assert!(error.contains("digest"), "{error}");
    server.stop();
    let full = ComputeOptions {
        most_stored_bytes: 1_000,
        ..options(store.path())
    };
    let server = Computing::start(&full).expect("it starts");
    let there = host(server.address());
    set_key(there, "open sesame");
    let client = Client::connect(there).expect("it is there");
    std::fs::write(&file, [7; 2_000]).expect("written");
    let files = Files::at(&file).expect("read");
    let error = client
        .upload(&files, &file)
        .expect_err("no room")
        .to_string();
    assert!(error.contains("start it with a larger one"), "{error}");
    server.stop();
}

#[test]
fn a_machine_that_others_reach_has_a_key() {
    let store = tempfile::tempdir().expect("a folder");
    let open = ComputeOptions {
        address: ([0, 0, 0, 0], 0).into(),
        key: None,
        ..options(store.path())
    };
    let error = Computing::start(&open).expect_err("no key").to_string();
    assert!(error.contains("key"), "{error}");
}
