//! Many clients at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::client::Server;
use crate::server::tiny;

/// How long they send requests; `CANOPY_SERVE_SECS` overrides it.
fn secs() -> u64 {
    let text = std::env::var("CANOPY_SERVE_SECS").ok();
    text.and_then(|secs| secs.parse().ok()).unwrap_or(10)
}

#[test]
fn sixty_four_clients_get_what_each_would_get_alone() {
    let server = Server::start(&[]);
    let texts: Vec<String> = tiny::pairs()
        .into_iter()
        .map(|(source, _)| source)
        .collect();
    let translate = |text: &str| {
        let answer = server.post_json(
            "/translate",
            &json!({"q": text, "source": "en", "target": "de"}),
        );
        answer.good()["translatedText"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    let alone: Vec<String> = texts.iter().map(|text| translate(text)).collect();
    let (answered, slowest) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let end = Instant::now() + Duration::from_secs(secs());
    std::thread::scope(|scope| {
        for client in 0..64 {
            let (texts, alone, translate, answered, slowest) =
                (&texts, &alone, &translate, &answered, &slowest);
            scope.spawn(move || {
                for turn in client.. {
                    if Instant::now() > end {
                        break;
                    }
                    let begun = Instant::now();
                    let text = turn % texts.len();
                    assert_eq!(translate(&texts[text]), alone[text], "{}", texts[text]);
                    answered.fetch_add(1, Ordering::Relaxed);
                    let millis = usize::try_from(begun.elapsed().as_millis()).expect("few");
                    slowest.fetch_max(millis, Ordering::Relaxed);
                }
            });
        }
    });
    let (answered, slowest) = (answered.into_inner(), slowest.into_inner());
    println!(
        "{answered} answers in {} s, the slowest after {slowest} ms",
        secs()
    );
    assert!(answered > 64, "{answered} answers");
}
