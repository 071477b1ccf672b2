//! Target tokens a second of a search, compared with CTranslate2 and Marian with the same weights on the same sentences.
//!
//! `cargo bench --bench decoding -- [small] [base] [large] [int8] [float32] [float16] [marian] [shortlist] [--rounds N]
//! [--device gpu]`; a peer runs if `CANOPY_PYTHON` (or `python3`) has ctranslate2 or pymarian, numpy and safetensors.
//! Sentences have 24 words, and all programs write exactly `1.6 · 24 + 10 = 48` words for each: the end of a sentence is
//! made impossible in the weights. Rounds of all alternate; the medians are compared. Burn's layers, the definition, are
//! timed once for each case with `burn`. On a GPU both search in float32 and float16. With `shortlist` Canopy runs once
//! more with lists of 100 words for each source word and 200 for all; which ones does not matter here.
//!
//! `--figure FILE.svg` draws the tokens a second of documents of 1 to 200 sentences in place of the table. `documents
//! [PRESET] [--longest N]` measures the cost of a sentence in systems that read the document, next to the sentence-level
//! one. `firefox --model DIR --text FILE` compares a model of Firefox's with Firefox's engine on the lines of a text.

mod documents;
mod figure;
mod firefox;
mod peer;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use burn::tensor::Device;
use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::kernels::packed::Quantization;
use canopy::memory::Shortlist;
use canopy::model::{Model, ModelConfig, Preset};
use canopy::search::{SearchOptions, SourceSentence, SourceText, search_sentences};
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{ModelFolder, load_module, module_tensors};

use figure::Line;
use peer::Peer;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Words of every sentence.
const WORDS: usize = 24;
/// Words of every translation: what the search allows for `WORDS`.
const LENGTH: usize = 48;

/// A model by its name, with how many sentences make a long document.
struct System {
    name: &'static str,
    document: usize,
}

const SYSTEMS: [System; 3] = [
    System {
        name: "small",
        document: 1_000,
    },
    System {
        name: "base",
        document: 200,
    },
    System {
        name: "large",
        document: 100,
    },
];

/// Sentences of the documents of the figure.
const DOCUMENTS: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];

fn main() {
    canopy::never_purge_memory();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_requested = |name: &str| arguments.iter().any(|it| it == name);
    let option = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.get(at + 1).cloned()
    };
    let rounds = option("--rounds").and_then(|rounds| rounds.parse().ok());
    let rounds = rounds.unwrap_or(5);
    let figure = option("--figure");
    if is_requested("firefox") {
        let [model, text] = ["--model", "--text"].map(|name| option(name).expect(name));
        firefox::run(Path::new(&model), Path::new(&text), rounds);
        return;
    }
    let none_of = |names: &[&str]| !names.iter().any(|name| is_requested(name));
    let (any_system, any_type) = (
        none_of(&["small", "base", "large"]),
        none_of(&["int8", "float32", "float16"]),
    );
    let choice = if is_requested("gpu") {
        DeviceChoice::Gpu
    } else {
        DeviceChoice::Cpu
    };
    let device = ComputeDevice::open(choice).expect("the device");
    println!(
        "{}, {rounds} rounds, {LENGTH} target tokens a sentence",
        device.name
    );
    let is_cpu = device.is_cpu();
    let device = device.device;
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/help-en-de");
    let (_, vocabulary) = ModelFolder::open(&models)
        .and_then(|folder| folder.load(&models, &Device::flex()))
        .expect("a shipped model");
    let vocabulary = vocabulary.own().expect("our own");
    if is_requested("documents") {
        let longest = option("--longest").and_then(|longest| longest.parse().ok());
        documents::run(
            &is_requested,
            longest.unwrap_or(2_000),
            rounds,
            vocabulary,
            &device,
        );
        return;
    }
    let mut lines: Vec<Line> = Vec::new();
    for system in SYSTEMS
        .iter()
        .filter(|it| any_system || is_requested(it.name))
    {
        let (model, config) = endless(system.name, &models, &device);
        let mut peers = Peer::all(&model, &config, is_cpu, |key| {
            key != "marian" || is_cpu && is_requested(key)
        });
        for (kind, quantization) in [
            ("float32", Quantization::None),
            ("int8", Quantization::Int8),
            ("float16", Quantization::Float16),
        ] {
            let fits = is_cpu == (kind == "int8") || kind == "float32";
            if !fits || !any_type && !is_requested(kind) {
                continue;
            }
            let packed = model.clone().packed_as(quantization);
            let cases: Vec<(usize, usize)> = if figure.is_some() {
                DOCUMENTS.map(|sentences| (sentences, 4)).into()
            } else {
                let document = [1, 20, system.document];
                let cases = document.map(|sentences| [(sentences, 1), (sentences, 4)]);
                cases.concat()
            };
            for (sentences, beam) in cases {
                let case = Case {
                    system: system.name,
                    kind,
                    sentences,
                    beam,
                    vocab: config.vocab_size,
                };
                let burn = (is_requested("burn") && kind == "float32").then_some(&model);
                let rates = case.run((&packed, burn), vocabulary, &mut peers, rounds);
                Line::push_case(&mut lines, &case, &rates);
                if is_requested("shortlist") {
                    let mut listed = packed.clone();
                    listed.shortlist = Some(Arc::new(shortlist(config.vocab_size)));
                    print!("with a shortlist");
                    case.run((&listed, None), vocabulary, &mut [], rounds);
                }
            }
        }
    }
    if let Some(path) = figure {
        figure::draw(&lines, Path::new(&path)).expect("a figure");
    }
}

/// A model that never ends a sentence.
fn endless(name: &str, small: &Path, device: &Device) -> (Model, ModelConfig) {
    let preset = Preset::named("x-transformer-small").expect("a preset");
    if name == "small" {
        let folder = ModelFolder::open(small).expect("a shipped model");
        let (model, _) = folder.load(small, device).expect("a shipped model");
        (without_end(model, &folder.model), folder.model)
    } else {
        let config = ModelConfig {
            d_model: 512,
            d_ff: 2_048,
            num_heads: 8,
            encoder: "sf-sf-sf-sf-sf-sf".parse().expect("a layout"),
            num_decoder_layers: 6,
            ..preset.config(if name == "base" { 8_000 } else { 58_101 })
        };
        let model = Model::seeded(&config, 1, device).expect("a model");
        (without_end(model, &config), config)
    }
}

/// A list of words that are as good as random.
fn shortlist(vocab: usize) -> Shortlist {
    let vocab = u32::try_from(vocab).expect("small");
    let list = |word: u32| {
        let count = if word == Vocabulary::EOS { 300 } else { 100 };
        let place = move |place: u32| word.wrapping_mul(2_654_435_761) ^ place.wrapping_mul(40_503);
        (0..count).map(|it| place(it) % vocab).collect()
    };
    Shortlist::from_lists((0..vocab).map(list))
}

/// Makes the end of a sentence impossible.
fn without_end(model: Model, config: &ModelConfig) -> Model {
    // The last norm writes 1 into the first column, of which the end alone has a share, a negative one.
    let d_model = config.d_model;
    let mut tensors = module_tensors(&model);
    let last = format!("decoder.layers.{}.norm_ff", config.num_decoder_layers - 1);
    let mut set = |name: &str, at: usize, value: f32| {
        let tensor = tensors.iter_mut().find(|(it, _)| it.ends_with(name));
        tensor.expect("a parameter").1.1[at] = value;
    };
    for id in 0..config.vocab_size {
        set("embedding.words", id * d_model, 0.0);
    }
    set(
        "embedding.words",
        Vocabulary::EOS as usize * d_model,
        -100.0,
    );
    set(&format!("{last}.gamma"), 0, 0.0);
    set(&format!("{last}.beta"), 0, 1.0);
    load_module(model, tensors, Path::new("weights")).expect("the same parameters")
}

/// Sentences to translate, and how.
struct Case {
    system: &'static str,
    kind: &'static str,
    sentences: usize,
    beam: usize,
    vocab: usize,
}

impl Case {
    fn sources(&self) -> Vec<Vec<u32>> {
        let word = |sentence: usize, word: usize| {
            let id =
                300 + (sentence * 31 + word * 17 + sentence * word) % (self.vocab.min(8_000) - 300);
            u32::try_from(id).expect("small")
        };
        (0..self.sentences)
            .map(|sentence| (0..WORDS).map(|place| word(sentence, place)).collect())
            .collect()
    }

    /// Prints and gives the tokens a second of every program, Canopy first.
    fn run(
        &self,
        (packed, burn): (&Model, Option<&Model>),
        vocabulary: &Vocabulary,
        peers: &mut [Peer],
        rounds: usize,
    ) -> Vec<(&'static str, f64)> {
        let sources = self.sources();
        let mut peers: Vec<(&mut Peer, Vec<f64>, usize)> = peers
            .iter_mut()
            .filter(|peer| peer.takes(self.kind))
            .map(|peer| (peer, Vec::new(), 0))
            .collect();
        let mut ours = Vec::new();
        // The first round warms all up.
        for round in 0..=rounds {
            let (rate, found) = translated(packed, vocabulary, &sources, self.beam);
            if round > 0 {
                ours.push(rate);
            }
            for (peer, rates, agreeing) in &mut peers {
                let (rate, others) = peer.translated(self, &sources);
                if round > 0 {
                    rates.push(rate);
                }
                *agreeing = found.iter().zip(&others).filter(|(a, b)| a == b).count();
            }
        }
        let own = median(&mut ours);
        let Self {
            system,
            kind,
            sentences,
            beam,
            ..
        } = self;
        print!("{system:>6} {kind:>8} beam {beam}, {sentences:>5} sentences: {own:>8.0} tokens/s");
        let mut medians = vec![("Canopy", own)];
        for (peer, rates, agreeing) in &mut peers {
            let their = median(rates);
            print!(", {} {their:>8.0}, ratio {:.2}", peer.name, own / their);
            if peer.name == "CTranslate2" {
                print!(", {agreeing} translations the same");
            }
            medians.push((peer.name, their));
        }
        if let Some(burn) = burn {
            let (rate, _) = translated(burn, vocabulary, &sources, self.beam);
            print!(", burn {rate:.0}");
        }
        println!();
        medians
    }
}

/// Target tokens a second, and the translations.
fn translated(
    model: &Model,
    vocabulary: &Vocabulary,
    sources: &[Vec<u32>],
    beam_size: usize,
) -> (f64, Vec<Vec<u32>>) {
    let sentences = sources.iter().map(|ids| SourceSentence {
        ids: ids.clone(),
        position: (0, 0),
    });
    let text = SourceText::from_sentences(sentences.collect());
    searched(model, vocabulary, &text, beam_size)
}

fn searched(
    model: &Model,
    vocabulary: &Vocabulary,
    text: &SourceText,
    beam_size: usize,
) -> (f64, Vec<Vec<u32>>) {
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut found = vec![Vec::new(); text.sentences.len()];
    let begun = Instant::now();
    search_sentences(
        model,
        vocabulary,
        text,
        &options,
        &mut |number, hypothesis| {
            found[number] = hypothesis.ids;
            ControlFlow::Continue(())
        },
    )
    .expect("probabilities");
    let seconds = begun.elapsed().as_secs_f64();
    assert!(
        found.iter().all(|ids| ids.len() == LENGTH),
        "forced lengths"
    );
    let tokens: usize = found.iter().map(Vec::len).sum();
    #[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
    let rate = tokens as f64 / seconds;
    (rate, found)
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
