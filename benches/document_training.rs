//! Target tokens a second of a training step of systems that read documents, compared with PyTorch on the same batches.
//!
//! `cargo bench --bench document_training -- [SYSTEM …] [--device gpu] [--rounds N]`; the peer runs if `CANOPY_PYTHON` (or
//! `python3`) has torch, and on a GPU if that is one of CUDA's.

#[path = "support/peer.rs"]
mod peer;

use std::ops::Range;
use std::time::Instant;

use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::kernels::DropoutSource;
use canopy::model::{Model, Preset};
use canopy::training::{Adam, Example, ExampleSet};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As `document_peer.py` calls them.
const SYSTEMS: [&str; 4] = [
    "concatenation",
    "han-encoder",
    "selective",
    "hierarchical-conditional",
];
/// Documents, sentences of each, and tokens of these.
const SHAPES: [(&str, usize, usize, Range<usize>); 3] = [
    ("4 × 25 × 25", 4, 25, 25..26),
    ("1 × 100 × 25", 1, 100, 25..26),
    ("8 × 12 × 4 to 40", 8, 12, 4..41),
];

fn main() {
    canopy::never_purge_memory();
    let arguments: Vec<String> = std::env::args().collect();
    let is_requested = |name: &str| arguments.iter().any(|argument| argument == name);
    let (choice, device, rounds) = if is_requested("gpu") {
        // Burn learns in the first rounds which operations to fuse.
        (DeviceChoice::Gpu, Some("cuda"), 20)
    } else {
        (DeviceChoice::Cpu, None, 5)
    };
    let option = arguments.iter().position(|argument| argument == "--rounds");
    let option = option.and_then(|at| arguments.get(at + 1)?.parse().ok());
    let rounds = option.unwrap_or(rounds);
    let compute = ComputeDevice::open(choice).expect("the device");
    println!("device: {}", compute.name);
    let peer = peer(device);
    let device = compute.device.clone().autodiff();
    let all = !SYSTEMS.into_iter().any(is_requested);
    if peer.is_none() {
        println!("no PyTorch found (set CANOPY_PYTHON): no ratios");
    }
    for system in SYSTEMS
        .into_iter()
        .filter(|system| all || is_requested(system))
    {
        let preset = Preset::named(&format!("{system}-small")).expect("a preset");
        let mut model = Model::new(&preset.config(8_000), &device).expect("a model");
        let mut adam = Adam::default();
        for (index, (name, ..)) in SHAPES.iter().enumerate() {
            let set = examples(index);
            let batch = set.batch(&set.documents);
            let mut best = 0.0_f64;
            for round in 0..rounds {
                let begun = Instant::now();
                let drop = DropoutSource::new(0.1, round);
                let mut gradients = model.loss(&batch, 0.1, &drop).backward();
                model = adam.update(model, &mut gradients, 1e-4, None).0;
                compute.device.sync().expect("the device works");
                best = best.max(per_second(batch.labels.len(), begun));
            }
            let peer = peer.as_ref().and_then(|peer| peer[system][index].as_f64());
            let peer = peer.map_or_else(String::new, |peer| {
                format!(", PyTorch {peer:>6.0}, ratio {:.2}", best / peer)
            });
            println!("{system:>24} {name:>17}: {best:>6.0} tokens/s{peer}");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
fn per_second(tokens: usize, begun: Instant) -> f64 {
    tokens as f64 / begun.elapsed().as_secs_f64()
}

fn examples(shape: usize) -> ExampleSet {
    let (_, documents, sentences, ref lengths) = SHAPES[shape];
    let ids = |sentence: usize| -> Vec<u32> {
        let len = lengths.start + sentence * 11 % lengths.len();
        (0..len)
            .map(|word| 40 + u32::try_from((sentence * 31 + word * 17) % 7_900).expect("small"))
            .collect()
    };
    let example = |number| Example {
        source: ids(number),
        target: ids(number),
        place: (0, number % sentences),
        headings: [0; 3],
        counts: true,
    };
    let whole = (0..documents).map(|document| document * sentences..(document + 1) * sentences);
    ExampleSet {
        examples: (0..documents * sentences).map(example).collect(),
        documents: whole.collect(),
        ..ExampleSet::default()
    }
}

/// Measurements of the peer on the same batches.
fn peer(device: Option<&str>) -> Option<Value> {
    let batches = (0..SHAPES.len()).map(|shape| {
        let ExampleSet {
            examples,
            documents,
            ..
        } = examples(shape);
        let pair = |example: &Example| json!({"source": example.source, "target": example.target});
        let documents = documents
            .into_iter()
            .map(|range| examples[range].iter().map(pair).collect::<Vec<_>>());
        json!({"documents": documents.collect::<Vec<_>>()})
    });
    let batches: Vec<Value> = batches.collect();
    peer::measured("document_peer.py", &batches, device)
}
