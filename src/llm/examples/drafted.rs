//! Measures drafts for a language model: the time of a pass over one token and over several, with the logits of all; how far
//! these logits are from those of single tokens; and the passes of greedy decoding with a draft:
//! `cargo run --release -p canopy-llm --example drafted -- FILE.gguf PROMPT.txt PAIRS.tsv`. A line of the table is what the model
//! writes by itself, and the draft.

use std::error::Error;
use std::time::Instant;

use canopy_llm::{LanguageModel, Specials};

/// Tokens of a pass, at most.
const MOST: usize = 16;

/// Tokens of a draft between which a token of the model is looked for.
const WINDOW: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, prompt, pairs] = &arguments[..] else {
        return Err("name a GGUF file, a file with a prompt, and a table of translations".into());
    };
    let model = LanguageModel::open(file)?;
    let prompt = model
        .tokenizer
        .encode_prompt(&std::fs::read_to_string(prompt)?);
    if prompt.len() < MOST {
        return Err("the prompt is too short".into());
    }
    println!(
        "logits differ by {:.2} at most",
        difference(&model, &prompt)
    );
    let costs = costs(&model, &prompt);
    for tokens in [1, 2, 3, 4, 6, 8, 12, MOST] {
        let cost = costs[tokens - 1];
        println!(
            "{tokens} tokens: {:.2} ms, {:.2} of one",
            1e3 * cost,
            cost / costs[0]
        );
    }
    let text = std::fs::read_to_string(pairs)?;
    let ids = |text: &str| model.tokenizer.encode(text, Specials::AsText, false);
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    let pairs: Vec<_> = pairs.map(|(own, draft)| (ids(own), ids(draft))).collect();
    let tokens: usize = pairs.iter().map(|(own, _)| own.len()).sum();
    let plain = tokens as f64 * costs[0];
    println!(
        "{} translations, {tokens} tokens, {plain:.2} s plainly",
        pairs.len()
    );
    for most in [2, 3, 4, 6, 8, 12, MOST] {
        for (name, by_itself) in [("draft", false), ("its own", true)] {
            let (mut passes, mut secs) = (0, 0.0);
            for (own, draft) in &pairs {
                let draft = if by_itself { own } else { draft };
                let found = simulated(own, draft, most, &costs);
                passes += found.0;
                secs += found.1;
            }
            println!(
                "{name}, {most} tokens at once: {passes} passes, {secs:.2} s, {:.2} times as fast",
                plain / secs
            );
        }
    }
    Ok(())
}

/// The largest difference between the logits behind tokens that are read one by one, and together.
fn difference(model: &LanguageModel, prompt: &[u32]) -> f32 {
    let network = &model.network;
    let (context, last) = prompt.split_at(prompt.len() - MOST / 2);
    let mut cache = network.new_cache();
    network.read_context(context, &mut cache);
    let together = network.read_tokens(last, &mut cache);
    cache.truncate(context.len());
    let mut alone = Vec::new();
    for id in last {
        alone = network.read_tokens(&[*id], &mut cache);
    }
    let differences = alone.iter().zip(&together).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

/// The least time of several passes over 1, 2, … tokens behind a prompt.
fn costs(model: &LanguageModel, prompt: &[u32]) -> Vec<f64> {
    let network = &model.network;
    let mut cache = network.new_cache();
    network.read_context(prompt, &mut cache);
    let length = cache.len();
    let mut costs = vec![f64::INFINITY; MOST];
    for _ in 0..60 {
        for (number, cost) in costs.iter_mut().enumerate() {
            let ids = &prompt[..=number];
            let begin = Instant::now();
            network.read_forced(ids, ids, &mut cache);
            *cost = cost.min(begin.elapsed().as_secs_f64());
            cache.truncate(length);
        }
    }
    costs
}

/// Passes and time of decoding `own` when a draft is offered, at most so many tokens in a pass.
fn simulated(own: &[u32], draft: &[u32], most: usize, costs: &[f64]) -> (usize, f64) {
    let (mut passes, mut secs, mut at, mut place) = (0, 0.0, 0, 0);
    while at < own.len() {
        // The next token is known from the logits; where the draft has it, what follows there is offered.
        let offered = &draft[place.min(draft.len())..];
        let found = offered.iter().take(WINDOW).position(|id| *id == own[at]);
        let mut offered = &offered[..0];
        if let Some(found) = found {
            place += found + 1;
            offered = &draft[place..draft.len().min(place + most - 1)];
        }
        let behind = &own[at + 1..];
        let accepted = behind.iter().zip(offered).take_while(|(a, b)| a == b);
        let accepted = accepted.count();
        passes += 1;
        secs += costs[offered.len()];
        at += 1 + accepted;
        place += accepted;
    }
    (passes, secs)
}
