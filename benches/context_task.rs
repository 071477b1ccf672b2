//! Every system on a task that only context can solve: accuracy, attention to the deciding sentence, time.
//!
//! `cargo bench --bench context_task -- [--system NAME]… [--seeds 7-9] [--json FILE]`

#[path = "../tests/training/context_task/task/mod.rs"]
mod context_task;

use std::ops::RangeInclusive;

use context_task::{Outcome, SYSTEMS, System, examine, named};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Options of the command line.
struct Arguments {
    systems: Vec<&'static System>,
    seeds: RangeInclusive<u64>,
    json: Option<String>,
}

impl Arguments {
    fn from_env() -> Self {
        let mut parsed = Self {
            systems: Vec::new(),
            // The settings were chosen on 1 to 6.
            seeds: 7..=9,
            json: None,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().expect("a value after the option");
            match argument.as_str() {
                "--system" => parsed.systems.push(named(&value())),
                "--seeds" => {
                    let value = value();
                    let ends = value.split_once('-').unwrap_or((&value, &value));
                    let [first, last] =
                        [ends.0, ends.1].map(|end| end.parse().expect("such as 7-9"));
                    parsed.seeds = first..=last;
                }
                "--json" => parsed.json = Some(value()),
                // Cargo's own.
                "--bench" => {}
                other => panic!("no option {other}"),
            }
        }
        if parsed.systems.is_empty() {
            parsed.systems = SYSTEMS.iter().collect();
        }
        parsed
    }
}

fn main() {
    canopy::never_purge_memory();
    let parsed = Arguments::from_env();
    let mut outcomes = Vec::new();
    println!(
        "{:36} seed   right   alone  beyond  points left out  steps  seconds",
        "system"
    );
    for system in &parsed.systems {
        for seed in parsed.seeds.clone() {
            let outcome = examine(system, seed);
            print(&outcome);
            outcomes.push(outcome);
        }
    }
    if let Some(path) = parsed.json {
        let text = serde_json::to_string_pretty(&outcomes).expect("plain numbers");
        std::fs::write(path, text).expect("the file can be written");
    }
}

fn print(outcome: &Outcome) {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let if_any = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
    println!(
        "{:36} {:>4} {:>7} {:>7} {:>7} {:>7} {:>8} {:>6} {:>8.1}",
        outcome.system,
        outcome.seed,
        percent(outcome.accuracy),
        percent(outcome.alone),
        if_any(outcome.beyond),
        if_any(outcome.pointing),
        if_any(outcome.left_out),
        outcome.steps,
        outcome.seconds,
    );
}
