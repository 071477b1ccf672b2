//! Every system of the presets upon models of other programs: begun, trained for an update, translated with.

use std::path::Path;

use burn::tensor::activation::softmax;
use canopy::error::find;
use canopy::inference::{DeviceChoice, ImportedModel, Translator, import_model};
use canopy::kernels::DropoutSource;
use canopy::model::{Context, Model, NormPosition, Placement, Preset};
use canopy::tokenizers::Side;
use canopy::training::error::{BaseError, Error};
use canopy::training::{Control, Example, ExampleSet, TrainingConfig, train};

use super::cases::{greedy, multilingual, text, those_there, translations};
use super::tiny;

/// A Transformer of one vocabulary, one with an SSRU and guided alignment, and one of many languages.
fn bases() -> Vec<std::path::PathBuf> {
    let mut bases = those_there(&["marian-base-1", "marian-native-ssru-1"]);
    bases.push(multilingual()[1].clone());
    bases
}

fn imported(folder: &Path) -> ImportedModel {
    let between = (Some("en"), Some("de"));
    import_model(folder, between, &tiny::device()).expect("a model")
}

/// How far a system may be from its base before it has learnt anything; none where it does not begin closed, upon our own
/// models either (tests/contexts).
fn tolerance(context: &Context) -> Option<f32> {
    match context {
        Context::HierarchicalEncoding {
            placement: Placement::Heads,
            decoder: false,
        }
        | Context::Conditional {
            placement: Placement::Heads,
            ..
        }
        | Context::HierarchicalConditional {
            placement: Placement::Heads,
            ..
        } => Some(1e-5),
        _ => None,
    }
}

/// Whether a system is refused since its layers need norms after others, and this model has them before.
fn is_of_norms(base: &ImportedModel, error: &(dyn std::error::Error + 'static)) -> bool {
    let is_pre = base.description.model.norm == NormPosition::Pre;
    is_pre && matches!(find(error), Some(BaseError::Config { field: "norm", .. }))
}

/// A document of a few sentences in the ids of a model.
fn document(imported: &ImportedModel) -> ExampleSet {
    let tokenizer = &imported.tokenizer;
    let mut set = ExampleSet {
        special: tokenizer.special().clone(),
        ..ExampleSet::default()
    };
    for (number, (source, target)) in tiny::pairs().into_iter().take(5).enumerate() {
        let target = tokenizer.encode(Side::Target, &target);
        set.examples.push(Example {
            source: tokenizer.encode(Side::Source, &source),
            target: tokenizer.special().begun(target),
            place: (number, 0),
            headings: [0; 3],
            counts: true,
        });
    }
    set.documents.push(0..set.examples.len());
    set
}

#[test]
fn a_system_begins_with_what_the_imported_model_knows() {
    for folder in bases() {
        let base = imported(&folder);
        let set = document(&base);
        let batch = set.batch(&set.documents);
        let none = DropoutSource::none();
        let known = softmax(base.model.scores(&batch, &none), 1);
        let mut begun = 0;
        for preset in Preset::all().filter(|it| it.reads_documents() && !it.reads_bert()) {
            let config = preset.config(base.description.model.vocab_size);
            let config = match config.warm_started_from(&base.description.model) {
                Ok(config) => config,
                Err(error) => {
                    assert!(is_of_norms(&base, &error), "{}: {error}", preset.name);
                    continue;
                }
            };
            let model = Model::warm_start(base.model.clone(), &config, 1, &tiny::device());
            let model = model.expect("a model");
            assert!(model.reads_documents());
            let apart = softmax(model.scores(&batch, &none), 1) - known.clone();
            let apart = apart.abs().max_dim(1).mean().into_scalar::<f32>();
            assert!(apart.is_finite(), "{}", preset.name);
            if let Some(tolerance) = tolerance(&config.context.expect("a context")) {
                assert!(
                    apart <= tolerance,
                    "{}: {apart} apart, {}",
                    preset.name,
                    folder.display()
                );
            }
            begun += 1;
        }
        assert!(begun > 8, "{begun} systems");
    }
}

fn config(place: &Path, from: &Path, preset: &str) -> TrainingConfig {
    TrainingConfig {
        corpus: place.join("corpus"),
        preset: preset.to_owned(),
        batch_tokens: 200,
        steps: 1,
        validate_every: 0,
        checkpoint_every: 1,
        keep_checkpoints: 0,
        ..TrainingConfig::second_stage(from.to_owned())
    }
}

fn trained(config: &TrainingConfig, run: &Path) -> canopy::training::error::Result<()> {
    let control = Control::default();
    train(
        config,
        run,
        false,
        &tiny::device(),
        "CPU",
        &control,
        &mut |_| {},
    )
    .map(drop)
}

#[test]
fn every_preset_learns_upon_an_imported_model_and_translates() {
    for folder in bases() {
        let place = tempfile::tempdir().expect("a folder");
        tiny::corpus(&place.path().join("corpus"));
        let base = imported(&folder);
        for preset in Preset::all() {
            let run = place.path().join(preset.name);
            let name = format!("{} upon {}", preset.name, folder.display());
            let ended = trained(&config(place.path(), &folder, preset.name), &run);
            if preset.reads_bert() {
                let Err(Error::Base(BaseError::Config { field: "bert", .. })) = &ended else {
                    panic!("{name}: {ended:?}");
                };
                continue;
            }
            if preset.name.starts_with("rnnsearch") {
                let Err(Error::Base(BaseError::Config {
                    field: "architecture",
                    allowed,
                    ..
                })) = &ended
                else {
                    panic!("{name}: {ended:?}");
                };
                assert!(allowed.contains("transformer"), "{allowed}");
                continue;
            }
            if let Err(error) = &ended {
                assert!(is_of_norms(&base, error), "{name}: {error}");
                continue;
            }
            let model = run.join("checkpoints/last");
            let opened = Translator::open(&model, DeviceChoice::Cpu);
            let opened = opened.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                opened.model().reads_documents(),
                preset.reads_documents(),
                "{name}"
            );
            let document = text("Open the file. Close the page. Save the table.");
            let found = translations(&opened, &document, &greedy());
            assert_eq!(found.len(), 3, "{name}");
            assert!(found.iter().all(|it| it.log_prob.is_finite()), "{name}");
            let translations: Vec<_> = found.into_iter().map(Some).collect();
            opened
                .trace(&document, &translations)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
