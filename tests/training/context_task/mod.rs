//! The proof that the mechanisms work: a task that only context can solve.
//!
//! `cargo bench --bench context_task` does the same for every system and three seeds.

mod task;

use task::{CHANCE, Outcome, examine, named};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SEED: u64 = 1;

fn outcome(name: &str) -> Outcome {
    let outcome = examine(named(name), SEED);
    println!("{outcome:?}");
    outcome
}

fn assert_chance(share: f64, what: &str) {
    assert!((share - CHANCE).abs() < 0.08, "{what}: {share:.3} right");
}

fn assert_solved(outcome: &Outcome) {
    let Outcome {
        system, accuracy, ..
    } = outcome;
    assert!(*accuracy > 0.95, "{system}: {accuracy:.3} right");
    let pointing = outcome.pointing.unwrap_or_default();
    assert!(
        pointing > 0.9,
        "{system}: {pointing:.3} point at the decider"
    );
    let left_out = outcome.left_out.unwrap_or_default();
    assert!(
        (left_out - 1.0).abs() < 1e-9,
        "{system}: {left_out:.3} lose most without the decider"
    );
}

#[test]
fn a_sentence_alone_leaves_nothing_but_chance() {
    assert_chance(outcome("sentence-level").accuracy, "sentence-level");
}

/// A window of the source, and translations of the whole document: the bench has the others.
#[test]
fn context_decides_what_the_sentence_does_not() {
    for name in ["han-encoder", "flat-word-decoder"] {
        let outcome = outcome(name);
        assert_solved(&outcome);
        if let Some(beyond) = outcome.beyond {
            assert_chance(beyond, &format!("{name}, beyond its window"));
        }
    }
}
