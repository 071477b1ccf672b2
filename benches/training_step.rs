//! Target tokens a second of a training step and of greedy decoding, compared with PyTorch on the same batches.
//!
//! `cargo bench --bench training_step -- [--device gpu] [float16]`, products of 16 bits if requested; the peer runs if
//! `CANOPY_PYTHON` (or `python3`) has torch.

#[path = "support/peer.rs"]
mod peer;

use std::time::Instant;

use burn::module::Module;
use burn::tensor::FloatDType;
use canopy::inference::{ComputeDevice, DeviceChoice};
use canopy::kernels::{DropoutSource, with_matmul_dtype};
use canopy::model::{Batch, Model, Network, Preset};
use canopy::training::{Adam, Example, ExampleSet};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Sentences and tokens in each: long ones, short ones, and a mixture as a real batch has it.
const SHAPES: [(&str, usize, usize, usize); 3] = [
    ("48 × 85", 48, 85, 85),
    ("128 × 32", 128, 32, 32),
    ("96 × 4 to 60", 96, 4, 60),
];
const DECODE_STEPS: usize = 24;

fn main() {
    canopy::never_purge_memory();
    let is_requested = |name: &str| std::env::args().any(|argument| argument == name);
    let gpu = is_requested("gpu");
    let products = is_requested("float16").then_some(FloatDType::F16);
    let choice = if gpu {
        DeviceChoice::Gpu
    } else {
        DeviceChoice::Cpu
    };
    let compute = ComputeDevice::open(choice).expect("the device");
    println!("device: {}", compute.name);
    let device = compute.device.clone().autodiff();
    let config = Preset::named("x-transformer-small")
        .expect("a preset")
        .config(8_000);
    let mut model = Model::new(&config, &device).expect("a model");
    let mut adam = Adam::default();
    let peer = peer(match (gpu, products.is_some()) {
        (false, _) => None,
        (true, false) => Some("cuda"),
        (true, true) => Some("cuda-float16"),
    });
    if peer.is_none() {
        println!("no PyTorch found (set CANOPY_PYTHON): no ratios");
    }
    for (index, &(name, ..)) in SHAPES.iter().enumerate() {
        let examples = examples(index);
        let runs: Vec<_> = (0..examples.len())
            .map(|number| number..number + 1)
            .collect();
        let set = ExampleSet {
            documents: runs.clone(),
            examples,
            ..ExampleSet::default()
        };
        let batch = set.batch(&runs);
        let (mut training, mut decoding) = (0.0_f64, 0.0_f64);
        // On a GPU burn learns in the first rounds which operations to fuse.
        for round in 0..if gpu { 20 } else { 5 } {
            let begun = Instant::now();
            let drop = DropoutSource::new(0.1, round);
            let mut gradients =
                with_matmul_dtype(products, || model.loss(&batch, 0.1, &drop).backward());
            model = adam.update(model, &mut gradients, 1e-4, None).0;
            compute.device.sync().expect("the device works");
            training = training.max(per_second(batch.labels.len(), begun));
        }
        let plain = model.valid();
        for _ in 0..2 {
            let begun = Instant::now();
            decode(&plain, &batch);
            decoding = decoding.max(per_second(runs.len() * DECODE_STEPS, begun));
        }
        report(
            name,
            "training",
            training,
            peer.as_ref()
                .map(|peer| &peer["batches"][index]["training"]),
        );
        report(
            name,
            "decoding",
            decoding,
            peer.as_ref()
                .map(|peer| &peer["batches"][index]["decoding"]),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
fn per_second(tokens: usize, begun: Instant) -> f64 {
    tokens as f64 / begun.elapsed().as_secs_f64()
}

fn report(name: &str, what: &str, ours: f64, peer: Option<&Value>) {
    match peer.and_then(Value::as_f64) {
        Some(peer) => println!(
            "{name:>14} {what}: {ours:>7.0} tokens/s, PyTorch {peer:>7.0}, ratio {:.2}",
            ours / peer
        ),
        None => println!("{name:>14} {what}: {ours:>7.0} tokens/s"),
    }
}

fn examples(shape: usize) -> Vec<Example> {
    let (_, sentences, shortest, longest) = SHAPES[shape];
    let ids = |sentence: usize| -> Vec<u32> {
        let len = shortest + sentence * 37 % (longest - shortest + 1);
        (0..len)
            .map(|word| 40 + u32::try_from((sentence * 31 + word * 17) % 7_900).expect("small"))
            .collect()
    };
    let example = |sentence| Example {
        source: ids(sentence),
        target: ids(sentence),
        place: (0, 0),
        headings: [0; 3],
        counts: true,
    };
    (0..sentences).map(example).collect()
}

/// Greedy decoding of a fixed number of words.
fn decode(model: &Model, batch: &Batch) {
    let Network::Transformer(network) = &model.network else {
        return;
    };
    let encoded = network.encode(&batch.source, None, &DropoutSource::none());
    let mut state = network.start(&encoded, network.decoder.prepare(&encoded));
    let mut last = vec![2_u32; batch.source.sentences.len()];
    for _ in 0..DECODE_STEPS {
        let best: Vec<i32> = network
            .step(&mut state, &last)
            .argmax(1)
            .into_data()
            .iter::<i32>()
            .collect();
        last = best
            .into_iter()
            .map(|id| u32::try_from(id).expect("ids are not negative"))
            .collect();
    }
}

/// Measurements of the peer on the same batches.
fn peer(device: Option<&str>) -> Option<Value> {
    let batches: Vec<Value> = (0..SHAPES.len())
        .map(|shape| {
            let (sources, targets): (Vec<_>, Vec<_>) = examples(shape)
                .into_iter()
                .map(|example| (example.source, example.target))
                .unzip();
            json!({"source": sources, "target": targets, "decode_steps": DECODE_STEPS})
        })
        .collect();
    peer::measured("peer.py", &batches, device)
}
