//! A trace says what a model attended to while it translated, for every system there is.

mod choices;
mod cost;
mod left_out;
mod maps;
mod part;
mod probabilities;
mod windows;

use crate::support::tiny;

use std::ops::ControlFlow;

use canopy::inference::{DeviceChoice, SearchOptions, Translation, Translator};
use canopy::kernels::WordNormaliser;
use canopy::model::{
    Architecture, Context, FlatLevel, MergeKind, ModelConfig, Placement, Reach, Side, TraversalRule,
};
use canopy::text::document::{Document, Format};
use canopy::trace::Trace;
use canopy::weights::{ModelFolder, Precision};

/// Every kind of context on every side, and models without one.
fn systems() -> Vec<(&'static str, ModelConfig)> {
    let context = |context| ModelConfig {
        context: Some(context),
        ..tiny::config()
    };
    let tree = |placement| {
        context(Context::HierarchicalConditional {
            top_t: 2,
            merge: MergeKind::Source2Token,
            rule: TraversalRule::ByNode,
            placement,
        })
    };
    let conditional = |placement| {
        context(Context::Conditional {
            top_t: 2,
            placement,
        })
    };
    let selective = |words, reach, side| context(Context::Selective { words, reach, side });
    let flat = |level, reach| {
        context(Context::Flat {
            level,
            reach,
            side: Side::Both,
        })
    };
    let encoding =
        |placement, decoder| context(Context::HierarchicalEncoding { placement, decoder });
    let recurrent = ModelConfig {
        architecture: Architecture::RnnSearch,
        num_decoder_layers: 2,
        ..tiny::config()
    };
    vec![
        ("sentence", tiny::config()),
        ("rnnsearch", recurrent),
        (
            "concatenation",
            context(Context::Concatenation { previous: 2 }),
        ),
        ("encoding in layers", encoding(Placement::Sublayer, true)),
        ("encoding after layers", encoding(Placement::Gate, false)),
        ("conditional in layers", conditional(Placement::Sublayer)),
        ("conditional as heads", conditional(Placement::Heads)),
        ("tree in layers", tree(Placement::Sublayer)),
        ("tree after layers", tree(Placement::Gate)),
        (
            "selective, sparse",
            selective(WordNormaliser::Sparsemax, Reach::Offline, Side::Both),
        ),
        (
            "selective, soft",
            selective(WordNormaliser::Softmax, Reach::Online, Side::Encoder),
        ),
        ("flat over words", flat(FlatLevel::Word, Reach::Offline)),
        (
            "flat over sentences",
            flat(FlatLevel::Sentence, Reach::Online),
        ),
        (
            "han",
            context(Context::Han {
                previous: 2,
                side: Side::Both,
            }),
        ),
        (
            "zhang",
            context(Context::Zhang {
                previous: 2,
                side: Side::Encoder,
            }),
        ),
        (
            "translations before",
            ModelConfig {
                previous_translations: 2,
                ..tiny::config()
            },
        ),
        (
            "form of address",
            ModelConfig {
                reads_formality: true,
                ..tiny::config()
            },
        ),
        (
            "capsules",
            context(Context::QueryCapsules {
                previous: 2,
                capsules: 3,
            }),
        ),
    ]
}

fn translator(config: ModelConfig) -> Translator {
    let folder = tempfile::tempdir().expect("a folder");
    let model = tiny::model(&config, 7, &tiny::device());
    let description = ModelFolder {
        model: config,
        ..tiny::description()
    };
    description
        .save(folder.path(), &model, &tiny::vocabulary(), Precision::Full)
        .expect("saves");
    Translator::open(folder.path(), DeviceChoice::Cpu).expect("opens")
}

/// With a sentence that is copied and one that is too long for the model.
fn document() -> Document {
    let long =
        "Open the file, close the window, copy the image, print the page and save the table.";
    let text = format!(
        "Open the file. Close it.\n\n{long}\n\n1 2 3\n\nSave the table. Print the page. Delete the cell.\n"
    );
    Document::from_bytes("page.txt", Format::Text, text.into_bytes()).expect("a document")
}

fn translated(translator: &Translator, document: &Document) -> Vec<Option<Translation>> {
    let options = SearchOptions {
        beam_size: 2,
        ..SearchOptions::default()
    };
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut translations = vec![None; all.len()];
    translator
        .translate(document, &all, &options, &mut |index, translation| {
            translations[index] = Some(translation);
            ControlFlow::Continue(())
        })
        .expect("translates");
    translations
}

fn traced(config: ModelConfig) -> (Document, Vec<Option<Translation>>, Trace) {
    let (translator, document) = (translator(config), document());
    let translations = translated(&translator, &document);
    let trace = translator.trace(&document, &translations).expect("traces");
    let again = translated(&translator, &document);
    assert_eq!(
        again, translations,
        "tracing leaves the translation as it is"
    );
    (document, translations, trace)
}
