//! The cost of a sentence in systems that read the document, next to the sentence-level one: one document of many sentences.

use std::path::Path;

use burn::tensor::Device;
use canopy::kernels::packed::Quantization;
use canopy::model::{Model, Preset};
use canopy::search::{SourceSentence, SourceText};
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{load_module, module_tensors};

use crate::{Case, LENGTH, median, searched, without_end};

/// The sentence-level system, and those that are compared with it.
const PRESETS: [&str; 15] = [
    "x-transformer-small",
    "conditional-small",
    "hierarchical-conditional-small",
    "hierarchical-encoding-small",
    "flat-sentence-small",
    "flat-word-small",
    "selective-small",
    "selective-online-small",
    "selective-decoder-small",
    "han-encoder-small",
    "han-decoder-small",
    "han-small",
    "concatenation-small",
    "zhang-small",
    "qcn-small",
];

const BEAM: usize = 4;
const VOCAB: usize = 8_000;

/// Prints milliseconds a sentence of the requested systems, or of all, with random weights.
pub fn run(
    is_requested: &impl Fn(&str) -> bool,
    longest: usize,
    rounds: usize,
    vocabulary: &Vocabulary,
    device: &Device,
) {
    let any = !PRESETS.iter().any(|name| is_requested(name));
    let quantization = if is_requested("int8") {
        Quantization::Int8
    } else {
        Quantization::None
    };
    let models = PRESETS.iter().enumerate();
    let models = models.filter(|(number, name)| *number == 0 || any || is_requested(name));
    let models = models.map(|(_, name)| {
        let config = Preset::named(name).expect("a preset").config(VOCAB);
        let seeded = |device: &Device| Model::seeded(&config, 1, device).expect("a model");
        // The same weights on every device: others may end a sentence where the decoder reads more than its own.
        let model = without_end(seeded(&Device::flex()), &config);
        let model = load_module(seeded(device), module_tensors(&model), Path::new("weights"));
        let model = model.expect("the same parameters");
        (*name, model.packed_as(quantization))
    });
    let models: Vec<(&str, Model)> = models.collect();
    for sentences in [20, 200, 2_000].into_iter().filter(|it| *it <= longest) {
        let text = document(sentences);
        let mut rates = vec![Vec::new(); models.len()];
        for _ in 0..rounds {
            for ((_, model), rates) in models.iter().zip(&mut rates) {
                rates.push(searched(model, vocabulary, &text, BEAM).0);
            }
        }
        let medians: Vec<f64> = rates.iter_mut().map(|rates| median(rates)).collect();
        for ((name, _), rate) in models.iter().zip(&medians) {
            #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
            let milliseconds = LENGTH as f64 / rate * 1_000.0;
            let ratio = medians[0] / rate;
            println!(
                "{name:>32} beam {BEAM}, {sentences:>5} sentences: {milliseconds:>8.1} ms a sentence, ratio {ratio:.2}"
            );
        }
    }
}

fn document(sentences: usize) -> SourceText {
    let case = Case {
        system: "",
        kind: "",
        sentences,
        beam: BEAM,
        vocab: VOCAB,
    };
    let numbered = case.sources().into_iter().enumerate();
    let sentence = |(number, ids)| SourceSentence {
        ids,
        position: (0, number),
    };
    SourceText {
        documents: std::iter::once(0..sentences).collect(),
        ..SourceText::from_sentences(numbered.map(sentence).collect())
    }
}
