//! Continuations that are written together are those that are written one after the other.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use canopy_llm::{Cost, Generated, Generation, LanguageModel, Sampling, Session, Specials};

fn session(folder: &str) -> Session {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/folders");
    let model = LanguageModel::open(data.join(folder)).expect("a model");
    Session::new(Arc::new(model))
}

/// A greedy one, and some that are drawn.
fn generations() -> Vec<Generation> {
    let drawn = (0..4).map(|seed| {
        Some(Sampling {
            temperature: 0.8,
            top_p: 0.95,
            seed,
        })
    });
    let all = [None].into_iter().chain(drawn).enumerate();
    let generation = |(number, sampling)| Generation {
        max_tokens: 12 - number,
        sampling,
        ..Generation::default()
    };
    all.map(generation).collect()
}

fn go_on(_: Cost) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn continuations_written_together_are_those_written_one_by_one() {
    // Rotated and relative positions, windows, shared heads, an encoder.
    for folder in ["llama", "gemma3", "qwen3", "madlad"] {
        let mut together = session(folder);
        let tokenizer = &together.model().tokenizer;
        let text = "The bank by the river opens at nine, and the key is in the bank.";
        let prompt = tokenizer.encode(text, Specials::AsText, true);
        let generations = generations();
        let found = together.continue_prompt_each(&prompt, &generations, &mut go_on);
        let found = found.expect("room").expect("all of them");
        let mut alone = session(folder);
        let expected: Vec<Generated> = generations
            .iter()
            .map(|it| {
                let one = alone.continue_prompt(&prompt, it, &mut go_on);
                one.expect("room").expect("all of it")
            })
            .collect();
        assert!(
            expected.iter().any(|it| it.ids != expected[0].ids),
            "{folder}: all alike"
        );
        for (one, other) in found.iter().zip(&expected) {
            assert_eq!(one.ids, other.ids, "{folder}");
            assert_eq!(
                (&one.text, one.ended),
                (&other.text, other.ended),
                "{folder}"
            );
            assert!((one.log_prob - other.log_prob).abs() < 1e-3, "{folder}");
        }
        let written = [&together, &alone].map(|it| it.cost().written);
        assert_eq!(written[0], written[1], "{folder}");
        // What was written belongs to none of the prompts that follow.
        let again = together.continue_prompt(&prompt, &generations[0], &mut go_on);
        assert_eq!(
            again.expect("room").expect("all of it").ids,
            expected[0].ids
        );
        let mut tokens = 0;
        let broken = together.continue_prompt_each(&prompt, &generations, &mut |_| {
            tokens += 1;
            if tokens > 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(broken.expect("room"), None, "{folder}");
    }
}
