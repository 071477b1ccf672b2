//! A model and a corpus so small that a test makes them in a moment, the same ones every time.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use burn::tensor::Device;
use canopy::corpus::{
    Corpus, CorpusInfo, CorpusWriter, ParallelDocument, ParallelParagraph, Split, Unit,
};
use canopy::model::{
    Architecture, Counting, MemorySource, Model, ModelConfig, Network, NormPosition, Positions,
    SpecialTokens, Transformer, Variant,
};
use canopy::text::document::{ParagraphKind, Section};
use canopy::text::placeholder::Placeholder;
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{Languages, ModelFolder, Precision, load_module, module_tensors};
use tempfile::TempDir;

/// How many subwords the vocabulary has: the bytes, the special tokens and a few merges.
pub const VOCAB: usize = 340;

/// Sentences longer than this are translated in parts.
pub const MAX_TOKENS: usize = 24;

pub fn device() -> Device {
    Device::flex()
}

/// To be held while random weights are drawn: all tests of a program share one generator.
pub fn random_numbers() -> MutexGuard<'static, ()> {
    static GENERATOR: Mutex<()> = Mutex::new(());
    GENERATOR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Three dozen sentences in two languages.
pub fn pairs() -> Vec<(String, String)> {
    let verbs = [
        ("Open", "Öffnen"),
        ("Close", "Schließen"),
        ("Save", "Speichern"),
        ("Print", "Drucken"),
        ("Copy", "Kopieren"),
        ("Delete", "Löschen"),
    ];
    let nouns = [
        ("file", "die Datei"),
        ("page", "die Seite"),
        ("table", "die Tabelle"),
        ("window", "das Fenster"),
        ("image", "das Bild"),
        ("cell", "die Zelle"),
    ];
    let pair = |(verb, noun): ((&str, &str), (&str, &str))| {
        (
            format!("{} the {}.", verb.0, noun.0),
            format!("{} Sie {}.", verb.1, noun.1),
        )
    };
    verbs
        .into_iter()
        .flat_map(|verb| nouns.into_iter().map(move |noun| pair((verb, noun))))
        .collect()
}

pub fn vocabulary() -> Vocabulary {
    let texts = pairs()
        .into_iter()
        .flat_map(|(source, target)| [source, target]);
    let vocabulary = Vocabulary::train(texts, VOCAB).expect("large enough");
    assert_eq!(vocabulary.len(), VOCAB);
    vocabulary
}

pub fn config() -> ModelConfig {
    ModelConfig {
        vocab_size: VOCAB,
        d_model: 16,
        d_ff: 32,
        num_heads: 2,
        encoder: "s-sf".parse().expect("valid"),
        num_decoder_layers: 1,
        dropout: 0.1,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: false,
        max_tokens: MAX_TOKENS,
        architecture: Architecture::Transformer,
        context: None,
        memory: MemorySource::Live,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    }
}

/// The kinds of model there are: both places of the norms, own and common embeddings, both kinds of positions.
pub fn kinds() -> Vec<ModelConfig> {
    let multi_level = Positions::MultiLevel {
        words: 64,
        sentences: 3,
        paragraphs: 4,
        headings: 0,
        counting: Counting::Restarting,
    };
    let mut kinds = Vec::new();
    for norm in [NormPosition::Post, NormPosition::Pre] {
        for tied_embeddings in [false, true] {
            for positions in [Positions::Sinusoidal, multi_level] {
                kinds.push(ModelConfig {
                    norm,
                    tied_embeddings,
                    positions,
                    ..config()
                });
            }
        }
    }
    kinds
}

/// A model with random weights, every one of them drawn.
pub fn model(config: &ModelConfig, seed: u64, device: &Device) -> Model {
    let _alone = random_numbers();
    Model::seeded(config, seed, device).expect("a valid configuration")
}

/// The network of a sentence-level model.
pub fn transformer(model: &Model) -> &Transformer {
    match &model.network {
        Network::Transformer(transformer) => transformer,
        Network::RnnSearch(_) => panic!("a recurrent model"),
    }
}

/// An untrained model that talks nonsense, but whose sentences end after a while.
pub fn talkative_model(seed: u64) -> Model {
    let model = model(&config(), seed, &device());
    let mut tensors = module_tensors(&model);
    let (shape, logits) = tensors.get_mut("logits").expect("logits of their own");
    let end = Vocabulary::EOS as usize * shape[1];
    logits[end..end + shape[1]]
        .iter_mut()
        .for_each(|weight| *weight *= 1.5);
    load_module(model, tensors, Path::new("in memory")).expect("its own tensors")
}

/// The description of the talkative model.
pub fn description() -> ModelFolder {
    let languages = Languages {
        source: "en".to_owned(),
        target: "de".to_owned(),
    };
    ModelFolder::new(
        "tiny en-de".to_owned(),
        "MIT".to_owned(),
        languages,
        config(),
    )
}

/// The talkative model as a folder.
pub fn model_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = description().save(
        folder.path(),
        &talkative_model(1),
        &vocabulary(),
        Precision::Full,
    );
    saved.expect("a saved model");
    folder
}

/// Writes `value` over the first number of a tensor in a safetensors file, whatever kind its numbers are of.
pub fn spoil(path: &Path, tensor: &str, value: f32) {
    use safetensors::{Dtype, SafeTensors};
    let mut bytes = std::fs::read(path).expect("readable");
    let (at, dtype) = {
        let file = SafeTensors::deserialize(&bytes).expect("tensors");
        let view = file.tensor(tensor).expect("such a tensor");
        let at = view.data().as_ptr().addr() - bytes.as_ptr().addr();
        (at, view.dtype())
    };
    let number = match dtype {
        Dtype::F32 => value.to_le_bytes().to_vec(),
        Dtype::F16 => half::f16::from_f32(value).to_le_bytes().to_vec(),
        Dtype::BF16 => half::bf16::from_f32(value).to_le_bytes().to_vec(),
        other => panic!("{tensor} holds {other:?}"),
    };
    bytes[at..at + number.len()].copy_from_slice(&number);
    std::fs::write(path, bytes).expect("written");
}

/// Writes a corpus: six documents to train with, one for either other split. Every training document has two units
/// that do not count, one the same in both languages and one that was there before (but for the first document).
pub fn corpus(folder: &Path) -> Corpus {
    let info = CorpusInfo {
        name: "tiny".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: "made in a test".to_owned(),
        licence: "CC0-1.0".to_owned(),
    };
    let mut writer = CorpusWriter::create(folder, info, false).expect("a new corpus");
    for (number, pairs) in pairs().chunks(6).enumerate() {
        let mut units: Vec<Unit> = pairs
            .iter()
            .map(|(source, target)| Unit::new(source.clone(), target.clone()))
            .collect();
        units.push(Unit::new("Canopy 1.0".to_owned(), "Canopy 1.0".to_owned()));
        units.push(Unit::new("See also:".to_owned(), "Siehe auch:".to_owned()));
        writer
            .add(Split::Train, document(&format!("train-{number}"), units))
            .expect("writes");
    }
    let unseen = |noun: &str, name: &str| {
        Unit::new(
            format!("Move the {noun}."),
            format!("Verschieben Sie {name}."),
        )
    };
    writer
        .add(
            Split::Dev,
            document(
                "dev",
                vec![unseen("page", "die Seite"), unseen("file", "die Datei")],
            ),
        )
        .expect("writes");
    writer
        .add(
            Split::Test,
            document("test", vec![unseen("image", "das Bild")]),
        )
        .expect("writes");
    writer.finish().expect("a corpus")
}

/// Units of which two make a paragraph.
pub fn document(id: &str, units: Vec<Unit>) -> ParallelDocument {
    let paragraph = |units: &[Unit]| ParallelParagraph {
        section: 0,
        kind: ParagraphKind::Text,
        id: None,
        note: None,
        units: units.to_vec(),
    };
    ParallelDocument {
        id: id.to_owned(),
        sections: vec![Section {
            parent: None,
            level: 0,
            heading: None,
        }],
        paragraphs: units.chunks(2).map(paragraph).collect(),
    }
}

/// The placeholders of a text in alphabetical order; panics if they are not well nested.
pub fn markup(text: &str) -> String {
    let mut depth = 0_usize;
    let mut found: Vec<char> = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_some())
        .collect();
    for &character in &found {
        match Placeholder::from_char(character) {
            Some(Placeholder::Open(_)) => depth += 1,
            Some(Placeholder::Close) => depth = depth.checked_sub(1).expect("closes nothing"),
            _ => {}
        }
    }
    assert_eq!(depth, 0, "not all closed: {text:?}");
    found.sort_unstable();
    found.into_iter().collect()
}
