//! Target tokens a second of a search, beside CTranslate2 with the same weights on the same sentences.
//!
//! `cargo bench --bench decoding -- [small] [base] [large] [int8] [float32] [float16] [--rounds N] [--device gpu]`; the peer runs if
//! `CANOPY_PYTHON` (or `python3`) has ctranslate2, numpy and safetensors. Sentences have 24 words, and both programs write
//! exactly `1.6 · 24 + 10 = 48` words for each: the end of a sentence is made impossible in the weights. Rounds of both
//! alternate; the medians are compared. Burn's layers, the definition, are timed once for each case with `burn`. On a GPU both
//! programs search there, the peer in float32 and float16, Canopy always in float32.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use burn::tensor::Device;
use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::kernels::packed::Quantization;
use canopy::model::{Model, ModelConfig, Preset};
use canopy::search::{SearchOptions, SourceSentence, SourceText, search_sentences};
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{ModelFolder, Precision, load_module, module_tensors, write_tensors};
use serde_json::{Value, json};

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

fn main() {
    canopy::keep_freed_memory();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| arguments.iter().any(|it| it == name);
    let rounds = arguments.iter().position(|it| it == "--rounds");
    let rounds = rounds.and_then(|at| arguments.get(at + 1)?.parse().ok());
    let rounds = rounds.unwrap_or(5);
    let none_of = |names: &[&str]| !names.iter().any(|name| asked(name));
    let (any_system, any_type) = (
        none_of(&["small", "base", "large"]),
        none_of(&["int8", "float32", "float16"]),
    );
    let choice = if asked("gpu") {
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
    for system in SYSTEMS.iter().filter(|it| any_system || asked(it.name)) {
        let (model, config) = endless(system.name, &models, &device);
        let mut peer = Peer::open(&model, &config, is_cpu);
        if peer.is_none() {
            println!("no CTranslate2 found (set CANOPY_PYTHON): no ratios");
        }
        for (kind, quantization) in [
            ("float32", Quantization::None),
            ("int8", Quantization::Int8),
            ("float16", Quantization::None),
        ] {
            let fits = is_cpu == (kind == "int8") || kind == "float32";
            if !fits || !any_type && !asked(kind) {
                continue;
            }
            let packed = model.clone().packed_as(quantization);
            for (sentences, beam) in [
                (1, 1),
                (1, 4),
                (20, 1),
                (20, 4),
                (system.document, 1),
                (system.document, 4),
            ] {
                let case = Case {
                    kind,
                    sentences,
                    beam,
                    vocab: config.vocab_size,
                };
                let burn = (asked("burn") && kind == "float32").then_some(&model);
                case.run(
                    system.name,
                    (&packed, burn),
                    vocabulary,
                    peer.as_mut(),
                    rounds,
                );
            }
        }
    }
}

/// A model that never ends a sentence.
fn endless(name: &str, small: &Path, device: &Device) -> (Model, ModelConfig) {
    let preset = Preset::named("x-transformer-small").expect("a preset");
    let (config, model) = if name == "small" {
        let folder = ModelFolder::open(small).expect("a shipped model");
        let (model, _) = folder.load(small, device).expect("a shipped model");
        (folder.model, model)
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
        (config, model)
    };
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
    let model = load_module(model, tensors, Path::new("weights")).expect("the same parameters");
    (model, config)
}

/// Sentences to translate, and how.
struct Case {
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

    fn run(
        &self,
        system: &str,
        (packed, burn): (&Model, Option<&Model>),
        vocabulary: &Vocabulary,
        mut peer: Option<&mut Peer>,
        rounds: usize,
    ) {
        let sources = self.sources();
        let (mut ours, mut theirs, mut agreeing) = (Vec::new(), Vec::new(), 0);
        // The first round warms both up.
        for round in 0..=rounds {
            let (rate, found) = translated(packed, vocabulary, &sources, self.beam);
            if round > 0 {
                ours.push(rate);
            }
            let Some(peer) = peer.as_deref_mut() else {
                continue;
            };
            let (rate, others) = peer.translated(self, &sources);
            if round > 0 {
                theirs.push(rate);
            }
            agreeing = found.iter().zip(&others).filter(|(a, b)| a == b).count();
        }
        let own = median(&mut ours);
        let Self {
            kind,
            sentences,
            beam,
            ..
        } = self;
        print!("{system:>6} {kind:>8} beam {beam}, {sentences:>5} sentences: {own:>8.0} tokens/s");
        if !theirs.is_empty() {
            let their = median(&mut theirs);
            print!(
                ", CTranslate2 {their:>8.0}, ratio {:.2}, {agreeing} translations the same",
                own / their
            );
        }
        if let Some(burn) = burn {
            let (rate, _) = translated(burn, vocabulary, &sources, self.beam);
            print!(", burn {rate:.0}");
        }
        println!();
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
    let text = SourceText::of_sentences(sentences.collect());
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut found = vec![Vec::new(); sources.len()];
    let begun = Instant::now();
    search_sentences(
        model,
        vocabulary,
        &text,
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

/// CTranslate2 in a process of its own.
struct Peer {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Peer {
    fn open(model: &Model, config: &ModelConfig, on_cpu: bool) -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let [weights, sizes] =
            ["weights.safetensors", "config.json"].map(|it| folder.path().join(it));
        write_tensors(&weights, &module_tensors(model), Precision::Full).ok()?;
        let description = json!({
            "num_heads": config.num_heads,
            "d_model": config.d_model,
            "encoder": config.encoder.to_string(),
            "num_decoder_layers": config.num_decoder_layers,
            "vocab_size": config.vocab_size,
        });
        std::fs::write(&sizes, description.to_string()).ok()?;
        let python = std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/decoding.py");
        let mut process = Command::new(python)
            .arg(script)
            .arg(weights)
            .arg(sizes)
            .arg(if on_cpu { "cpu" } else { "cuda" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (requests, answers) = (
            process.stdin.take()?,
            BufReader::new(process.stdout.take()?),
        );
        let mut peer = Self {
            process,
            requests,
            answers,
            _folder: folder,
        };
        let version = peer.answer()?;
        println!("CTranslate2 {}", version["ctranslate2"]);
        Some(peer)
    }

    fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    fn translated(&mut self, case: &Case, sources: &[Vec<u32>]) -> (f64, Vec<Vec<u32>>) {
        let request = json!({
            "type": case.kind,
            "beam": case.beam,
            "batch": 64 / case.beam,
            "length": LENGTH,
            "sentences": sources,
        });
        writeln!(self.requests, "{request}").expect("the peer listens");
        let answer = self.answer().expect("the peer answers");
        let seconds = answer["seconds"].as_f64().expect("a time");
        let tokens = answer["tokens"].as_f64().expect("a count");
        let ids = serde_json::from_value(answer["ids"].clone()).expect("ids");
        (tokens / seconds, ids)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
