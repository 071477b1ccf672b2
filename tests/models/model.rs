//! Models of every kind can be built, count their parameters, learn, and keep sentences apart.

use crate::support::tiny;
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Distribution, Gradients, Tensor};
use canopy::kernels::{DropoutSource, Segment};
use canopy::model::{
    Batch, Counting, Model, ModelConfig, MultiHeadAttentionConfig, NormPosition, PackedBatch,
    Positions, Preset,
};
use canopy::text::vocabulary::Vocabulary;
use canopy::weights::{ModelFolder, Precision};

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("32-bit floats")
}

/// Three sentences of different length, each in a document of its own.
fn batch() -> Batch {
    let mut batch = Batch::default();
    for (number, words) in [vec![50, 60, 70], vec![80], vec![90, 91, 92, 93, 94]]
        .into_iter()
        .enumerate()
    {
        let place = (number, 3 * number);
        batch.source.begin_document();
        batch.target.begin_document();
        let source = [words.as_slice(), &[Vocabulary::EOS]].concat();
        let target = [&[Vocabulary::BOS], words.as_slice()].concat();
        batch.source.push(&source, place);
        batch.target.push(&target, place);
        batch.labels.extend(words);
        batch.labels.push(Vocabulary::EOS);
        batch.translated.push(number);
    }
    batch.references = batch.target.clone();
    batch
}

/// Notes which parameters have no usable gradient.
struct GradientCheck<'a> {
    gradients: &'a Gradients,
    path: Vec<String>,
    missing: Vec<String>,
}

impl ModuleVisitor for GradientCheck<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad(self.gradients).map(numbers);
        if !gradient.is_some_and(|gradient| {
            gradient.iter().all(|x| x.is_finite()) && gradient.iter().any(|&x| x != 0.0)
        }) {
            self.missing.push(self.path.join("."));
        }
    }
}

#[test]
fn every_kind_of_model_learns_with_finite_numbers() {
    let batch = batch();
    for config in tiny::kinds() {
        let model = tiny::model(&config, 1, &tiny::device().autodiff());
        for dropout in [DropoutSource::none(), DropoutSource::new(0.3, 9)] {
            let loss = model.loss(&batch, 0.1, &dropout);
            let gradients = loss.backward();
            let loss = loss.into_scalar::<f32>();
            assert!(
                loss.is_finite() && loss > 0.0,
                "the loss is {loss}: {config:?}"
            );
            let mut check = GradientCheck {
                gradients: &gradients,
                path: Vec::new(),
                missing: Vec::new(),
            };
            model.visit(&mut check);
            assert_eq!(check.missing, [""; 0], "without gradients: {config:?}");
        }
    }
}

/// Encoder and decoder states of some sentences of [`batch`], sentence by sentence.
fn states(model: &Model, chosen: &[usize]) -> Vec<(Vec<f32>, Vec<f32>)> {
    let (model, all) = (tiny::transformer(model), batch());
    let choose = |all: &PackedBatch| {
        let mut rows = PackedBatch::default();
        for &sentence in chosen {
            let [_, place, paragraph, ..] = all.positions[sentence];
            rows.begin_document();
            rows.push(
                &all.ids[all.sentences[sentence].clone()],
                (place, paragraph),
            );
        }
        rows
    };
    let (source, target, none) = (
        choose(&all.source),
        choose(&all.target),
        DropoutSource::none(),
    );
    let encoded = model.encode(&source, None, &none);
    let decoded = model.decode(&target, &encoded, &none).states;
    let (encoded, decoded) = (numbers(encoded.states), numbers(decoded));
    let width = model.embedding.words.dims()[1];
    let of = |states: &[f32], rows: &std::ops::Range<usize>| {
        states[rows.start * width..rows.end * width].to_vec()
    };
    source
        .sentences
        .iter()
        .zip(&target.sentences)
        .map(|(src, tgt)| (of(&encoded, src), of(&decoded, tgt)))
        .collect()
}

#[test]
fn other_sentences_of_the_batch_change_nothing() {
    for config in tiny::kinds() {
        let model = tiny::model(&config, 2, &tiny::device());
        let together = states(&model, &[0, 1, 2]);
        for sentence in 0..3 {
            let alone = &states(&model, &[sentence])[0];
            let pairs = [
                (&alone.0, &together[sentence].0),
                (&alone.1, &together[sentence].1),
            ];
            for (alone, together) in pairs {
                assert_eq!(alone.len(), together.len());
                let worst = alone
                    .iter()
                    .zip(together)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                assert!(
                    worst <= 1e-5,
                    "sentence {sentence} is {worst} apart: {config:?}"
                );
            }
        }
    }
}

#[test]
fn a_later_word_changes_nothing_before_it() {
    let none = DropoutSource::none();
    for config in tiny::kinds() {
        let model = tiny::model(&config, 2, &tiny::device());
        let model = tiny::transformer(&model);
        let encoded = model.encode(&PackedBatch::new([&[50, 60, 70][..]]), None, &none);
        let states = |last: u32| {
            let rows = PackedBatch::new([&[Vocabulary::BOS, 90, last][..]]);
            numbers(model.decode(&rows, &encoded, &none).states)
        };
        let (one, other) = (states(91), states(92));
        let (before, after) = (..2 * config.d_model, 2 * config.d_model..);
        assert_eq!(one[before], other[before]);
        assert_ne!(one[after.clone()], other[after]);
    }
}

#[test]
fn places_in_the_document_matter_to_multi_level_positions_alone() {
    for config in tiny::kinds() {
        let model = tiny::model(&config, 3, &tiny::device());
        let encoded = |place| {
            let mut rows = PackedBatch::default();
            rows.push(&[50, 60, 70], place);
            let model = tiny::transformer(&model);
            numbers(model.encode(&rows, None, &DropoutSource::none()).states)
        };
        let differs = encoded((0, 0)) != encoded((1, 0)) && encoded((0, 0)) != encoded((0, 1));
        assert_eq!(differs, config.positions != Positions::Sinusoidal);
    }
}

#[test]
fn attention_weights_sum_to_one_over_what_is_visible() {
    const LONGEST: (usize, usize) = (4, 6);
    let device = tiny::device();
    // Queries and keys of three sentences.
    let sizes = [(2, 6), (4, 1), (3, 3)];
    let (mut segments, mut rows, mut key_rows) = (Vec::new(), 0, 0);
    for (queries, keys) in sizes {
        segments.push(Segment {
            queries: rows..rows + queries,
            keys: key_rows..key_rows + keys,
        });
        (rows, key_rows) = (rows + queries, key_rows + keys);
    }
    let _alone = tiny::random_numbers();
    device.seed(1);
    for causal in [false, true] {
        let attention = MultiHeadAttentionConfig::new(12, 2)
            .with_causal(causal)
            .init(&device);
        let random =
            |rows: usize| Tensor::<2>::random([rows, 12], Distribution::Normal(0.0, 2.0), &device);
        let weights = attention.weights(random(rows), random(key_rows), &segments.clone().into());
        assert_eq!(weights.dims(), [3, 2, LONGEST.0, LONGEST.1]);
        let weights = numbers(weights);
        for (index, row) in weights.chunks_exact(LONGEST.1).enumerate() {
            let (segment, query) = (index / LONGEST.0 / 2, index % LONGEST.0);
            let (queries, keys) = sizes[segment];
            let visible = match (query < queries, causal) {
                (false, _) => 0,
                (true, false) => keys,
                // The last query sees all keys.
                (true, true) => (query + 1 + keys).saturating_sub(queries).min(keys),
            };
            let sum: f32 = row.iter().sum();
            assert!(
                (sum - if visible > 0 { 1.0 } else { 0.0 }).abs() < 1e-5,
                "segment {segment}, query {query}: {row:?}"
            );
            assert!(
                row[..visible].iter().all(|&weight| weight > 0.0),
                "segment {segment}, query {query}: {row:?}"
            );
            assert!(
                row[visible..].iter().all(|&weight| weight == 0.0),
                "segment {segment}, query {query}: {row:?}"
            );
        }
    }
}

#[test]
fn parameters_are_counted_without_building_the_model() {
    let device = tiny::device();
    let mut configs = tiny::kinds();
    for encoder in ["f", "ssff-s", "sf-sf-sf"] {
        configs.push(ModelConfig {
            encoder: encoder.parse().expect("valid"),
            num_decoder_layers: 3,
            ..tiny::config()
        });
    }
    configs.extend(Preset::all().map(|preset| preset.config(500)));
    for config in configs {
        let _alone = tiny::random_numbers();
        let built = Model::new(&config, &device).expect("valid").num_params();
        assert_eq!(config.num_parameters(), built, "{config:?}");
    }
}

#[test]
fn x_transformer_small_has_six_million_parameters() {
    let preset = Preset::named("x-transformer-small").expect("it is there");
    assert_eq!(preset.config(8_000).num_parameters(), 5_990_912);
}

#[test]
fn contradictory_configurations_are_refused_by_field() {
    type Change = fn(&mut ModelConfig);
    let cases: &[(&str, Change)] = &[
        ("vocab_size", |config| config.vocab_size = 0),
        ("d_model", |config| config.d_model = 0),
        ("d_model", |config| config.d_model = 15),
        ("d_model", |config| config.d_model = 1 << 40),
        ("num_heads", |config| config.num_heads = 0),
        ("num_heads", |config| config.num_heads = 3),
        ("d_ff", |config| config.d_ff = 0),
        ("num_decoder_layers", |config| config.num_decoder_layers = 0),
        ("num_decoder_layers", |config| {
            config.num_decoder_layers = usize::MAX;
        }),
        ("dropout", |config| config.dropout = 1.0),
        ("dropout", |config| config.dropout = f32::NAN),
        ("max_tokens", |config| config.max_tokens = 0),
        ("positions.words", |config| {
            config.positions = Positions::MultiLevel {
                words: config.max_tokens,
                sentences: 1,
                paragraphs: 1,
                headings: 0,
                counting: Counting::Restarting,
            };
        }),
        ("positions.paragraphs", |config| {
            config.positions = Positions::MultiLevel {
                words: 99,
                sentences: 1,
                paragraphs: 0,
                headings: 0,
                counting: Counting::Restarting,
            };
        }),
    ];
    for (field, change) in cases {
        let mut config = tiny::config();
        change(&mut config);
        let refused = Model::new(&config, &tiny::device())
            .err()
            .map(|error| error.to_string());
        let named = refused
            .as_ref()
            .is_some_and(|error| error.starts_with(&format!("{field} is ")));
        assert!(named, "{field} should be named: {refused:?}");
    }
}

#[test]
fn a_model_leaves_nothing_of_the_one_that_it_replaces() {
    let folder = tiny::model_folder();
    let path = |name: &str| folder.path().join(name);
    for name in ["pieces.json", "memory.tsv", "memory.tsv.gz", "README.md"] {
        std::fs::write(path(name), "of another model").expect("writes");
    }
    assert!(ModelFolder::has_bert(folder.path()));
    let (model, vocabulary) = (tiny::talkative_model(2), tiny::vocabulary());
    let saved = tiny::description().save(folder.path(), &model, &vocabulary, Precision::Full);
    saved.expect("saves");
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "README.md",
            "model.toml",
            "vocabulary.json",
            "weights.safetensors"
        ]
    );
    let description = ModelFolder::open(folder.path()).expect("a whole folder");
    description
        .load(folder.path(), &tiny::device())
        .expect("its own files");
}

#[test]
fn a_configuration_comes_back_from_its_file() {
    for config in tiny::kinds() {
        let text = toml::to_string(&config).expect("writes");
        assert_eq!(toml::from_str::<ModelConfig>(&text).expect("reads"), config);
        for wrong in [
            text.replace("s-sf", "s-xf"),
            text.replace("d_ff", "d_fff"),
            text.replace("\"post\"", "\"middle\""),
        ] {
            assert!(
                wrong == text || toml::from_str::<ModelConfig>(&wrong).is_err(),
                "{wrong}"
            );
        }
        assert!(config.norm == NormPosition::Pre || text.contains("\"post\""));
    }
}
