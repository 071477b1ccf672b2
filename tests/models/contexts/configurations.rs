//! Configurations: their counts, refusals and files.

use burn::module::Module;
use canopy::model::{
    Architecture, BertSequence, Context, Counting, MemorySource, Model, ModelConfig, Placement,
    Positions, Preset, Side,
};
use canopy::training::Adam;

use crate::contexts::{document, silent, systems, tiny};

#[test]
fn parameters_are_counted_from_the_sizes() {
    let device = tiny::device();
    let mut configs = systems::configs();
    configs.extend(systems::sentence_level());
    let warm = configs.clone().into_iter().map(|config| ModelConfig {
        warm_gate: true,
        encoder: "sf-ssf".parse().expect("a layout"),
        num_decoder_layers: 2,
        ..config
    });
    let warm: Vec<ModelConfig> = warm.collect();
    for config in configs.into_iter().chain(warm) {
        let model = Model::new(&config, &device).expect("valid");
        assert_eq!(config.num_parameters(), model.num_params(), "{config:?}");
    }
}

#[test]
fn every_preset_can_be_built_counted_and_trained() {
    let device = tiny::device().autodiff();
    let batch = crate::contexts::batch(&[document(&[3, 2, 4], 1), document(&[2], 2)]);
    for preset in Preset::all() {
        let config = preset.config(tiny::VOCAB);
        let model = tiny::model(&config, 1, &device);
        assert_eq!(
            config.num_parameters(),
            model.num_params(),
            "{}",
            preset.name
        );
        let mut batch = batch.clone();
        if preset.reads_bert() {
            let pieces = BertSequence {
                ids: vec![101, 7, 102, 8, 102],
                of_first: 3,
            };
            let sentences = batch.source.sentences.len();
            (0..sentences).for_each(|_| batch.source.push_pieces(&pieces));
        }
        let loss = model.loss(&batch, 0.1, &silent());
        let mut gradients = loss.backward();
        let (trained, norm) = Adam::default().update(model, &mut gradients, 1e-4, Some(1.0));
        let after = trained.loss(&batch, 0.1, &silent()).into_scalar::<f32>();
        let before = loss.into_scalar::<f32>();
        assert!(
            before.is_finite() && norm.is_finite() && after < before,
            "{}: loss {before}, then {after}, gradients of norm {norm}",
            preset.name
        );
    }
}

/// Words that a table of absolute places must have.
const ABSOLUTE: usize = 3 * tiny::MAX_TOKENS + 16;

#[test]
fn contradictions_are_refused_by_field() {
    type Change = fn(&mut ModelConfig);
    let conditional = |top_t, placement| Some(Context::Conditional { top_t, placement });
    let cases: &[(&str, Option<Context>, Change)] = &[
        ("context.top_t", conditional(0, Placement::Gate), |_| ()),
        (
            "context.previous",
            Some(Context::Zhang {
                previous: 0,
                side: Side::Encoder,
            }),
            |_| (),
        ),
        (
            "context.previous",
            Some(Context::Concatenation { previous: 65 }),
            |_| (),
        ),
        ("encoder", conditional(1, Placement::Sublayer), |config| {
            config.encoder = "f-ff".parse().expect("a layout");
        }),
        (
            "context.capsules",
            Some(Context::QueryCapsules {
                previous: 1,
                capsules: 0,
            }),
            |_| (),
        ),
        (
            "encoder",
            Some(Context::Zhang {
                previous: 1,
                side: Side::Encoder,
            }),
            |config| {
                config.encoder = "f".parse().expect("a layout");
            },
        ),
        ("memory", None, |config| {
            config.memory = MemorySource::StageOne;
        }),
        ("memory", conditional(1, Placement::Heads), |config| {
            config.memory = MemorySource::StageOne;
        }),
        ("context", conditional(1, Placement::Gate), |config| {
            config.architecture = Architecture::RnnSearch;
        }),
        ("positions.words", None, |config| {
            config.positions = Positions::MultiLevel {
                words: ABSOLUTE - 1,
                sentences: 9,
                paragraphs: 9,
                headings: 0,
                counting: Counting::Absolute,
            };
        }),
    ];
    for (field, context, change) in cases {
        let mut config = ModelConfig {
            context: *context,
            ..tiny::config()
        };
        change(&mut config);
        let refused = Model::new(&config, &tiny::device()).err();
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            refused.starts_with(&format!("{field} is ")),
            "{field} should be named: {refused:?}"
        );
    }
}

#[test]
fn configurations_come_back_from_their_files() {
    let mut configs = systems::configs();
    configs.extend(systems::sentence_level());
    configs.extend(Preset::all().map(|preset| preset.config(8_000)));
    for config in configs {
        let text = toml::to_string(&config).expect("writes");
        assert_eq!(toml::from_str::<ModelConfig>(&text).expect("reads"), config);
    }
}
